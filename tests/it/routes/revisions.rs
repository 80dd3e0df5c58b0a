use crate::harness::{Client, Server, on_both};
use chrono::TimeDelta;
use serde_json::{Value, json};

fn solve(client: &Client, slug: &str) -> Value {
    let body = json!({"problem": {"platform": "leetcode", "slug": slug}, "verdict": "accepted"});
    client.post_with_key("/api/v1/submissions", slug, &body).expect(201).body
}

fn history(client: &Client, solve: &Value) -> Value {
    client.get(&format!("/api/v1/solves/{}", solve["solve"]["id"])).expect(200).body
}

on_both! {
    fn a_revision_is_completed_once(server: Server) {
        let ada = server.register("ada");
        let id = solve(&ada, "two-sum")["next_revisions"][0]["id"].clone();
        server.advance(TimeDelta::days(2));
        let path = format!("/api/v1/revisions/{id}/complete");
        let done = ada.post(&path, &json!({"rating": "good"})).expect(200).body;
        assert_eq!(done["revision"]["state"], "completed");
        assert_eq!(done["next"]["revision_number"], 2);
        assert_eq!(done["xp_awarded"], 5);
        assert_eq!(ada.post(&path, &json!({"rating": "good"})).expect(200).body, done);
        let other = ada.post(&path, &json!({"rating": "hard"})).expect(409);
        assert_eq!(other.code(), "already-completed");
        let next = format!("/api/v1/revisions/{}/complete", done["next"]["id"]);
        let same_day = ada.post(&next, &json!({"rating": "good"})).expect(409);
        assert_eq!(same_day.code(), "already-reviewed-today");
        assert_eq!(ada.get(&format!("/api/v1/solves/{}", done["revision"]["solve_id"])).body
            ["revisions"][1]["state"], "pending");
    }

    fn an_undo_restores_the_due_date_under_the_next_number(server: Server) {
        let ada = server.register("ada");
        let solved = solve(&ada, "two-sum");
        let first = solved["next_revisions"][0].clone();
        server.advance(TimeDelta::days(2));
        let complete = format!("/api/v1/revisions/{}/complete", first["id"]);
        ada.post(&complete, &json!({"rating": "good"})).expect(200);
        let undo = format!("/api/v1/revisions/{}/undo", first["id"]);
        let undone = ada.post(&undo, &json!({})).expect(200).body;
        assert_eq!(undone["revision"]["state"], "undone");
        assert_eq!(undone["next"]["revision_number"], 3);
        for field in ["due_on", "scheduled_on", "interval_days", "stability", "difficulty"] {
            assert_eq!(undone["next"][field], first[field], "{field}");
        }
        assert_eq!(undone["xp_awarded"], -5);
        ada.post(&undo, &json!({})).expect(200);
        assert_eq!(ada.post(&complete, &json!({"rating": "good"})).expect(409).code(), "wrong-state");
        let states: Vec<_> = history(&ada, &solved)["revisions"]
            .as_array().unwrap().iter().map(|revision| revision["state"].clone()).collect();
        assert_eq!(states, ["undone", "withdrawn", "pending"]);
        let again = format!("/api/v1/revisions/{}/complete", undone["next"]["id"]);
        ada.post(&again, &json!({"rating": "good"})).expect(200);
        assert_eq!(ada.get("/api/v1/today").expect(200).body["xp"]["total"], 15);
    }

    fn an_undo_keeps_the_date_chosen_after_the_review_happened(server: Server) {
        let ada = server.register("ada");
        let first = solve(&ada, "two-sum")["next_revisions"][0].clone();
        server.advance(TimeDelta::days(2));
        let path = |id: &Value, verb: &str| format!("/api/v1/revisions/{id}/{verb}");
        let until = json!({"due_on": "2026-09-20"});
        ada.post(&path(&first["id"], "postpone"), &until).expect(200);
        // Done a day ago, which is before it was put off.
        let done = json!({"rating": "good", "completed_at": "2026-09-02T12:00:00Z"});
        ada.post(&path(&first["id"], "complete"), &done).expect(200);
        let undone = ada.post(&path(&first["id"], "undo"), &json!({})).expect(200).body;
        assert_eq!(undone["next"]["due_on"], "2026-09-20");
        // What is done to the step that a review has made goes with it.
        ada.post(&path(&undone["next"]["id"], "complete"), &json!({"rating": "good"})).expect(200);
        let made = history(&ada, &json!({"solve": {"id": first["solve_id"]}}))["revisions"]
            .as_array().unwrap().last().unwrap().clone();
        ada.post(&path(&made["id"], "postpone"), &json!({"days": 300})).expect(200);
        let undone = ada.post(&path(&undone["next"]["id"], "undo"), &json!({})).expect(200).body;
        assert_eq!(undone["next"]["due_on"], "2026-09-20");
    }

    fn what_is_postponed_skipped_suspended_and_reset(server: Server) {
        let ada = server.register("ada");
        let solved = solve(&ada, "two-sum");
        let first = solved["next_revisions"][0].clone();
        let path = |id: &Value, what: &str| format!("/api/v1/revisions/{id}/{what}");
        let postponed = ada.post(&path(&first["id"], "postpone"), &json!({"days": 5})).expect(200);
        assert_ne!(postponed.body["due_on"], first["due_on"]);
        let earlier = json!({"due_on": first["due_on"]});
        ada.post(&path(&first["id"], "postpone"), &earlier).expect(422);
        let skipped = ada.post(&path(&first["id"], "skip"), &json!({})).expect(200).body;
        assert_eq!(skipped["revision"]["state"], "skipped");
        assert_eq!(skipped["next"]["revision_number"], 2);
        assert_eq!(ada.post(&path(&first["id"], "skip"), &json!({})).expect(200).body, skipped);
        let of_solve = |what: &str| format!("/api/v1/solves/{}/{what}", solved["solve"]["id"]);
        let suspended = ada.post(&of_solve("suspend"), &json!({})).expect(200).body;
        assert_eq!(suspended["revisions"][0]["state"], "suspended");
        server.advance(TimeDelta::days(20));
        assert_eq!(ada.get("/api/v1/today").expect(200).body["due"], json!([]));
        let resumed = ada.post(&of_solve("resume"), &json!({})).expect(200).body;
        assert_eq!(resumed["revisions"][0]["due_on"], skipped["next"]["due_on"]);
        assert_eq!(ada.get("/api/v1/today").expect(200).body["overdue"], 1);
        let reset = ada.post(&of_solve("reset"), &json!({})).expect(200).body;
        assert_eq!(reset["revisions"][0]["revision_number"], 3);
        assert_eq!(reset["revisions"][0]["stability"], first["stability"]);
    }

    fn both_schedules_run_side_by_side(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"scheduler": "both"})).expect(200);
        let solved = solve(&ada, "two-sum");
        assert_eq!(solved["next_revisions"].as_array().unwrap().len(), 2);
        server.advance(TimeDelta::days(3));
        let body = json!({"problem": {"platform": "leetcode", "slug": "two-sum"},
                          "verdict": "accepted"});
        let again = ada.post_with_key("/api/v1/submissions", "again", &body).expect(201).body;
        assert_eq!(again["revisions_completed"].as_array().unwrap().len(), 2);
        assert_eq!(again["xp_awarded"], 10);
    }

    fn an_adaptive_schedule_is_started_once(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"scheduler": "ladder"})).expect(200);
        let solved = solve(&ada, "two-sum");
        assert_eq!(solved["next_revisions"][0]["kind"], "ladder");
        let path = format!("/api/v1/solves/{}/adaptive", solved["solve"]["id"]);
        let started = ada.post(&path, &json!({})).expect(201).body;
        assert_eq!(started["revision_number"], 1);
        assert_eq!(ada.post(&path, &json!({})).expect(200).body, started);
    }

    fn rescheduling_shows_first_what_it_does(server: Server) {
        let ada = server.register("ada");
        for slug in ["two-sum", "3sum", "4sum"] {
            solve(&ada, slug);
        }
        ada.patch("/api/v1/me", &json!({"desired_retention": 0.75})).expect(200);
        let preview = ada.post("/api/v1/revisions/reschedule", &json!({"preview": true}))
            .expect(200).body;
        assert_eq!(preview["changes"].as_array().unwrap().len(), 3);
        let done = ada.post("/api/v1/revisions/reschedule", &json!({"preview": false}))
            .expect(200).body;
        assert_eq!(done["changes"], preview["changes"]);
        let pending = ada.get("/api/v1/revisions?state=pending").expect(200).body;
        for change in done["changes"].as_array().unwrap() {
            let now = pending["items"].as_array().unwrap().iter()
                .find(|item| item["id"] == change["revision_id"]).unwrap();
            assert_eq!(now["due_on"], change["new_due_on"]);
        }
        let again = ada.post("/api/v1/revisions/reschedule", &json!({"preview": true})).body;
        assert_eq!(again["changes"], json!([]));
    }
}
