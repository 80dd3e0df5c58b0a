//! The digest: once a local day, at the user's hour or when somebody looks, not on a paused day.

use crate::harness::{Server, on_both};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use serde_json::json;
use traverse::db::instant::At;
use traverse::db::tx::{Work, write};
use traverse::digest::look;
use traverse::digest::store::turns;
use traverse::schema::revisions;

/// Looks at all digests whose turn has come, and says how many were told.
fn look_at_all(server: &Server, now: DateTime<Utc>) -> usize {
    let mut db = server.database.connect();
    let now = At::from(now);
    let all = turns(&mut db, now, 100, &[]).unwrap();
    let mut told = 0;
    for (user_id, seen) in all {
        let once: Work<bool> = write(&mut db, |db| Ok(look(db, user_id, seen, now)?));
        told += usize::from(once.unwrap());
    }
    told
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A user with something that is due from the first day on.
fn owing(server: &Server) -> crate::harness::Client {
    let ada = server.register("ada");
    ada.post_with_key(
        "/api/v1/submissions",
        "k",
        &json!({
            "problem": {"platform": "leetcode", "slug": "two-sum"}, "verdict": "accepted",
        }),
    )
    .expect(201);
    let mut db = server.database.connect();
    diesel::update(revisions::table)
        .set(revisions::due_on.eq(at("2026-01-01T00:00:00Z").date_naive()))
        .execute(&mut db)
        .unwrap();
    ada
}

on_both! {
    fn one_digest_a_day_also_where_its_hour_was_missed(server: Server) {
        owing(&server);
        let day = at("2027-02-01T00:00:00Z");
        let hour = |days, hours| day + TimeDelta::days(days) + TimeDelta::hours(hours);
        for (now, told) in [
            (hour(0, 7), 0),
            (hour(0, 8), 1),
            (hour(0, 9), 0),
            // Nobody looked for a day, and then late.
            (hour(2, 23), 1),
            (hour(3, 3), 0),
            (hour(3, 8), 1),
        ] {
            assert_eq!(look_at_all(&server, now), told, "{now}");
        }
    }

    fn another_hour_makes_no_second_digest(server: Server) {
        let ada = owing(&server);
        let eight = at("2027-02-01T08:00:00Z");
        assert_eq!(look_at_all(&server, eight), 1);
        ada.patch("/api/v1/me", &json!({"digest_hour": 12})).expect(200);
        assert_eq!(look_at_all(&server, eight + TimeDelta::hours(1)), 0);
        assert_eq!(look_at_all(&server, eight + TimeDelta::hours(4)), 0);
        assert_eq!(look_at_all(&server, eight + TimeDelta::hours(28)), 1);
    }

    fn on_a_paused_day_nobody_is_told(server: Server) {
        let ada = owing(&server);
        let days = json!({"from": "2026-09-02", "until": "2026-09-03"});
        ada.post("/api/v1/pauses", &days).expect(201);
        for (now, told) in [
            ("2026-09-01T12:00:00Z", 1),
            ("2026-09-02T08:00:00Z", 0),
            ("2026-09-03T08:00:00Z", 0),
            ("2026-09-04T03:59:00Z", 0),
            ("2026-09-04T08:00:00Z", 1),
        ] {
            assert_eq!(look_at_all(&server, at(now)), told, "{now}");
        }
    }

    fn a_change_of_zone_makes_no_second_digest_and_loses_none(server: Server) {
        let ada = owing(&server);
        assert_eq!(look_at_all(&server, at("2026-09-01T12:00:00Z")), 1);
        // Ten hours ahead, from the next day on: that begins after its hour, the one after it does not.
        ada.patch("/api/v1/me", &json!({"time_zone": "Australia/Brisbane"})).expect(200);
        for (now, told) in [
            ("2026-09-01T12:05:00Z", 0),
            ("2026-09-01T22:00:00Z", 0),
            ("2026-09-02T03:55:00Z", 0),
            ("2026-09-02T04:00:00Z", 1),
            ("2026-09-02T12:00:00Z", 0),
            ("2026-09-02T22:00:00Z", 1),
        ] {
            assert_eq!(look_at_all(&server, at(now)), told, "{now}");
        }
    }

    fn where_nothing_is_due_nobody_is_told(server: Server) {
        server.register("ada");
        assert_eq!(look_at_all(&server, at("2027-02-01T08:00:00Z")), 0);
    }
}
