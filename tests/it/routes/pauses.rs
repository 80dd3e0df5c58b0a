//! Pauses: what is hidden, what goes on, and what follows.

use super::rings::{rings, solve, streak};
use crate::calendar::lint::lint;
use crate::harness::invariants::{assert_hold, learners};
use crate::harness::rows::User;
use crate::harness::{Client, Server, on_both};
use actix_web::rt::System;
use chrono::{Days, TimeDelta};
use diesel::prelude::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use traverse::db::Db;
use traverse::db::tx::{Work, write};
use traverse::jobs::enqueue;
use traverse::pauses::begin;
use traverse::pauses::model::Span;
use traverse::revisions::after_pause::{BATCH, beginning, pass};
use traverse::rings::pause_over::{SpreadPauses, spread_all};
use traverse::schema::{pauses, schedule_entries};
use traverse::worker;

const PAUSES: &str = "/api/v1/pauses";

fn pause(client: &Client, from: &str, until: &str) -> Value {
    client.post(PAUSES, &json!({"from": from, "until": until})).expect(201).body
}

fn today(client: &Client) -> Value {
    client.get("/api/v1/today").expect(200).body
}

/// What is due today, and on each of the next days.
fn due(client: &Client) -> Vec<i64> {
    let today = today(client);
    let upcoming = today["upcoming"].as_array().unwrap().iter().map(|day| &day["due"]);
    [&today["due_count"]].into_iter().chain(upcoming).map(|due| due.as_i64().unwrap()).collect()
}

/// The numbers of the revisions that a list has, and the days on which they are due.
fn listed(client: &Client, state: &str) -> Vec<(Value, Value)> {
    let list = client.get(&format!("/api/v1/revisions?state={state}&limit=200")).expect(200).body;
    numbers_and_days(&list["items"])
}

fn numbers_and_days(items: &Value) -> Vec<(Value, Value)> {
    let items = items.as_array().unwrap().iter();
    items.map(|item| (item["id"].clone(), item["due_on"].clone())).collect()
}

/// The days of the events of a calendar, in order.
fn events(server: &Server, client: &Client) -> Vec<String> {
    let url = client.get("/api/v1/calendar").expect(200).body["url"].clone();
    let path = url.as_str().unwrap().strip_prefix(&server.url).unwrap().to_owned();
    let report = lint(&server.anonymous().get(&path).expect(200).bytes);
    assert_eq!(report.faults, []);
    let mut days: Vec<String> = report.events.into_iter().map(|event| event.start).collect();
    days.sort();
    days
}

/// Problems whose revisions are overdue.
fn overdue(server: &Server, client: &Client, count: i64) {
    for number in 0..count {
        let at = server.now() - TimeDelta::days(20) - TimeDelta::minutes(number);
        solve(client, &format!("p{number}"), Some(at));
    }
    assert_eq!(today(client)["overdue"], count);
}

/// Spreads what is over, as the job does.
fn spread(server: &Server, pause: &Value) {
    let learner = learners(&mut server.database.connect()).into_values().next().unwrap();
    let (id, now) = (pause["id"].as_i64().unwrap(), server.app.clock.now());
    System::new().block_on(spread_all(&server.app.pool, &learner, id, now)).unwrap();
}

/// Lets a worker run until what it has to spread is spread.
fn spread_by_worker(server: &Server, is_spread: impl Fn(&mut Db) -> bool) {
    let mut db = server.database.connect();
    System::new().block_on(async {
        let worker = worker::start(&server.app);
        let began = Instant::now();
        while !is_spread(&mut db) {
            assert!(began.elapsed() < Duration::from_secs(30), "nothing is spread");
            actix_web::rt::time::sleep(Duration::from_millis(50)).await;
        }
        worker.stop(Duration::from_secs(20)).await;
    });
}

on_both! {
    fn a_pause_hides_what_is_due_and_keeps_the_streak(server: Server) {
        let ada = server.register("ada");
        solve(&ada, "a", None);
        overdue(&server, &ada, 3);
        let made = pause(&ada, "2026-09-02", "2026-09-04");
        assert!(today(&ada)["pause"].is_null());
        assert_eq!(due(&ada), [3, 0, 0, 0, 0, 0, 0, 0]);
        server.advance(TimeDelta::days(1));
        let paused = today(&ada);
        assert_eq!(paused["pause"], made);
        for (field, value) in [("due", json!([])), ("due_count", json!(0)), ("overdue", json!(0))] {
            assert_eq!(paused[field], value, "{field}");
        }
        assert_eq!(paused["ring"]["paused"], true);
        assert_eq!(paused["ring"]["goals"], json!({"solves": 1, "revisions": 0}));
        server.advance(TimeDelta::days(2));
        assert_eq!(streak(&ada), (1, 1));
        // Whoever solves something in a pause all the same closes the day.
        solve(&ada, "b", None);
        assert_eq!(streak(&ada), (2, 2));
        server.advance(TimeDelta::days(1));
        assert_eq!(streak(&ada), (2, 2));
        assert_eq!(today(&ada)["due_count"], 4, "they are there again");
        server.advance(TimeDelta::days(1));
        assert_eq!(streak(&ada), (0, 2));
    }

    fn whoever_shows_what_is_due_says_the_same(server: Server) {
        let ada = server.register("ada");
        overdue(&server, &ada, 2);
        for slug in ["a", "b"] {
            let solved = solve(&ada, slug, None);
            assert!(solved["next_revisions"][0]["due_on"].as_str().unwrap() < "2026-09-06");
        }
        pause(&ada, "2026-09-02", "2026-09-05");
        pause(&ada, "2026-09-07", "2026-09-07");
        let all = listed(&ada, "pending");
        let mut hidden = 0;
        for _ in 0..8 {
            let today = today(&ada);
            let due = listed(&ada, "due");
            assert_eq!(numbers_and_days(&today["due"]), due, "{}", today["day"]);
            let upcoming = listed(&ada, "upcoming");
            hidden += all.len() - due.len() - upcoming.len();
            let stats = ada.get("/api/v1/stats").expect(200).body;
            let counted = ["due", "overdue", "upcoming"].map(|name| stats["counts"][name].clone());
            assert_eq!(counted[..2], [&today["due_count"], &today["overdue"]].map(Clone::clone));
            assert_eq!(counted[2], upcoming.len());
            assert_eq!(stats["forecast"][0]["due"], today["due_count"]);
            for (number, of_day) in today["upcoming"].as_array().unwrap().iter().enumerate() {
                assert_eq!(stats["forecast"][number + 1], *of_day);
                let on_day = upcoming.iter().filter(|(_, day)| *day == of_day["day"]).count();
                assert_eq!(of_day["due"], on_day);
            }
            let planned = due.iter().chain(&upcoming);
            let mut planned: Vec<String> =
                planned.map(|(_, day)| day.as_str().unwrap().replace('-', "")).collect();
            planned.sort();
            assert_eq!(events(&server, &ada), planned, "{}", today["day"]);
            assert_eq!(listed(&ada, "pending"), all, "the dates stay");
            server.advance(TimeDelta::days(1));
        }
        // Two that come to be due in the pause, on its first day and before it; then all four.
        assert_eq!(hidden, 2 + 4 * 4 + 4);
    }

    fn an_import_puts_nothing_on_a_paused_day(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"daily_cap": 2})).expect(200);
        pause(&ada, "2026-09-02", "2026-09-05");
        let rows: Vec<Value> = (0..6)
            .map(|number| json!({"problem": {"platform": "leetcode", "slug": format!("p{number}")},
                "verdict": "accepted", "happened_at": format!("2026-07-01T10:0{number}:00Z")}))
            .collect();
        let import = ada.post("/api/v1/imports", &json!(rows)).expect(201).body;
        assert_eq!(import["imported"], 6);
        assert_eq!(due(&ada), [2, 0, 0, 0, 0, 2, 2, 0]);
        assert_eq!(listed(&ada, "upcoming").len(), 4, "nothing is hidden");
    }

    fn a_day_is_in_one_pause(server: Server) {
        let ada = server.register("ada");
        let made = pause(&ada, "2026-09-02", "2026-09-04");
        let again = ada.post(PAUSES, &json!({"from": "2026-09-02", "until": "2026-09-04"}));
        assert_eq!(again.expect(200).body, made);
        for (from, until) in [("2026-09-04", "2026-09-05"), ("2026-09-01", "2026-09-30")] {
            let refused = ada.post(PAUSES, &json!({"from": from, "until": until})).expect(409);
            assert_eq!((refused.code(), &refused.body["pause"]), ("pause-overlaps", &made));
        }
        let beside = pause(&ada, "2026-09-05", "2026-09-05");
        pause(&server.register("bob"), "2026-09-02", "2026-09-04");
        let list = ada.get("/api/v1/pauses?limit=1").expect(200).body;
        assert_eq!(list["items"], json!([beside]));
        let rest = format!("{PAUSES}?cursor={}", list["next_cursor"].as_str().unwrap());
        assert_eq!(ada.get(&rest).expect(200).body["items"], json!([made]));
        for (from, until, pointer) in [
            ("2026-09-09", "2026-09-08", "/until"),
            ("2026-07-31", "2026-09-08", "/from"),
            ("2027-09-10", "2027-09-11", "/from"),
            ("2026-09-10", "2027-09-11", "/until"),
        ] {
            let refused = ada.post(PAUSES, &json!({"from": from, "until": until})).expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{from} {until}");
        }
        assert_hold(&mut server.database.connect());
    }

    fn what_has_passed_of_a_pause_stays(server: Server) {
        let ada = server.register("ada");
        solve(&ada, "a", None);
        let made = pause(&ada, "2026-09-02", "2026-09-10");
        let path = format!("{PAUSES}/{}", made["id"]);
        server.register("bob").delete(&path).expect(404);
        server.advance(TimeDelta::days(2));
        for _ in 0..2 {
            ada.delete(&path).expect(204);
            let left = ada.get(PAUSES).expect(200).body["items"][0].clone();
            assert_eq!((&left["from"], &left["until"]), (&json!("2026-09-02"), &json!("2026-09-02")));
            assert!(today(&ada)["pause"].is_null());
            assert_eq!(rings(&ada, "2026-09-02")["paused"], true);
            assert_eq!(rings(&ada, "2026-09-03")["paused"], false);
            assert_eq!(streak(&ada), (1, 1));
        }
        let later = pause(&ada, "2026-09-03", "2026-09-04");
        let path = format!("{PAUSES}/{}", later["id"]);
        ada.delete(&path).expect(204);
        ada.delete(&path).expect(404);
        assert_eq!(ada.get(PAUSES).expect(200).body["items"].as_array().unwrap().len(), 1);
        assert_hold(&mut server.database.connect());
    }

    fn what_fell_due_is_spread_when_it_is_over(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"daily_cap": 2})).expect(200);
        overdue(&server, &ada, 5);
        let made = pause(&ada, "2026-09-01", "2026-09-02");
        server.advance(TimeDelta::days(1));
        spread(&server, &made);
        server.advance(TimeDelta::days(1));
        assert_eq!(due(&ada)[0], 5, "it was not over");
        spread(&server, &made);
        let spread_out = [2, 2, 1, 0, 0, 0, 0, 0];
        assert_eq!(due(&ada), spread_out);
        assert_eq!(today(&ada)["overdue"], 0);
        let mut db = server.database.connect();
        let entries = || schedule_entries::table.filter(schedule_entries::event.eq("pause_spread"));
        assert_eq!(entries().count().get_result(&mut db), Ok(5_i64));
        // The same again, and with what is overdue by then.
        spread(&server, &made);
        assert_eq!(due(&ada), spread_out);
        server.advance(TimeDelta::days(1));
        spread(&server, &made);
        assert_eq!(due(&ada)[0], 4);
        assert_eq!(today(&ada)["overdue"], 2);
        // The days that really went by count.
        let first = today(&ada)["due"][0].clone();
        let path = format!("/api/v1/revisions/{}/complete", first["id"]);
        let done = ada.post(&path, &json!({"rating": "good"})).expect(200).body;
        assert!(done["next"]["interval_days"].as_i64().unwrap() > 20, "{done}");
        assert_hold(&mut db);
    }

    fn two_that_spread_at_once_spread_once(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"daily_cap": 10})).expect(200);
        let count = BATCH + 7;
        overdue(&server, &ada, count);
        let made = pause(&ada, "2026-09-01", "2026-09-01");
        server.advance(TimeDelta::days(1));
        let (id, now) = (made["id"].as_i64().unwrap(), server.app.clock.now());
        let learner = learners(&mut server.database.connect()).into_values().next().unwrap();
        // Interrupted after the first batch.
        let mut db = server.database.connect();
        let first: Work<_> = write(&mut db, |db| Ok(pass(db, &learner, id, beginning(), now)?));
        assert!(first.unwrap().is_some());
        assert_eq!(today(&ada)["overdue"], 7);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| spread(&server, &made));
            }
        });
        assert_eq!(due(&ada)[..7], [10, 10, 10, 10, 10, 7, 0]);
        let entries = schedule_entries::table.filter(schedule_entries::event.eq("pause_spread"));
        assert_eq!(entries.count().get_result(&mut db), Ok(count));
        assert_hold(&mut db);
    }

    fn whoever_ends_a_pause_finds_it_spread(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"daily_cap": 2})).expect(200);
        overdue(&server, &ada, 5);
        // One that is said afterwards is over at once.
        pause(&ada, "2026-08-20", "2026-08-31");
        assert_eq!(due(&ada)[..4], [2, 2, 1, 0]);
        let running = pause(&ada, "2026-09-01", "2026-09-10");
        server.advance(TimeDelta::days(4));
        ada.delete(&format!("{PAUSES}/{}", running["id"])).expect(204);
        assert_eq!(due(&ada)[..4], [2, 2, 1, 0]);
        // No room on a day that is paused.
        pause(&ada, "2026-09-06", "2026-09-06");
        server.advance(TimeDelta::days(4));
        pause(&ada, "2026-09-10", "2026-09-10");
        pause(&ada, "2026-09-08", "2026-09-08");
        assert_eq!(due(&ada)[..5], [2, 0, 2, 1, 0]);
        assert_hold(&mut server.database.connect());
    }

    /// More than are looked at together, all of whose users are in another pause by now, come first.
    fn whoever_waits_holds_nobody_up(server: Server) {
        let ada = server.register("ada");
        overdue(&server, &ada, 1);
        let mut db = server.database.connect();
        let (today, now) = (server.now().date_naive(), server.app.clock.now());
        let day = |days: u64| today - Days::new(days);
        for number in 0..101 {
            let user = User::add(&mut db, &format!("user{number}"));
            for (from, until) in [(day(9), day(9)), (day(1), today)] {
                let span = Span::new(from, until, today).unwrap();
                begin(&mut db, user.id, span, now).unwrap();
            }
        }
        let ada_id = ada.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        let span = Span::new(day(2), day(2), today).unwrap();
        let pause = begin(&mut db, ada_id, span, now).unwrap();
        let put: Work<bool> = write(&mut db, |db| Ok(enqueue(db, &SpreadPauses {})?));
        assert!(put.unwrap());
        spread_by_worker(&server, |db| {
            let spread = pauses::table.find(pause.id).select(pauses::spread_at.is_not_null());
            spread.first(db).unwrap()
        });
    }

    fn a_job_spreads_what_nobody_ended(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"daily_cap": 2})).expect(200);
        overdue(&server, &ada, 5);
        let made = pause(&ada, "2026-09-01", "2026-09-01");
        let running = pause(&ada, "2026-09-03", "2026-09-04");
        server.advance(TimeDelta::days(1));
        let mut db = server.database.connect();
        let put: Work<bool> = write(&mut db, |db| Ok(enqueue(db, &SpreadPauses {})?));
        assert!(put.unwrap());
        let is_spread = |db: &mut _, pause: &Value| -> bool {
            let id = pause["id"].as_i64().unwrap();
            let spread = pauses::table.find(id).select(pauses::spread_at.is_not_null());
            spread.first(db).unwrap()
        };
        spread_by_worker(&server, |db| is_spread(db, &made));
        assert!(!is_spread(&mut db, &running));
        assert_eq!(due(&ada)[..6], [2, 0, 0, 2, 1, 0]);
    }
}
