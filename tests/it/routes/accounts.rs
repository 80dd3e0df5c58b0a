use crate::harness::{Server, on_both};
use serde_json::json;

const PASSWORD: &str = "correct horse battery";

on_both! {
    fn who_registers_is_who_logs_in(server: Server) {
        server.register("ada");
        let login = json!({"email": "ADA@example.org", "password": PASSWORD});
        let answer = server.anonymous().post("/api/v1/auth/login", &login).expect(200);
        let ada = server.anonymous().with_token(answer.body["token"].as_str().unwrap());
        let me = ada.get("/api/v1/me").expect(200).body;
        assert_eq!(me["email"], "ada@example.org");
        assert_eq!(me["day_starts_at"], "04:00");
        assert_eq!(me["ladder_days"], json!([1, 3, 7, 14, 30, 60, 120]));
        ada.post("/api/v1/auth/logout", &json!({})).expect(204);
        ada.get("/api/v1/me").expect(401);
    }

    fn a_wrong_password_and_an_unknown_address_look_alike(server: Server) {
        server.register("ada");
        let login = |email: &str| {
            let body = json!({"email": email, "password": "wrong horse battery"});
            server.anonymous().post("/api/v1/auth/login", &body).expect(401).body
        };
        assert_eq!(login("ada@example.org"), login("nobody@example.org"));
    }

    fn a_token_is_shown_once_and_revoked_at_once(server: Server) {
        let ada = server.register("ada");
        let order = json!({"name": "extension", "scopes": ["submit"]});
        let made = ada.post_with_key("/api/v1/tokens", "k", &order).expect(201).body;
        let again = ada.post_with_key("/api/v1/tokens", "k", &order).expect(200);
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.body["id"], made["id"]);
        assert!(again.body.get("token").is_none());
        let other = json!({"name": "another", "scopes": ["submit"]});
        let reused = ada.post_with_key("/api/v1/tokens", "k", &other).expect(422);
        assert_eq!(reused.code(), "idempotency-key-reused");
        let extension = server.anonymous().with_token(made["token"].as_str().unwrap());
        extension.get("/api/v1/me").expect(403);
        ada.delete(&format!("/api/v1/tokens/{}", made["id"])).expect(204);
        extension.get("/api/v1/me").expect(401);
        ada.post_with_key("/api/v1/tokens", "k", &order).expect(410);
    }
}
