//! Broadcasts over HTTP.

use super::{live, told};
use crate::harness::people::add_users;
use crate::harness::{Server, on_both};
use chrono::TimeDelta;
use serde_json::{Value, json};

const PATH: &str = "/api/v1/admin/broadcasts";

fn ordered(audience: &Value) -> Value {
    json!({"title": " Down on Sunday ", "body": "From 8 to 9 UTC,\nfor a new disk.",
           "audience": audience})
}

on_both! {
    fn only_an_admin_broadcasts(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        bob.post(PATH, &ordered(&json!("all"))).expect(403);
        bob.get(PATH).expect(403);
        bob.get(&format!("{PATH}/1")).expect(403);
        server.anonymous().post(PATH, &ordered(&json!("all"))).expect(401);
        ada.get(&format!("{PATH}/1")).expect(404);
        let made = ada.post_with_key(PATH, "k", &ordered(&json!("all"))).expect(201).body;
        assert_eq!(made["title"], "Down on Sunday");
        assert_eq!((&made["status"], &made["audience"]), (&json!("queued"), &json!("all")));
        let again = ada.post_with_key(PATH, "k", &ordered(&json!("all"))).expect(200);
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.body, made);
        let other = ada.post_with_key(PATH, "k", &ordered(&json!({"active_days": 3}))).expect(422);
        assert_eq!(other.code(), "idempotency-key-reused");
        let listed = ada.get(PATH).expect(200).body;
        assert_eq!(listed["items"], json!([made]));
        let jobs = ada.get("/api/v1/admin/jobs?kind=broadcast-fanout").expect(200).body;
        assert_eq!(jobs["items"].as_array().unwrap().len(), 1, "one job, with the broadcast");
        assert_eq!(jobs["items"][0]["job_id"], format!("broadcast-fanout-{}", made["id"]));
    }

    fn wrong_values_are_named(server: Server) {
        let ada = server.register("ada");
        for (wrong, pointer) in [
            (json!({"title": "", "body": "b", "audience": "all"}), "/title"),
            (json!({"title": "a\u{0}", "body": "b", "audience": "all"}), "/title"),
            (json!({"title": "a", "body": "x".repeat(2001), "audience": "all"}), "/body"),
            (json!({"title": "a", "body": "b", "audience": {"active_days": 0}}),
             "/audience/active_days"),
        ] {
            let refused = ada.post(PATH, &wrong).expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{}", refused.body);
        }
        for audience in [json!("some"), json!({"active_days": "x"}), json!({}), json!(null)] {
            ada.post(PATH, &ordered(&audience)).expect(422);
        }
    }

    fn everybody_of_that_moment_is_told(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        add_users(&mut db, 1500);
        let made = ada.post(PATH, &ordered(&json!("all"))).expect(201).body;
        let late = server.register("late");
        live(&server, &mut db, 0);
        let id = made["id"].as_i64().unwrap();
        assert_eq!(told(&mut db, id), 1501);
        let shown = ada.get(&format!("{PATH}/{id}")).expect(200).body;
        assert_eq!((&shown["status"], &shown["progress"]["told"]), (&json!("completed"), &json!(1501)));
        assert!(shown["finished_at"].is_string());
        let list = |client: &crate::harness::Client| {
            client.get("/api/v1/notifications").expect(200).body["items"].clone()
        };
        assert_eq!(list(&ada)[0]["kind"], "broadcast");
        assert_eq!(list(&ada)[0]["title"], "Down on Sunday");
        assert_eq!(list(&late), json!([]));
    }

    fn the_active_are_told(server: Server) {
        for name in ["ada", "bob", "eve"] {
            server.register(name);
        }
        let submit = |client: &crate::harness::Client, verdict: &str| {
            let tried = json!({"problem": {"platform": "leetcode", "slug": "two-sum"},
                               "verdict": verdict});
            client.post_with_key("/api/v1/submissions", verdict, &tried).expect(201);
        };
        server.advance(TimeDelta::days(20));
        submit(&server.log_in("bob"), "wrong_answer");
        server.advance(TimeDelta::days(20));
        let ada = server.log_in("ada");
        let dan = server.register("dan");
        let made = ada.post(PATH, &ordered(&json!({"active_days": 30}))).expect(201).body;
        assert_eq!(made["audience"], json!({"active_days": 30}));
        // Who becomes active later is not of the audience.
        server.advance(TimeDelta::minutes(1));
        submit(&server.log_in("eve"), "accepted");
        let mut db = server.database.connect();
        live(&server, &mut db, 0);
        assert_eq!(told(&mut db, made["id"].as_i64().unwrap()), 2, "Bob and Dan");
        let kinds = |client: &crate::harness::Client| {
            client.get("/api/v1/notifications").expect(200).body["items"].as_array().unwrap().len()
        };
        let bob = server.log_in("bob");
        assert_eq!((kinds(&bob), kinds(&dan)), (1, 1));
    }
}
