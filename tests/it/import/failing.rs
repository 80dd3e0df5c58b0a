//! A database that fails in the middle: what was done stays, and the same file again does the rest.

use super::upload::{all, counts, send, solved};
use crate::harness::invariants::assert_hold;
use crate::harness::{Answer, Client, Server, on_both};
use chrono::TimeDelta;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use reqwest::Method;
use serde_json::json;
use std::thread;
use traverse::db::Db;

/// Makes the database refuse one problem, as a full disk would.
fn refuse(db: &mut Db, slug: &str) {
    let sql = match db {
        Db::Postgres(_) => format!(
            "create function refuse() returns trigger language plpgsql as \
               $$ begin raise exception 'no room'; end $$; \
             create trigger refuse before insert on problems for each row \
               when (new.slug = '{slug}') execute function refuse()"
        ),
        Db::Sqlite(_) => format!(
            "create trigger refuse before insert on problems when new.slug = '{slug}' \
             begin select raise(abort, 'no room'); end"
        ),
    };
    db.batch_execute(&sql).unwrap();
}

fn allow(db: &mut Db) {
    let sql = match db {
        Db::Postgres(_) => "drop trigger refuse on problems",
        Db::Sqlite(_) => "drop trigger refuse",
    };
    db.batch_execute(sql).unwrap();
}

#[derive(QueryableByName)]
struct Beats {
    #[diesel(sql_type = BigInt)]
    beats: i64,
}

/// Counts how often a run says that it goes on, and nothing else.
fn count_beats(db: &mut Db) {
    let is_beat = "new.touched_at > old.touched_at and new.status = old.status \
                   and new.attempt = old.attempt and new.received = old.received";
    let beat = "insert into beats values (1)";
    let sql = match db {
        Db::Postgres(_) => format!(
            "create table beats (beat integer); \
             create function beat() returns trigger language plpgsql as \
               $$ begin {beat}; return new; end $$; \
             create trigger beat after update on imports for each row \
               when ({is_beat}) execute function beat()"
        ),
        Db::Sqlite(_) => format!(
            "create table beats (beat integer); \
             create trigger beat after update on imports when {is_beat} begin {beat}; end"
        ),
    };
    db.batch_execute(&sql).unwrap();
}

fn beats(db: &mut Db) -> i64 {
    let query = diesel::sql_query("select count(*) as beats from beats");
    let counted: Beats = match db {
        Db::Postgres(conn) => query.get_result(conn),
        Db::Sqlite(conn) => query.get_result(conn),
    }
    .unwrap();
    counted.beats
}

fn file() -> String {
    let rows: Vec<_> = (0..2500)
        .map(|row| solved(&format!("p-{row}"), "2024-01-01T10:00:00Z"))
        .chain((0..100).map(|row| solved(&format!("p-{row}"), "2024-02-01T10:00:00Z")))
        .collect();
    json!(rows).to_string()
}

fn send_with_key(client: &Client) -> Answer {
    let request = client
        .request(Method::POST, "/api/v1/imports")
        .header("content-type", "application/json")
        .header("idempotency-key", "k");
    Answer::of(request.body(file()))
}

on_both! {
    fn the_same_file_again_does_the_rest(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        refuse(&mut db, "p-1500");
        send(&ada, "", "application/json", file().as_bytes()).expect(500);
        let failed = &all(&ada, "/api/v1/imports")[0];
        assert_eq!(failed["status"], "failed");
        assert_eq!(counts(failed), [1000, 1000, 0, 0, 0, 0, 0]);
        assert!(failed["finished_at"].is_string());
        assert_eq!(all(&ada, "/api/v1/solves").len(), 1000);
        assert_hold(&mut db);
        allow(&mut db);
        let report = send(&ada, "", "application/json", file().as_bytes()).expect(201).body;
        assert_eq!(counts(&report), [2600, 1500, 1100, 0, 0, 0, 0]);
        assert_eq!(all(&ada, "/api/v1/solves").len(), 2500);
    }

    fn under_its_key_it_begins_again(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        refuse(&mut db, "p-1500");
        send_with_key(&ada).expect(500);
        let id = all(&ada, "/api/v1/imports")[0]["id"].clone();
        send_with_key(&ada).expect(500);
        allow(&mut db);
        let report = send_with_key(&ada).expect(201).body;
        assert_eq!(report["id"], id);
        // It tells of the file as if it had never broken off.
        assert_eq!(counts(&report), [2600, 2500, 0, 100, 0, 0, 0]);
        assert_eq!(all(&ada, &format!("/api/v1/imports/{id}/rows?verdict=imported")).len(), 2500);
        assert_eq!(send_with_key(&ada).expect(200).body, report);
        assert_eq!(all(&ada, "/api/v1/imports").len(), 1);
    }

    fn a_run_that_recalls_says_that_it_goes_on(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        refuse(&mut db, "p-2400");
        send_with_key(&ada).expect(500);
        assert_eq!(counts(&all(&ada, "/api/v1/imports")[0])[0], 2000);
        count_beats(&mut db);
        thread::scope(|scope| {
            let sent = scope.spawn(|| send_with_key(&ada).expect(500));
            while !sent.is_finished() && beats(&mut db) == 0 {
                server.advance(TimeDelta::seconds(11));
            }
        });
        assert!(beats(&mut db) > 0, "it was silent while it recalled 2000 rows");
    }
}
