//! Nothing waits for ever: who waits for a lock is answered 503 within a stated time.

use crate::harness::{Backend, Database, Server, on_both};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use serde_json::json;
use std::time::{Duration, Instant};
use traverse::db::Db;

/// What `docs/operations.md` states, and a second for the machine.
fn bound(backend: Backend) -> Duration {
    Duration::from_secs(match backend {
        Backend::Postgres => 5 + 1,
        Backend::Sqlite => 10 + 1,
    })
}

#[derive(QueryableByName)]
struct Setting {
    #[diesel(sql_type = Text)]
    value: String,
}

/// Opens a transaction that nobody who changes an account gets past.
fn lock_accounts(backend: Backend, db: &mut Db) {
    db.batch_execute(match backend {
        Backend::Postgres => "begin; update users set updated_at = updated_at",
        Backend::Sqlite => "begin immediate",
    })
    .unwrap();
}

on_both! {
    fn who_waits_for_a_lock_is_answered_in_time(server: Server) {
        let ada = server.register("ada");
        let mut other = server.database.connect();
        lock_accounts(server.database.backend, &mut other);
        let began = Instant::now();
        let answer = ada.patch("/api/v1/me", &json!({"daily_cap": 7})).expect(503);
        let waited = began.elapsed();
        assert!(waited < bound(server.database.backend), "{waited:?}");
        assert_eq!(answer.code(), "unavailable");
        assert!(answer.header("retry-after").is_some());
        other.batch_execute("rollback").unwrap();
        let kept = ada.get("/api/v1/me").expect(200).body;
        assert_eq!(kept["daily_cap"], 20);
        ada.patch("/api/v1/me", &json!({"daily_cap": 7})).expect(200);
    }

    /// What takes longer than a request may is answered, and may still take effect.
    fn a_request_that_takes_too_long_is_answered(database: Database) {
        let server = Server::on(database, |config| config.request = Duration::from_millis(300));
        let ada = server.register("ada");
        let mut other = server.database.connect();
        lock_accounts(server.database.backend, &mut other);
        let began = Instant::now();
        let answer = ada.patch("/api/v1/me", &json!({"daily_cap": 7})).expect(503);
        assert!((300..2000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
        assert_eq!(answer.code(), "timed-out");
        assert!(answer.header("retry-after").is_some());
        other.batch_execute("rollback").unwrap();
        // On SQLite it stands in the queue before this one.
        ada.patch("/api/v1/me", &json!({"daily_goal": {"solves": 2, "revisions": 1}})).expect(200);
    }

    fn no_session_waits_for_ever(server: Server) {
        let Db::Postgres(conn) = &mut server.database.connect() else { return };
        for (name, expected) in [
            ("lock_timeout", "5s"),
            ("statement_timeout", "35s"),
            ("idle_in_transaction_session_timeout", "1min"),
        ] {
            let setting: Setting =
                diesel::sql_query(format!("select current_setting('{name}') as value"))
                    .get_result(conn)
                    .unwrap();
            assert_eq!(setting.value, expected, "{name}");
        }
    }
}
