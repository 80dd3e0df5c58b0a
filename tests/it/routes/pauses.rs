//! Pauses: what is hidden, what goes on, and what follows.

use super::rings::{rings, solve, streak};
use crate::harness::invariants::{assert_hold, learners};
use crate::harness::{Client, Server, on_both};
use actix_web::rt::System;
use chrono::TimeDelta;
use diesel::prelude::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use traverse::db::tx::{Work, write};
use traverse::jobs::enqueue;
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
        System::new().block_on(async {
            let worker = worker::start(&server.app);
            let began = Instant::now();
            let is_spread = |db: &mut _, pause: &Value| -> bool {
                let id = pause["id"].as_i64().unwrap();
                let spread = pauses::table.find(id).select(pauses::spread_at.is_not_null());
                spread.first(db).unwrap()
            };
            while !is_spread(&mut db, &made) {
                assert!(began.elapsed() < Duration::from_secs(30), "nothing is spread");
                actix_web::rt::time::sleep(Duration::from_millis(50)).await;
            }
            assert!(!is_spread(&mut db, &running));
            worker.stop(Duration::from_secs(20)).await;
        });
        assert_eq!(due(&ada)[..6], [2, 0, 0, 2, 1, 0]);
    }
}
