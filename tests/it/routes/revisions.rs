use crate::harness::invariants::learners;
use crate::harness::seed::pending;
use crate::harness::{Client, Server, on_both};
use chrono::TimeDelta;
use diesel::prelude::*;
use serde_json::{Value, json};
use traverse::revisions::today::today;
use traverse::schema::reviews;

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
        // With the closed rings of the first day.
        assert_eq!(ada.get("/api/v1/today").expect(200).body["xp"]["total"], 30);
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

    fn a_postponement_sent_again_goes_no_further(server: Server) {
        let ada = server.register("ada");
        let first = solve(&ada, "two-sum")["next_revisions"][0].clone();
        let path = format!("/api/v1/revisions/{}/postpone", first["id"]);
        let body = json!({"days": 5, "from": first["due_on"]});
        let put_off = ada.post(&path, &body).expect(200).body;
        assert_ne!(put_off["due_on"], first["due_on"]);
        server.advance(TimeDelta::days(1));
        assert_eq!(ada.post(&path, &body).expect(200).body, put_off);
        let other = ada.post(&path, &json!({"days": 6, "from": first["due_on"]})).expect(409);
        assert_eq!((other.code(), &other.body["due_on"]), ("moved", &put_off["due_on"]));
        let further = json!({"days": 5, "from": put_off["due_on"]});
        assert_ne!(ada.post(&path, &further).expect(200).body["due_on"], put_off["due_on"]);
        let both = json!({"due_on": "2026-12-01", "from": put_off["due_on"]});
        ada.post(&path, &both).expect(422);
        let until = json!({"due_on": "2026-12-01"});
        let there = ada.post(&path, &until).expect(200).body;
        assert_eq!(ada.post(&path, &until).expect(200).body, there);
    }

    fn a_reset_sent_again_changes_nothing(server: Server) {
        let ada = server.register("ada");
        let solved = solve(&ada, "two-sum");
        server.advance(TimeDelta::days(1));
        let path = format!("/api/v1/solves/{}/reset", solved["solve"]["id"]);
        let reset = ada.post(&path, &json!({})).expect(200).body;
        assert_eq!(ada.post(&path, &json!({})).expect(200).body, reset);
        server.advance(TimeDelta::days(1));
        assert_ne!(ada.post(&path, &json!({})).expect(200).body, reset, "another day is another reset");
    }

    fn a_date_chosen_for_a_revision_does_not_move_the_next(server: Server) {
        let ada = server.register("ada");
        let first = solve(&ada, "two-sum")["next_revisions"][0].clone();
        server.advance(TimeDelta::days(2));
        let postpone = format!("/api/v1/revisions/{}/postpone", first["id"]);
        ada.post(&postpone, &json!({"due_on": "2027-06-01"})).expect(200);
        server.advance(TimeDelta::days(2));
        let complete = format!("/api/v1/revisions/{}/complete", first["id"]);
        let back = json!({"rating": "good", "completed_at": "2026-09-02T12:00:00Z"});
        let done = ada.post(&complete, &back).expect(200).body;
        assert!(done["next"]["due_on"].as_str().unwrap() < "2027", "{done}");
    }

    fn a_title_that_somebody_gives_touches_no_row_of_others(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        let first = solve(&ada, "two-sum")["next_revisions"][0].clone();
        server.advance(TimeDelta::hours(1));
        let since = server.now().format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let path = format!("/api/v1/revisions?updated_since={since}");
        assert_eq!(ada.get(&path).expect(200).body["items"], json!([]));
        let body = json!({"verdict": "accepted",
            "problem": {"platform": "leetcode", "slug": "two-sum", "title": "Two Sum"}});
        bob.post_with_key("/api/v1/submissions", "k", &body).expect(201);
        let shown = ada.get(&path).expect(200).body["items"][0].clone();
        assert_eq!(shown["problem"]["title"], "Two Sum");
        assert_eq!(shown["updated_at"], first["updated_at"]);
        let solves = format!("/api/v1/solves?updated_since={since}");
        assert_eq!(ada.get(&solves).expect(200).body["items"][0]["problem"]["title"], "Two Sum");
    }

    fn a_review_that_no_list_shows_is_not_corrected(server: Server) {
        let ada = server.register("ada");
        let made = solve(&ada, "two-sum");
        let body = json!({"verdict": "accepted",
            "problem": {"platform": "leetcode", "slug": "two-sum"}});
        ada.post_with_key("/api/v1/submissions", "idle", &body).expect(201);
        assert_eq!(history(&ada, &made)["reviews"], json!([]));
        let mut db = server.database.connect();
        let id: i64 = reviews::table.select(reviews::id).first(&mut db).unwrap();
        ada.patch(&format!("/api/v1/reviews/{id}"), &json!({"rating": "again"})).expect(404);
        let rating: String = reviews::table
            .select(diesel::dsl::sql::<diesel::sql_types::Text>("rating")).first(&mut db).unwrap();
        assert_eq!(rating, "good");
    }

    fn today_adds_up_what_is_of_the_day(server: Server) {
        let ada = server.register("ada");
        let xp = || ada.get("/api/v1/today").expect(200).body["xp"].clone();
        assert_eq!(xp(), json!({"total": 0, "today": 0}));
        solve(&ada, "two-sum");
        // Ten, and fifteen for the closed rings.
        assert_eq!(xp(), json!({"total": 25, "today": 25}));
        server.advance(TimeDelta::days(1));
        assert_eq!(xp(), json!({"total": 25, "today": 0}));
        solve(&ada, "3sum");
        assert_eq!(xp(), json!({"total": 50, "today": 25}));
    }

    fn today_says_how_much_it_does_not_list(server: Server) {
        let ada = server.register("ada");
        let user_id = ada.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        let mut db = server.database.connect();
        for (slug, due_on) in [("a", "2026-08-30"), ("b", "2026-08-31"), ("c", "2026-09-01")] {
            pending(&mut db, user_id, slug, due_on);
        }
        let learner = learners(&mut db).remove(&user_id).unwrap();
        let mut look = |most| today(&mut db, &learner, most, server.app.clock.now()).unwrap();
        let shown = look(2);
        assert_eq!((shown.due.len(), shown.due_count, shown.overdue), (2, 3, 2));
        assert!(shown.truncated);
        let shown = look(3);
        assert_eq!((shown.due.len(), shown.due_count, shown.truncated), (3, 3, false));
        let body = ada.get("/api/v1/today").expect(200).body;
        assert_eq!((&body["due_count"], &body["overdue"]), (&json!(3), &json!(2)));
        assert_eq!(body["truncated"], false);
    }

    fn planning_again_goes_on_after_a_solve(server: Server) {
        let ada = server.register("ada");
        let solved = [solve(&ada, "two-sum"), solve(&ada, "3sum")];
        ada.patch("/api/v1/me", &json!({"maximum_interval": 1})).expect(200);
        let body = json!({"preview": true, "after": solved[0]["solve"]["id"]});
        let planned = ada.post("/api/v1/revisions/reschedule", &body).expect(200).body;
        assert_eq!(planned["changes"].as_array().unwrap().len(), 1);
        assert_eq!(planned["changes"][0]["solve_id"], solved[1]["solve"]["id"]);
        assert_eq!(planned["next_after"], Value::Null);
    }
}
