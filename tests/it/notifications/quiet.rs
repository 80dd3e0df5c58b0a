//! Quiet hours: in them nothing is sent, after them everything is.

use super::{Stage, pass_time, pause};
use crate::harness::on_both;
use chrono::{DateTime, Days, TimeDelta, Utc};
use serde_json::json;
use traverse::notifications::quiet::Hours;

on_both! {
    fn on_a_paused_day_nothing_is_sent(stage: Stage) {
        stage.device("/phone");
        let today = stage.server.now().date_naive();
        let span = json!({"from": today, "until": today + Days::new(3)});
        let paused = stage.ada.post("/api/v1/pauses", &span).expect(201).body;
        let worker = stage.work();
        let told = stage.tell("1");
        stage.until(told, "skipped1");
        assert!(stage.ada.get("/api/v1/notifications?unread").body["items"][0]["id"] == told);
        stage.ada.delete(&format!("/api/v1/pauses/{}", paused["id"])).expect(204);
        let told = stage.tell("2");
        stage.until(told, "sent1");
        worker.stop();
        assert_eq!(stage.service.received().len(), 1);
    }

    fn what_comes_in_quiet_hours_is_sent_after_them(stage: Stage) {
        stage.device("/phone");
        // It is noon in UTC.
        let hours = json!({"time_zone": "Europe/Berlin",
                           "quiet_hours": {"from": "13:00", "until": "17:30"}});
        stage.ada.patch("/api/v1/me", &hours).expect(200);
        let worker = stage.work();
        let told = stage.tell("1");
        stage.until(told, "pending0");
        let began = std::time::Instant::now();
        while stage.waits(told) < 600.0 {
            assert!(began.elapsed() < crate::jobs::SOON);
            pause(20);
        }
        let waits = stage.waits(told);
        assert!((3.4 * 3600.0..=3.5 * 3600.0).contains(&waits), "{waits}");
        assert!(stage.ada.get("/api/v1/notifications?unread").body["items"][0]["id"] == told);
        stage.server.advance(TimeDelta::hours(2));
        pass_time(&mut stage.db());
        pause(500);
        assert_eq!(stage.state(told), "pending0");
        stage.server.advance(TimeDelta::minutes(90));
        pass_time(&mut stage.db());
        stage.until(told, "sent1");
        worker.stop();
        assert_eq!(stage.service.received().len(), 1);
    }
}

/// When quiet hours that last at an instant are over.
fn over(zone: &str, from: &str, until: &str, now: &str) -> Option<String> {
    let hours = Hours::read(zone, Some(from), Some(until)).unwrap();
    let now: DateTime<Utc> = now.parse().unwrap();
    hours.over_at(now).map(|over| over.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

#[test]
fn they_are_over_when_the_clock_of_the_user_says_so() {
    let berlin = "Europe/Berlin";
    for (zone, from, until, now, expected) in [
        ("UTC", "22:00", "07:00", "2026-09-01T21:59:59Z", None),
        ("UTC", "22:00", "07:00", "2026-09-01T22:00:00Z", Some("2026-09-02T07:00:00Z")),
        ("UTC", "22:00", "07:00", "2026-09-02T06:59:00Z", Some("2026-09-02T07:00:00Z")),
        ("UTC", "22:00", "07:00", "2026-09-02T07:00:00Z", None),
        ("UTC", "12:00", "14:00", "2026-09-01T13:00:00Z", Some("2026-09-01T14:00:00Z")),
        ("UTC", "12:00", "12:00", "2026-09-01T12:00:00Z", None),
        (berlin, "22:00", "07:00", "2026-09-01T20:00:00Z", Some("2026-09-02T05:00:00Z")),
        // The night in which the clock is set back is an hour longer, and the other one shorter.
        (berlin, "22:00", "07:00", "2026-10-24T21:00:00Z", Some("2026-10-25T06:00:00Z")),
        (berlin, "22:00", "07:00", "2026-03-28T22:00:00Z", Some("2026-03-29T05:00:00Z")),
        // An end that a gap leaves out is read by the offset before it.
        (berlin, "22:00", "02:30", "2026-03-29T00:30:00Z", Some("2026-03-29T01:30:00Z")),
        // In the hour that comes twice it is asked again within minutes.
        (berlin, "22:00", "02:30", "2026-10-25T01:10:00Z", Some("2026-10-25T01:11:00Z")),
    ] {
        assert_eq!(over(zone, from, until, now).as_deref(), expected, "{zone} {from} {now}");
    }
    assert!(Hours::read("UTC", None, None).is_none());
    assert!(Hours::read("Nowhere", Some("22:00"), Some("07:00")).is_none());
}
