use crate::harness::{Server, on_both};
use chrono::TimeDelta;
use serde_json::json;

on_both! {
    fn a_session_lasts_thirty_days_after_its_last_use(server: Server) {
        let (used, unused) = (server.register("ada"), server.log_in("ada"));
        for _ in 0..3 {
            server.advance(TimeDelta::days(29));
            used.get("/api/v1/me").expect(200);
        }
        unused.get("/api/v1/me").expect(401);
        server.advance(TimeDelta::days(30));
        used.get("/api/v1/me").expect(401);
    }

    fn a_session_that_is_used_at_once_writes_nothing(server: Server) {
        let ada = server.register("ada");
        let version = || -> String {
            use diesel::prelude::*;
            use traverse::schema::tokens::dsl::{expires_at, tokens};
            let mut db = server.database.connect();
            let end: Option<traverse::db::instant::At> =
                tokens.select(expires_at).first(&mut db).unwrap();
            end.unwrap().to_rfc3339()
        };
        let before = version();
        server.advance(TimeDelta::hours(23));
        ada.get("/api/v1/me").expect(200);
        assert_eq!(version(), before);
        server.advance(TimeDelta::hours(2));
        ada.get("/api/v1/me").expect(200);
        assert!(version() > before);
    }

    fn logging_out_ends_this_session_only(server: Server) {
        let (ada, other) = (server.register("ada"), server.log_in("ada"));
        ada.post("/api/v1/auth/logout", &json!({})).expect(204);
        ada.get("/api/v1/me").expect(401);
        other.get("/api/v1/me").expect(200);
    }

    fn what_one_process_ends_no_other_accepts(server: Server) {
        let second = server.another();
        let ada = server.register("ada");
        let order = json!({"name": "cli", "scopes": ["read"]});
        let made = ada.post("/api/v1/tokens", &order).expect(201).body;
        let program = second.anonymous().with_token(made["token"].as_str().unwrap());
        let ada_there = ada.at(&second.url);
        program.get("/api/v1/me").expect(200);
        ada_there.get("/api/v1/me").expect(200);
        ada.delete(&format!("/api/v1/tokens/{}", made["id"])).expect(204);
        program.get("/api/v1/me").expect(401);
        ada.post("/api/v1/auth/logout", &json!({})).expect(204);
        ada_there.get("/api/v1/me").expect(401);
    }
}
