//! An `Idempotency-Key` names one import for ever.

use super::upload::{all, counts, solved};
use crate::harness::{Answer, Client, Server, on_both};
use diesel::prelude::*;
use reqwest::Method;
use serde_json::json;
use traverse::import::guards::finish_import;
use traverse::import::model::Status;
use traverse::schema::imports;

fn send(client: &Client, key: &str, query: &str, slug: &str) -> Answer {
    let body = json!([solved(slug, "2024-01-01T10:00:00Z")]).to_string();
    let request = client
        .request(Method::POST, &format!("/api/v1/imports{query}"))
        .header("content-type", "application/json")
        .header("idempotency-key", key);
    Answer::of(request.body(body))
}

on_both! {
    fn the_same_again_is_answered_the_same(server: Server) {
        let ada = server.register("ada");
        let made = send(&ada, "k", "", "two-sum").expect(201);
        let again = send(&ada, "k", "", "two-sum").expect(200);
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.body, made.body);
        assert_eq!(send(&ada, "k", "", "3sum").expect(422).code(), "idempotency-key-reused");
        let parameters = send(&ada, "k", "?time_zone=Asia/Tokyo", "two-sum").expect(422);
        assert_eq!(parameters.code(), "idempotency-key-reused");
        send(&server.register("bob"), "k", "", "two-sum").expect(201);
        assert_eq!(all(&ada, "/api/v1/imports").len(), 1);
        // Without a key, or with another, it is an import of its own.
        let other = send(&ada, "l", "", "two-sum").expect(201).body;
        assert_eq!(counts(&other), [1, 0, 1, 0, 0, 0, 0]);
    }

    fn a_dry_run_and_a_refusal_do_not_use_it_up(server: Server) {
        let ada = server.register("ada");
        send(&ada, "k", "?dry_run=true", "two-sum").expect(200);
        send(&ada, "k", "?format=csv", "two-sum").expect(422);
        send(&ada, "k", "", "two-sum").expect(201);
    }

    fn one_of_many_at_once_imports(server: Server) {
        let ada = server.register("ada");
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| send(&ada, "k", "", "two-sum").status)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 7, "{statuses:?}");
        assert_eq!(all(&ada, "/api/v1/imports").len(), 1);
        assert_eq!(all(&ada, "/api/v1/solves").len(), 1);
    }

    fn one_that_failed_begins_again(server: Server) {
        let ada = server.register("ada");
        let id = send(&ada, "k", "", "two-sum").expect(201).body["id"].as_i64().unwrap();
        let mut db = server.database.connect();
        // As if it had broken off behind its only batch.
        diesel::update(imports::table.find(id))
            .set(imports::status.eq(Status::Running))
            .execute(&mut db)
            .unwrap();
        finish_import(&mut db, id, 1, Status::Failed, None, server.app.clock.now()).unwrap().unwrap();
        assert_eq!(ada.get(&format!("/api/v1/imports/{id}")).expect(200).body["status"], "failed");
        let again = send(&ada, "k", "", "two-sum").expect(201).body;
        assert_eq!(again["id"], id);
        assert_eq!(again["status"], "completed");
        assert_eq!(counts(&again), [1, 1, 0, 0, 0, 0, 0]);
        assert_eq!(all(&ada, "/api/v1/solves").len(), 1);
        assert_eq!(all(&ada, "/api/v1/submissions").len(), 1);
    }
}
