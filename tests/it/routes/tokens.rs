use crate::harness::{Client, Server, on_both};
use chrono::TimeDelta;
use serde_json::{Value, json};

fn make(maker: &Client, order: &Value) -> Client {
    let made = maker.post("/api/v1/tokens", order).expect(201).body;
    maker.with_token(made["token"].as_str().unwrap())
}

on_both! {
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
        ada.delete(&format!("/api/v1/tokens/{}", made["id"])).expect(404);
        ada.post_with_key("/api/v1/tokens", "k", &order).expect(410);
    }

    fn the_secret_is_stored_nowhere(server: Server) {
        use diesel::prelude::*;
        use traverse::schema::tokens::dsl::{token_hash, tokens};
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let stored: Vec<String> = tokens.select(token_hash).load(&mut db).unwrap();
        assert_eq!(stored.len(), 1);
        assert!(!stored[0].contains(ada.token.as_deref().unwrap()));
    }

    fn a_token_allows_what_its_scopes_say(server: Server) {
        let ada = server.register("ada");
        let patch = json!({"daily_cap": 10});
        for (scope, reads, writes) in
            [("read", 200, 403), ("write", 403, 200), ("submit", 403, 403), ("admin", 403, 403)]
        {
            let token = make(&ada, &json!({"name": scope, "scopes": [scope]}));
            let (read, write) = (token.get("/api/v1/me"), token.patch("/api/v1/me", &patch));
            assert_eq!((read.status, write.status), (reads, writes), "{scope}");
        }
    }

    fn a_token_never_exceeds_its_maker(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        let order = json!({"name": "all", "scopes": ["admin"]});
        bob.post("/api/v1/tokens", &order).expect(403);
        let reader = make(&ada, &json!({"name": "r", "scopes": ["read", "write"]}));
        reader.post("/api/v1/tokens", &json!({"name": "x", "scopes": ["read"]})).expect(403);
        let end = (server.now() + TimeDelta::days(2)).to_rfc3339();
        let limited = json!({"name": "l", "scopes": ["read", "admin"], "expires_at": end});
        let limited = make(&ada, &limited);
        limited.post("/api/v1/tokens", &json!({"name": "x", "scopes": ["write"]})).expect(403);
        let later = (server.now() + TimeDelta::days(3)).to_rfc3339();
        let order = json!({"name": "x", "scopes": ["read"], "expires_at": later});
        limited.post("/api/v1/tokens", &order).expect(403);
        let child = make(&limited, &json!({"name": "x", "scopes": ["read"]}));
        child.get("/api/v1/me").expect(200);
        server.advance(TimeDelta::days(2));
        child.get("/api/v1/me").expect(401);
    }

    fn a_token_ends_when_it_says(server: Server) {
        let ada = server.register("ada");
        let end = |after: TimeDelta| (server.now() + after).to_rfc3339();
        let order = |end: Value| json!({"name": "x", "scopes": ["read"], "expires_at": end});
        let past = ada.post("/api/v1/tokens", &order(json!(end(TimeDelta::zero())))).expect(422);
        assert_eq!(past.body["errors"][0]["pointer"], "/expires_at");
        let strange = order(json!("+20000-01-01T00:00:00Z"));
        ada.post("/api/v1/tokens", &strange).expect(422);
        let hour = make(&ada, &order(json!(end(TimeDelta::hours(1)))));
        let never = make(&ada, &order(Value::Null));
        server.advance(TimeDelta::minutes(59));
        hour.get("/api/v1/me").expect(200);
        server.advance(TimeDelta::minutes(1));
        hour.get("/api/v1/me").expect(401);
        server.advance(TimeDelta::days(29));
        never.get("/api/v1/me").expect(200);
        assert!(ada.get("/api/v1/tokens").expect(200).body["items"].as_array().unwrap().len() == 2);
    }

    fn each_sees_and_revokes_their_own(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        let order = json!({"name": "x", "scopes": ["read"]});
        let made = ada.post("/api/v1/tokens", &order).expect(201).body;
        assert_eq!(bob.get("/api/v1/tokens").body["items"], json!([]));
        bob.delete(&format!("/api/v1/tokens/{}", made["id"])).expect(404);
        let listed = ada.get("/api/v1/tokens").expect(200).body;
        assert_eq!(listed["items"].as_array().unwrap().len(), 1);
        assert!(listed["items"][0].get("token").is_none());
        for nonsense in ["0", "-1", "99999999999999999999", "x", "%FF", "%zz"] {
            ada.delete(&format!("/api/v1/tokens/{nonsense}")).expect(404);
        }
    }

    fn the_list_goes_page_by_page(server: Server) {
        let ada = server.register("ada");
        for number in 0..5 {
            make(&ada, &json!({"name": format!("t{number}"), "scopes": ["read"]}));
        }
        let mut names = Vec::new();
        let mut path = "/api/v1/tokens?limit=2".to_owned();
        loop {
            let page = ada.get(&path).expect(200).body;
            let items = page["items"].as_array().unwrap().clone();
            assert!(items.len() <= 2);
            names.extend(items.iter().map(|item| item["name"].as_str().unwrap().to_owned()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("/api/v1/tokens?limit=2&cursor={cursor}");
        }
        assert_eq!(names, ["t4", "t3", "t2", "t1", "t0"]);
        for refused in ["limit=0", "limit=201", "limit=x", "limit=-1", "cursor=x", "limit=1&limit=2"]
        {
            ada.get(&format!("/api/v1/tokens?{refused}")).expect(422);
        }
        ada.get("/api/v1/tokens?unknown=1").expect(200);
    }

    fn an_order_is_checked(server: Server) {
        let ada = server.register("ada");
        let refused = |order: Value| ada.post("/api/v1/tokens", &order).expect(422);
        refused(json!({"name": "", "scopes": ["read"]}));
        refused(json!({"name": "x".repeat(101), "scopes": ["read"]}));
        refused(json!({"name": "a\nb", "scopes": ["read"]}));
        refused(json!({"name": "x", "scopes": []}));
        refused(json!({"name": "x", "scopes": ["all"]}));
        refused(json!({"name": "x", "scopes": ["read"], "more": 1}));
        for key in ["", "a b", &"k".repeat(256)] {
            let order = json!({"name": "x", "scopes": ["read"]});
            ada.post_with_key("/api/v1/tokens", key, &order).expect(400);
        }
    }
}
