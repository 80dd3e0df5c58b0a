//! Rings, the streak and its freezes.

use crate::harness::invariants::assert_hold;
use crate::harness::{Answer, Client, Server, on_both};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use serde_json::{Value, json};
use traverse::schema::notifications;

const SUBMISSIONS: &str = "/api/v1/submissions";

fn accepted(slug: &str, at: Option<DateTime<Utc>>) -> Value {
    let mut body =
        json!({"problem": {"platform": "leetcode", "slug": slug}, "verdict": "accepted"});
    if let Some(at) = at {
        body["happened_at"] = json!(at);
    }
    body
}

/// A submission under a key of its own.
pub fn solve(client: &Client, slug: &str, at: Option<DateTime<Utc>>) -> Value {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let key = format!("{slug}-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    client.post_with_key(SUBMISSIONS, &key, &accepted(slug, at)).expect(201).body
}

pub fn rings(client: &Client, day: &str) -> Value {
    client.get(&format!("/api/v1/rings/{day}")).expect(200).body
}

fn progress(client: &Client, day: &str) -> (i64, i64) {
    let progress = rings(client, day)["progress"].clone();
    (progress["solves"].as_i64().unwrap(), progress["revisions"].as_i64().unwrap())
}

fn goals(client: &Client, day: &str) -> (i64, i64) {
    let goals = rings(client, day)["goals"].clone();
    (goals["solves"].as_i64().unwrap(), goals["revisions"].as_i64().unwrap())
}

fn is_closed(client: &Client, day: &str) -> bool {
    !rings(client, day)["closed_at"].is_null()
}

/// The current streak, and the longest.
pub fn streak(client: &Client) -> (i64, i64) {
    let streak = client.get("/api/v1/streak").expect(200).body;
    (streak["current"].as_i64().unwrap(), streak["longest"].as_i64().unwrap())
}

fn set_goal(client: &Client, solves: i64, revisions: i64) {
    let goal = json!({"daily_goal": {"solves": solves, "revisions": revisions}});
    client.patch("/api/v1/me", &goal).expect(200);
}

fn complete(client: &Client, revision: &Value) -> Answer {
    let path = format!("/api/v1/revisions/{}/complete", revision["id"]);
    client.post(&path, &json!({"rating": "good"}))
}

/// How often a user was told, and got XP, for closed rings.
fn closings(server: &Server, client: &Client) -> (usize, usize) {
    let told: Vec<String> = notifications::table
        .filter(notifications::kind.eq("rings-closed"))
        .select(notifications::dedup_key)
        .load(&mut server.database.connect())
        .unwrap();
    let entries = client.get("/api/v1/xp/entries?limit=200").expect(200).body["items"].clone();
    let awarded = entries.as_array().unwrap().iter();
    (told.len(), awarded.filter(|entry| entry["reason"] == "ring_closed").count())
}

on_both! {
    fn what_the_day_wants_closes_it_once(server: Server) {
        let ada = server.register("ada");
        let today = rings(&ada, "today");
        assert_eq!(today, json!({
            "day": "2026-09-01", "goals": {"solves": 1, "revisions": 0},
            "progress": {"solves": 0, "revisions": 0}, "closed_at": null,
            "frozen": false, "paused": false,
        }));
        assert_eq!(ada.get("/api/v1/rings").expect(200).body["items"], json!([]));
        let made = solve(&ada, "two-sum", None);
        // What the submission itself brought; the closed rings are an entry of their own.
        assert_eq!(made["xp_awarded"], 10);
        let closed = rings(&ada, "2026-09-01");
        assert_eq!(closed["progress"], json!({"solves": 1, "revisions": 0}));
        assert_eq!(closed["closed_at"], "2026-09-01T12:00:00Z");
        let ring = ada.get("/api/v1/today").expect(200).body;
        assert_eq!((&ring["ring"], &ring["xp"]["total"]), (&closed, &json!(25)));
        assert_eq!(ring["streak"]["current"], 1);
        assert_eq!(ring["streak"]["closed_today"], true);
        solve(&ada, "3sum", None);
        assert_eq!(progress(&ada, "today"), (2, 0));
        assert_eq!(rings(&ada, "today")["closed_at"], closed["closed_at"]);
        assert_eq!(closings(&server, &ada), (1, 1));
        let list = ada.get("/api/v1/rings?from=2026-08-01&to=2026-09-30").expect(200).body;
        assert_eq!(list["items"].as_array().unwrap().len(), 1);
        assert_hold(&mut server.database.connect());
    }

    fn a_day_keeps_its_goals(server: Server) {
        let ada = server.register("ada");
        set_goal(&ada, 2, 3);
        solve(&ada, "two-sum", None);
        assert_eq!(goals(&ada, "today"), (2, 0));
        set_goal(&ada, 1, 0);
        assert!(!is_closed(&ada, "today"));
        assert_eq!(goals(&ada, "today"), (2, 0));
        solve(&ada, "3sum", None);
        assert!(is_closed(&ada, "today"));
        server.advance(TimeDelta::days(1));
        assert_eq!(goals(&ada, "today"), (1, 0));
        // Whoever wants revisions only, and has none due, has a problem to solve.
        set_goal(&ada, 0, 3);
        assert_eq!(goals(&ada, "today"), (1, 0));
        solve(&ada, "4sum", None);
        assert!(is_closed(&ada, "today"));
        server.advance(TimeDelta::days(2));
        // By now three are due, and the first of them begins the day.
        assert_eq!(goals(&ada, "today"), (0, 3));
        let due = ada.get("/api/v1/today").expect(200).body["due"].clone();
        complete(&ada, &due[0]).expect(200);
        assert_eq!((goals(&ada, "today"), progress(&ada, "today")), ((0, 3), (0, 1)));
    }

    fn a_problem_counts_once_a_day_and_a_revision_is_no_solve(server: Server) {
        let ada = server.register("ada");
        set_goal(&ada, 5, 0);
        solve(&ada, "two-sum", None);
        // Again, and under a number of its own, and a replay of that.
        solve(&ada, "two-sum", None);
        let mut numbered = accepted("two-sum", None);
        numbered["external_id"] = json!("7");
        ada.post(SUBMISSIONS, &numbered).expect(201);
        ada.post(SUBMISSIONS, &numbered).expect(200);
        assert_eq!(progress(&ada, "today"), (1, 0));
        // What is not accepted is no solve; once it is, it counts for when it was handed in.
        let mut pending = accepted("3sum", None);
        pending["external_id"] = json!("8");
        pending["verdict"] = json!("pending");
        ada.post(SUBMISSIONS, &pending).expect(201);
        assert_eq!(progress(&ada, "today"), (1, 0));
        server.advance(TimeDelta::days(1));
        pending["verdict"] = json!("accepted");
        ada.post(SUBMISSIONS, &pending).expect(200);
        assert_eq!((progress(&ada, "2026-09-01"), progress(&ada, "today")), ((2, 0), (0, 0)));
        // Not due yet: one more problem of this day. By hand after that: a revision, early.
        let again = solve(&ada, "two-sum", None);
        assert_eq!(again["revisions_completed"], json!([]));
        assert_eq!(progress(&ada, "today"), (1, 0));
        server.advance(TimeDelta::days(5));
        let due = solve(&ada, "two-sum", None);
        assert_eq!(due["revisions_completed"].as_array().unwrap().len(), 1);
        assert_eq!(progress(&ada, "today"), (0, 1));
        solve(&ada, "two-sum", None);
        assert_eq!(progress(&ada, "today"), (0, 1));
        // Deleted and solved again on one day, it is no further problem.
        solve(&ada, "4sum", None);
        let solved = solve(&ada, "4sum", None)["solve"]["id"].clone();
        ada.delete(&format!("/api/v1/solves/{solved}")).expect(204);
        assert_eq!(solve(&ada, "4sum", None)["first_solve"], true);
        assert_eq!(progress(&ada, "today"), (1, 1));
    }

    fn a_closed_day_stays_closed_after_an_undo(server: Server) {
        let ada = server.register("ada");
        set_goal(&ada, 0, 1);
        let first = solve(&ada, "two-sum", None)["next_revisions"][0].clone();
        server.advance(TimeDelta::days(4));
        complete(&ada, &first).expect(200);
        complete(&ada, &first).expect(200);
        assert_eq!((progress(&ada, "today"), goals(&ada, "today")), ((0, 1), (0, 1)));
        let closed = rings(&ada, "today")["closed_at"].clone();
        assert!(!closed.is_null());
        let undo = format!("/api/v1/revisions/{}/undo", first["id"]);
        let undone = ada.post(&undo, &json!({})).expect(200).body;
        ada.post(&undo, &json!({})).expect(200);
        assert_eq!(progress(&ada, "today"), (0, 0));
        assert_eq!(rings(&ada, "today")["closed_at"], closed);
        complete(&ada, &undone["next"]).expect(200);
        assert_eq!(progress(&ada, "today"), (0, 1));
        assert_eq!(closings(&server, &ada), (2, 2), "of two days");
        assert_hold(&mut server.database.connect());
    }

    fn what_is_late_counts_for_its_day_for_a_week(server: Server) {
        let ada = server.register("ada");
        let ago = |days: i64| Some(server.now() - TimeDelta::days(days));
        solve(&ada, "a", ago(0));
        solve(&ada, "b", ago(2));
        assert_eq!(streak(&ada), (1, 1));
        solve(&ada, "c", ago(1));
        assert_eq!(streak(&ada), (3, 3));
        solve(&ada, "d", ago(7));
        solve(&ada, "e", ago(8));
        assert!(is_closed(&ada, "2026-08-25") && !is_closed(&ada, "2026-08-24"));
        assert_eq!(progress(&ada, "2026-08-24"), (0, 0));
        // By hand for yesterday, too.
        set_goal(&ada, 0, 1);
        server.advance(TimeDelta::days(5));
        let due = ada.get("/api/v1/today").expect(200).body["due"][0].clone();
        let yesterday = json!({"rating": "good", "completed_at": ago_of(&server, 1)});
        let path = format!("/api/v1/revisions/{}/complete", due["id"]);
        ada.post(&path, &yesterday).expect(200);
        assert!(is_closed(&ada, "2026-09-05") && !is_closed(&ada, "2026-09-06"));
        assert_eq!(closings(&server, &ada).0, 5);
        // A day is found by its own date.
        let list = ada.get("/api/v1/rings?from=2026-08-25&to=2026-09-01&limit=2").expect(200).body;
        let days = |list: &Value| -> Vec<Value> {
            list["items"].as_array().unwrap().iter().map(|ring| ring["day"].clone()).collect()
        };
        assert_eq!(days(&list), ["2026-08-25", "2026-08-30"]);
        let rest = format!(
            "/api/v1/rings?from=2026-08-25&to=2026-09-01&cursor={}",
            list["next_cursor"].as_str().unwrap()
        );
        assert_eq!(days(&ada.get(&rest).expect(200).body), ["2026-08-31", "2026-09-01"]);
    }

    fn an_import_touches_no_rings(server: Server) {
        let ada = server.register("ada");
        let rows = json!([accepted("two-sum", Some(server.now()))]).to_string();
        let request = ada.request(reqwest::Method::POST, "/api/v1/imports");
        let request = request.header("Content-Type", "application/json").body(rows);
        assert_eq!(Answer::of(request).expect(201).body["imported"], 1);
        assert_eq!((progress(&ada, "today"), streak(&ada)), ((0, 0), (0, 0)));
        assert_eq!(ada.get("/api/v1/xp").expect(200).body["total"], 10);
        // Handed in on that day all the same: it was done, and nothing has counted it.
        solve(&ada, "two-sum", None);
        assert_eq!((progress(&ada, "today"), streak(&ada)), ((1, 0), (1, 1)));
    }

    fn two_days_of_a_month_are_frozen(server: Server) {
        let ada = server.register("ada");
        let put = |day: &str| {
            Answer::of(ada.request(reqwest::Method::PUT, &format!("/api/v1/streak/freezes/{day}")))
        };
        solve(&ada, "a", None);
        assert_eq!(put("2026-09-01").expect(409).code(), "day-closed");
        let made = put("2026-09-02").expect(201);
        assert_eq!(made.body["day"], "2026-09-02");
        assert_eq!(put("2026-09-02").expect(200).body, made.body);
        put("2026-09-30").expect(201);
        assert_eq!(put("2026-09-03").expect(409).code(), "no-freeze-left");
        assert_eq!(put("2026-09-30").expect(200).status, 200);
        put("2026-10-01").expect(201);
        server.advance(TimeDelta::days(2));
        assert_eq!(streak(&ada), (2, 2));
        let shown = ada.get("/api/v1/streak").expect(200).body;
        assert_eq!(shown, json!({
            "day": "2026-09-03", "current": 2, "longest": 2, "since": "2026-09-01",
            "closed_today": false, "frozen_days": ["2026-09-02", "2026-09-30"], "freezes_left": 0,
        }));
        assert_eq!(rings(&ada, "2026-09-02")["frozen"], true);
        let path = |day: &str| format!("/api/v1/streak/freezes/{day}");
        ada.delete(&path("2026-09-30")).expect(204);
        ada.delete(&path("2026-09-30")).expect(204);
        put("today").expect(201);
        assert_eq!(streak(&ada), (3, 3));
        ada.delete(&path("2026-09-02")).expect(204);
        assert_eq!(streak(&ada), (0, 1));
        for far in ["2026-08-01", "2028-01-01"] {
            assert_eq!(put(far).expect(422).body["errors"][0]["pointer"], "day");
        }
        for nothing in ["yesterday", "2026-02-30", "10000-01-01"] {
            put(nothing).expect(404);
            ada.get(&format!("/api/v1/rings/{nothing}")).expect(404);
        }
        let bob = server.register("bob");
        assert_eq!(bob.get("/api/v1/streak").expect(200).body["freezes_left"], 2);
    }

    fn a_date_that_a_change_of_zone_skips_breaks_no_streak(server: Server) {
        let ada = server.register("ada");
        set_goal(&ada, 1, 0);
        // One in the morning of 1 September, which still belongs to the day before.
        let zone = |zone: &str| {
            ada.patch("/api/v1/me", &json!({"time_zone": zone})).expect(200);
        };
        zone("Pacific/Pago_Pago");
        server.advance(TimeDelta::days(1));
        solve(&ada, "a", None);
        assert!(is_closed(&ada, "2026-09-01"));
        zone("Pacific/Kiritimati");
        server.advance(TimeDelta::hours(4));
        assert_eq!(rings(&ada, "today")["day"], "2026-09-03", "a day was skipped");
        assert_eq!(streak(&ada), (1, 1));
        solve(&ada, "b", None);
        assert_eq!(streak(&ada), (2, 2));
        server.advance(TimeDelta::days(1));
        solve(&ada, "c", None);
        assert_eq!(streak(&ada), (3, 3));
    }

    fn flying_west_closes_no_day_twice(server: Server) {
        let ada = server.register("ada");
        set_goal(&ada, 1, 0);
        let zone = |zone: &str| {
            ada.patch("/api/v1/me", &json!({"time_zone": zone})).expect(200);
        };
        zone("Pacific/Kiritimati");
        server.advance(TimeDelta::days(1));
        let day = rings(&ada, "today")["day"].as_str().unwrap().to_owned();
        solve(&ada, "a", None);
        zone("Pacific/Pago_Pago");
        server.advance(TimeDelta::hours(20));
        assert_eq!(rings(&ada, "today")["day"], day.as_str(), "the day goes on");
        solve(&ada, "b", None);
        assert_eq!((streak(&ada), closings(&server, &ada)), ((1, 1), (1, 1)));
        server.advance(TimeDelta::hours(8));
        assert_ne!(rings(&ada, "today")["day"], day.as_str());
        solve(&ada, "c", None);
        assert_eq!((streak(&ada), closings(&server, &ada)), ((2, 2), (2, 2)));
    }

    fn days_of_23_and_of_25_hours_are_one_day(server: Server) {
        // The clock goes back in the morning of 25 October.
        let first: DateTime<Utc> = "2026-10-20T03:30:00Z".parse().unwrap();
        server.advance(first - server.now());
        let ada = server.register("ada");
        set_goal(&ada, 1, 0);
        ada.patch("/api/v1/me", &json!({"time_zone": "Europe/Berlin"})).expect(200);
        server.advance(TimeDelta::days(3));
        for number in 0..96 {
            // Every three hours: each local day several times.
            solve(&ada, &format!("p{number}"), None);
            server.advance(TimeDelta::hours(3));
        }
        assert_eq!(closings(&server, &ada), (12, 12));
        assert_eq!(streak(&ada), (12, 12));
        assert_hold(&mut server.database.connect());
    }
}

fn ago_of(server: &Server, days: i64) -> DateTime<Utc> {
    server.now() - TimeDelta::days(days)
}
