use crate::harness::{Answer, Client, Server, on_both};
use chrono::TimeDelta;
use diesel::prelude::*;
use serde_json::{Value, json};
use traverse::schema::submissions;

/// What version 0.1.0 stores of what a submission caused. Later versions read it too.
const EFFECTS: &str = r#"{"first_solve":false,"became_first":false,"xp_awarded":5,
"revisions_completed":[{"id":1,"solve_id":1,"revision_number":1,"kind":"adaptive",
"state":"completed","scheduled_on":"2026-09-01","due_on":"2026-09-03","interval_days":2,
"ladder_step":null,"stability":2.3065,"difficulty":2.118103970459,"rating":"good",
"completed_on":"2026-09-04","created_at":"2026-09-01T12:00:00Z",
"updated_at":"2026-09-04T12:00:00Z"}],
"next_revisions":[{"id":2,"solve_id":1,"revision_number":2,"kind":"adaptive","state":"pending",
"scheduled_on":"2026-09-04","due_on":"2026-09-15","interval_days":11,"ladder_step":null,
"stability":10.9,"difficulty":2.1,"rating":null,"completed_on":null,
"created_at":"2026-09-04T12:00:00Z","updated_at":"2026-09-04T12:00:00Z"}]}"#;

fn accepted(slug: &str) -> Value {
    json!({"problem": {"platform": "leetcode", "slug": slug}, "verdict": "accepted"})
}

fn submit(client: &Client, key: &str, body: &Value) -> Answer {
    client.post_with_key("/api/v1/submissions", key, body)
}

on_both! {
    fn a_submission_becomes_a_revision(server: Server) {
        let ada = server.register("ada");
        let made = submit(&ada, "k", &accepted("two-sum")).expect(201);
        assert_eq!(made.body["first_solve"], true);
        assert_eq!(made.body["xp_awarded"], 10);
        assert_eq!(made.body["next_revisions"][0]["kind"], "adaptive");
        assert_eq!(made.body["next_revisions"][0]["revision_number"], 1);
        assert_eq!(made.body["next_revisions"][0]["state"], "pending");
        let location = made.header("location").unwrap().to_owned();
        let again = submit(&ada, "k", &accepted("two-sum")).expect(200);
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.body, made.body);
        assert_eq!(ada.get(&location).expect(200).body, made.body);
    }

    fn a_key_names_one_request(server: Server) {
        let ada = server.register("ada");
        submit(&ada, "k", &accepted("two-sum")).expect(201);
        let other = submit(&ada, "k", &accepted("3sum")).expect(422);
        assert_eq!(other.code(), "idempotency-key-reused");
        let by_url = json!({"verdict": "accepted",
            "problem": {"url": "https://leetcode.com/problems/two-sum/description/"}});
        submit(&ada, "k", &by_url).expect(200);
        submit(&server.register("bob"), "k", &accepted("two-sum")).expect(201);
        ada.post("/api/v1/submissions", &accepted("two-sum")).expect(400);
    }

    fn a_deleted_submission_is_gone_and_stays_so(server: Server) {
        let ada = server.register("ada");
        let mut body = accepted("two-sum");
        body["external_id"] = json!("5");
        let made = submit(&ada, "k", &body).expect(201).body;
        let path = format!("/api/v1/submissions/{}", made["submission"]["id"]);
        ada.delete(&path).expect(204);
        ada.get(&path).expect(410);
        submit(&ada, "k", &body).expect(410);
        ada.post("/api/v1/submissions", &body).expect(410);
        assert_eq!(ada.get("/api/v1/submissions").expect(200).body["items"], json!([]));
        assert_eq!(ada.get("/api/v1/solves").expect(200).body["items"][0]["id"], made["solve"]["id"]);
    }

    fn a_pending_verdict_advances_once(server: Server) {
        let ada = server.register("ada");
        let mut body = accepted("two-sum");
        body["external_id"] = json!("5");
        body["verdict"] = json!("pending");
        let pending = ada.post("/api/v1/submissions", &body).expect(201).body;
        assert_eq!(pending["solve"], Value::Null);
        body["verdict"] = json!("accepted");
        let advanced = ada.post("/api/v1/submissions", &body).expect(200);
        assert_eq!(advanced.header("idempotency-replayed"), None);
        assert_eq!(advanced.body["first_solve"], true);
        let again = ada.post("/api/v1/submissions", &body).expect(200);
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.body, advanced.body);
    }

    /// The number names the submission, whatever problem the request names beside it.
    fn what_is_said_of_another_problem_is_not_said_of_this(server: Server) {
        let ada = server.register("ada");
        let pending = json!({"problem": {"platform": "leetcode", "slug": "two-sum"},
            "verdict": "pending", "external_id": "77"});
        ada.post("/api/v1/submissions", &pending).expect(201);
        let verdict = json!({"problem": {"platform": "leetcode", "slug": "3sum", "title": "3Sum",
            "difficulty": "hard", "tags": ["sorting"]},
            "verdict": "accepted", "external_id": "77"});
        let judged = ada.post("/api/v1/submissions", &verdict).expect(200).body;
        assert_eq!(judged["problem"]["slug"], "two-sum");
        assert_eq!(judged["xp_awarded"], 10);
        assert_eq!(judged["solve"]["title"], Value::Null);
        assert_eq!(judged["solve"]["difficulty"], Value::Null);
        assert_ne!(judged["solve"]["tags"], json!(["sorting"]));
    }

    fn a_verdict_brings_what_the_pending_submission_lacks(server: Server) {
        let ada = server.register("ada");
        let said = [
            (json!({}), json!({"notes": "two pointers", "source": "extension"})),
            (json!({"notes": "two pointers", "source": "extension"}), json!({})),
            (json!({"notes": "two pointers", "source": "extension"}),
                json!({"notes": "sort first", "source": "another"})),
        ];
        for (number, (before, after)) in said.iter().enumerate() {
            let body = |verdict: &str, more: &Value| {
                let mut body = accepted(&format!("problem-{number}"));
                body["external_id"] = json!(number.to_string());
                body["verdict"] = json!(verdict);
                body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                body
            };
            ada.post("/api/v1/submissions", &body("pending", before)).expect(201);
            let advanced = ada.post("/api/v1/submissions", &body("accepted", after)).expect(200);
            let advanced = &advanced.body["submission"];
            assert_eq!(advanced["notes"], "two pointers", "{number}");
            assert_eq!(advanced["source"], "extension", "{number}");
        }
    }

    fn what_a_submission_caused_is_read_as_it_was_stored(server: Server) {
        let ada = server.register("ada");
        let made = submit(&ada, "k", &accepted("two-sum")).expect(201).body;
        let id = made["submission"]["id"].as_i64().unwrap();
        let mut db = server.database.connect();
        let mut store = |text: &str| {
            diesel::update(submissions::table.find(id))
                .set(submissions::effects.eq(text))
                .execute(&mut db)
                .unwrap();
        };
        let path = format!("/api/v1/submissions/{id}");
        store(EFFECTS);
        let read = ada.get(&path).expect(200).body;
        assert_eq!((&read["first_solve"], &read["xp_awarded"]), (&json!(false), &json!(5)));
        assert_eq!(read["revisions_completed"][0]["state"], "completed");
        assert_eq!(read["revisions_completed"][0]["completed_on"], "2026-09-04");
        assert_eq!(read["next_revisions"][0]["revision_number"], 2);
        // What cannot be read is a fault of the server, not nothing.
        for text in ["", "{}", "null", r#"{"first_solve": true}"#] {
            store(text);
            assert_eq!(ada.get(&path).expect(500).code(), "internal", "{text:?}");
            submit(&ada, "k", &accepted("two-sum")).expect(500);
        }
    }

    fn what_triage_said_counts_when_the_verdict_comes(server: Server) {
        let ada = server.register("ada");
        for (number, said, expected) in [("5", json!({"rating": "again"}), "again"),
            ("6", json!({"dismiss": true}), "easy")] {
            let mut body = accepted(&format!("problem-{number}"));
            body["external_id"] = json!(number);
            body["verdict"] = json!("pending");
            let pending = ada.post("/api/v1/submissions", &body).expect(201).body;
            let path = format!("/api/v1/submissions/{}/triage", pending["submission"]["id"]);
            ada.post(&path, &said).expect(200);
            body["verdict"] = json!("accepted");
            body["rating"] = json!("easy");
            let solved = ada.post("/api/v1/submissions", &body).expect(200).body;
            assert_eq!(solved["solve"]["rating"], expected);
            assert_eq!(solved["submission"]["rating"], expected);
        }
    }

    fn a_submission_that_moves_nothing_is_no_review(server: Server) {
        let ada = server.register("ada");
        let first = submit(&ada, "1", &accepted("two-sum")).expect(201).body;
        submit(&ada, "2", &accepted("two-sum")).expect(201);
        let path = format!("/api/v1/solves/{}", first["solve"]["id"]);
        assert_eq!(ada.get(&path).expect(200).body["reviews"], json!([]));
    }

    fn a_late_arrival_takes_the_place_of_what_came_later(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"scheduler": "ladder"})).expect(200);
        let on = |day: &str| {
            let mut body = accepted("two-sum");
            body["happened_at"] = json!(format!("2026-08-{day}T10:00:00Z"));
            body
        };
        let first = submit(&ada, "1", &on("01")).expect(201).body;
        let later = submit(&ada, "2", &on("06")).expect(201).body;
        assert_eq!(later["xp_awarded"], 5);
        let late = submit(&ada, "3", &on("05")).expect(201).body;
        assert_eq!((&late["xp_awarded"], &late["revisions_completed"][0]["completed_on"]),
            (&json!(0), &json!("2026-08-05")));
        assert_eq!(late["next_revisions"][0]["due_on"], "2026-08-08");
        let entries = ada.get("/api/v1/xp/entries").expect(200).body;
        let reasons: Vec<_> = entries["items"].as_array().unwrap().iter()
            .map(|entry| entry["reason"].as_str().unwrap()).collect();
        assert_eq!(reasons, ["review", "review_replaced", "review", "first_solve"]);
        // Then the one of the 5th completes the second revision, three days after the 2nd.
        submit(&ada, "4", &on("02")).expect(201);
        let path = format!("/api/v1/solves/{}", first["solve"]["id"]);
        let days: Vec<_> = ada.get(&path).expect(200).body["reviews"].as_array().unwrap().iter()
            .map(|review| review["local_day"].clone()).collect();
        assert_eq!(days, ["2026-08-02", "2026-08-05"]);
        assert_eq!(ada.get("/api/v1/xp").expect(200).body["total"], 20);
    }

    fn two_sites_number_their_submissions_apart(server: Server) {
        let ada = server.register("ada");
        for site in ["leetcode.com", "leetcode.cn"] {
            let body = json!({"verdict": "accepted", "external_id": "5",
                "problem": {"url": format!("https://{site}/problems/two-sum/")}});
            ada.post("/api/v1/submissions", &body).expect(201);
        }
        let items = ada.get("/api/v1/submissions").expect(200).body["items"].clone();
        assert_eq!(items.as_array().unwrap().len(), 2);
        assert_eq!(items[0]["possible_duplicate_of"], items[1]["id"]);
    }

    fn a_due_revision_is_completed_by_solving_again(server: Server) {
        let ada = server.register("ada");
        let first = submit(&ada, "1", &accepted("two-sum")).expect(201).body;
        let early = submit(&ada, "2", &accepted("two-sum")).expect(201).body;
        assert_eq!(early["revisions_completed"], json!([]));
        assert_eq!(early["xp_awarded"], 0);
        server.advance(TimeDelta::days(3));
        let again = submit(&ada, "3", &accepted("two-sum")).expect(201).body;
        assert_eq!(again["revisions_completed"][0]["id"], first["next_revisions"][0]["id"]);
        assert_eq!(again["revisions_completed"][0]["state"], "completed");
        assert_eq!(again["next_revisions"][0]["revision_number"], 2);
        assert_eq!(again["xp_awarded"], 5);
        // With the closed rings of the first day.
        assert_eq!(ada.get("/api/v1/today").expect(200).body["xp"]["total"], 30);
        let solve = ada.get(&format!("/api/v1/solves/{}", again["solve"]["id"])).expect(200).body;
        assert_eq!(solve["reviews"][0]["submission_id"], again["submission"]["id"]);
    }

    fn a_late_arrival_counts_for_its_day(server: Server) {
        let ada = server.register("ada");
        submit(&ada, "1", &accepted("two-sum")).expect(201);
        let mut body = accepted("two-sum");
        body["happened_at"] = json!("2026-08-01T10:00:00Z");
        let late = submit(&ada, "2", &body).expect(201).body;
        assert_eq!(late["first_solve"], false);
        assert_eq!(late["solve"]["first_solved_at"], "2026-08-01T10:00:00Z");
        // The old first solve was after the first due date of the earlier one: it completes it.
        assert_eq!(late["revisions_completed"].as_array().unwrap().len(), 1);
        assert_eq!(late["next_revisions"][0]["revision_number"], 2);
        assert_eq!(late["next_revisions"][0]["scheduled_on"], "2026-09-01");
    }

    fn the_old_first_solve_is_rated_as_the_review_that_it_is_now(server: Server) {
        let ada = server.register("ada");
        let old = submit(&ada, "1", &accepted("two-sum")).expect(201).body;
        let mut body = accepted("two-sum");
        body["happened_at"] = json!("2026-08-01T10:00:00Z");
        submit(&ada, "2", &body).expect(201);
        let path = format!("/api/v1/submissions/{}/triage", old["submission"]["id"]);
        ada.post(&path, &json!({"rating": "again"})).expect(200);
        let solve = ada.get(&format!("/api/v1/solves/{}", old["solve"]["id"])).expect(200).body;
        assert_eq!(solve["rating"], "good");
        assert_eq!(solve["reviews"][0]["submission_id"], old["submission"]["id"]);
        assert_eq!(solve["reviews"][0]["rating"], "again");
        assert_eq!(solve["lapses"], 1);
    }

    fn triage_happens_once(server: Server) {
        let ada = server.register("ada");
        let made = submit(&ada, "1", &accepted("two-sum")).expect(201).body;
        let path = format!("/api/v1/submissions/{}/triage", made["submission"]["id"]);
        assert_eq!(ada.get("/api/v1/inbox").expect(200).body["items"].as_array().unwrap().len(), 1);
        let easy = json!({"rating": "easy"});
        ada.post(&path, &easy).expect(200);
        ada.post(&path, &easy).expect(200);
        assert_eq!(ada.post(&path, &json!({"dismiss": true})).expect(409).code(), "already-triaged");
        assert_eq!(ada.get("/api/v1/inbox").expect(200).body["items"], json!([]));
        let solve = ada.get(&format!("/api/v1/solves/{}", made["solve"]["id"])).expect(200).body;
        assert_eq!(solve["rating"], "easy");
        assert_ne!(solve["revisions"][0]["due_on"], made["next_revisions"][0]["due_on"]);
    }
}
