use super::{accepted, due};
use crate::harness::site::{CROWD, count, statuses};
use crate::harness::{Client, Site, on_both};
use diesel::prelude::*;
use serde_json::{Value, json};
use traverse::schema::{notifications, xp_entries};

fn want(client: &Client, solves: usize, revisions: usize) {
    let goal = json!({"daily_goal": {"solves": solves, "revisions": revisions}});
    client.patch("/api/v1/me", &goal).expect(200);
}

fn rings(client: &Client) -> Value {
    client.get("/api/v1/rings/today").expect(200).body
}

/// How often somebody was told, and got XP, for closed rings.
fn closings(site: &Site) -> (i64, i64) {
    let mut db = site.connect();
    let told = notifications::table.filter(notifications::kind.eq("rings-closed"));
    let awarded = xp_entries::table.filter(xp_entries::reason.eq("ring_closed"));
    (told.count().get_result(&mut db).unwrap(), awarded.count().get_result(&mut db).unwrap())
}

on_both! {
    fn many_solves_close_a_day_once(site: Site) {
        let ada = site.register("ada");
        want(&ada, CROWD / 2, 0);
        let answers = site.crowd(&ada, CROWD).at_once(|client, number| {
            let (key, slug) = (format!("k{number}"), format!("p{number}"));
            client.post_with_key("/api/v1/submissions", &key, &accepted(&slug))
        });
        assert_eq!(count(&answers, 201), CROWD, "{:?}", statuses(&answers));
        let rings = rings(&ada);
        assert_eq!(rings["progress"]["solves"], CROWD);
        assert!(!rings["closed_at"].is_null());
        assert_eq!(closings(&site), (1, 1));
        assert_eq!(ada.get("/api/v1/streak").expect(200).body["current"], 1);
        site.check();
    }

    /// The last one that a day wants comes 64 times.
    fn the_last_solve_closes_a_day_once_however_often_it_comes(site: Site) {
        let ada = site.register("ada");
        want(&ada, 2, 0);
        ada.post_with_key("/api/v1/submissions", "k", &accepted("first")).expect(201);
        let crowd = site.crowd(&ada, CROWD);
        let answers = crowd.at_once(|client, number| {
            // Under one key, or as submissions of their own.
            let key = if number % 2 == 0 { "one".to_owned() } else { format!("k{number}") };
            client.post_with_key("/api/v1/submissions", &key, &accepted("second"))
        });
        let taken = CROWD / 2 + 1;
        assert_eq!(count(&answers, 201), taken, "{:?}", statuses(&answers));
        assert_eq!(count(&answers, 200), CROWD - taken, "{:?}", statuses(&answers));
        assert_eq!(rings(&ada)["progress"]["solves"], 2);
        assert_eq!(closings(&site), (1, 1));
        site.check();
    }

    fn many_revisions_close_a_day_once(site: Site) {
        let ada = site.register("ada");
        want(&ada, 0, 3);
        let problems = 8;
        let revisions: Vec<Value> = (0..problems)
            .map(|number| due(&ada, &format!("p{number}"))["next_revisions"][0]["id"].clone())
            .collect();
        assert_eq!(closings(&site), (0, 0), "that was long ago");
        let answers = site.crowd(&ada, CROWD).at_once(|client, number| {
            let path = format!("/api/v1/revisions/{}/complete", revisions[number % problems]);
            client.post(&path, &json!({"rating": "good"}))
        });
        assert_eq!(count(&answers, 200), CROWD, "{:?}", statuses(&answers));
        let rings = rings(&ada);
        assert_eq!(rings["goals"], json!({"solves": 0, "revisions": 3}));
        assert_eq!(rings["progress"], json!({"solves": 0, "revisions": problems}));
        assert_eq!(closings(&site), (1, 1));
        site.check();
    }

    fn two_days_of_a_month_are_frozen_and_a_pause_begins_once(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        // All in a month that is ahead as a whole.
        let today = rings(&ada)["day"].as_str().unwrap().parse::<chrono::NaiveDate>().unwrap();
        let month = traverse::rings::freezes::last_of_month(today) + chrono::Days::new(1);
        let answers = crowd.at_once(|client, number| {
            let day = month + chrono::Days::new(u64::try_from(number % 28).unwrap());
            let path = format!("/api/v1/streak/freezes/{day}");
            crate::harness::Answer::of(client.request(reqwest::Method::PUT, &path))
        });
        assert_eq!(count(&answers, 201), 2, "{:?}", statuses(&answers));
        let spent = CROWD - 2 - count(&answers, 200);
        assert_eq!(count(&answers, 409), spent, "{:?}", statuses(&answers));
        let span = json!({"from": month, "until": month + chrono::Days::new(9)});
        let answers = crowd.at_once(|client, _| client.post("/api/v1/pauses", &span));
        assert_eq!(count(&answers, 201), 1, "{:?}", statuses(&answers));
        assert_eq!(count(&answers, 200), CROWD - 1, "{:?}", statuses(&answers));
        assert!(answers.iter().all(|answer| answer.body == answers[0].body));
        site.check();
    }
}
