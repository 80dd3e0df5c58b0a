//! When a digest is due. Pure.

use crate::days::{DayHistory, days_later, instant_of};
use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};

/// What is to be done at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The local day whose digest is due, if its hour has come.
    pub today: Option<NaiveDate>,
    /// When to look again: the hour of the next digest.
    pub next: DateTime<Utc>,
}

/// The plan of a user with these days and this hour, 0 to 23, at `now`. An hour that was missed is due
/// until its local day ends.
#[must_use]
pub fn plan(days: &DayHistory, hour: i32, now: DateTime<Utc>) -> Plan {
    let today = days.local_day(now);
    let due = due_at(days, hour, today);
    if now < due {
        return Plan { today: None, next: due };
    }
    // A day that has no time, as where a zone leaves one out, has no digest either.
    let next = due_at(days, hour, days_later(today, 1));
    Plan { today: Some(today), next: next.max(now + TimeDelta::minutes(15)) }
}

/// The instant of the hour within a local day: after midnight, where the hour is before the day's start.
/// An hour that a clock change leaves out is the instant at which the clock is put forward, one that it
/// repeats is the first of both.
fn due_at(days: &DayHistory, hour: i32, day: NaiveDate) -> DateTime<Utc> {
    let start = days.starts_at(day);
    let rule = days.rule_at(start);
    let hour = u32::try_from(hour).unwrap_or_default();
    let time = NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default();
    let date = if time < rule.day_starts_at { days_later(day, 1) } else { day };
    // A change of zone, or of the start of the day, may make a day shorter than its hour.
    let last = days.ends_at(day) - TimeDelta::minutes(15);
    instant_of(rule.zone, date, time).min(last).max(start)
}

#[cfg(test)]
mod tests {
    use super::{Plan, plan};
    use crate::days::{DayHistory, DayRule};
    use chrono::{DateTime, TimeDelta, Utc};

    fn days(zone: &str, start: &str) -> DayHistory {
        let day_starts_at = crate::days::day_start(start).unwrap();
        DayHistory::new(DayRule { zone: crate::days::zone(zone).unwrap(), day_starts_at }, &[])
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_digest_is_due_from_its_hour_until_its_day_ends() {
        let berlin = days("Europe/Berlin", "04:00");
        for (now, today, next) in [
            // The local day of the day before, whose digest was at 08:00.
            ("2026-01-05T02:59:00Z", Some("2026-01-04"), "2026-01-05T07:00:00Z"),
            ("2026-01-05T03:00:00Z", None, "2026-01-05T07:00:00Z"),
            ("2026-01-05T06:59:59Z", None, "2026-01-05T07:00:00Z"),
            ("2026-01-05T07:00:00Z", Some("2026-01-05"), "2026-01-06T07:00:00Z"),
            // Clocks are put forward on the 29th of March.
            ("2026-03-28T07:00:00Z", Some("2026-03-28"), "2026-03-29T06:00:00Z"),
            ("2026-10-24T06:00:00Z", Some("2026-10-24"), "2026-10-25T07:00:00Z"),
        ] {
            let expected = Plan { today: today.map(|day| day.parse().unwrap()), next: at(next) };
            assert_eq!(plan(&berlin, 8, at(now)), expected, "{now}");
        }
    }

    #[test]
    fn an_hour_before_the_day_starts_is_the_night_after() {
        let utc = days("UTC", "04:00");
        assert_eq!(
            plan(&utc, 2, at("2026-01-05T12:00:00Z")),
            Plan { today: None, next: at("2026-01-06T02:00:00Z") }
        );
    }

    /// Whoever looks every five minutes finds each digest once, at its hour or, where its day ends soon
    /// after, before that: over every change of the clock, in zones of all kinds.
    #[test]
    fn whoever_looks_finds_each_day_once() {
        for (zone, start, hour) in [
            ("Europe/Berlin", "04:00", 8),
            ("Europe/Berlin", "02:30", 2),
            ("Europe/Berlin", "00:00", 23),
            ("Asia/Kathmandu", "08:05", 8),
            ("Australia/Lord_Howe", "04:00", 2),
            ("America/Sao_Paulo", "00:01", 0),
            ("America/St_Johns", "03:10", 3),
            ("Pacific/Chatham", "02:59", 2),
        ] {
            let days = days(zone, start);
            let mut now = at("2026-01-01T12:00:00Z");
            let mut next = now;
            let mut told = Vec::new();
            while now < at("2027-01-01T12:00:00Z") {
                if now >= next {
                    let plan = plan(&days, hour, now);
                    assert!(plan.next > now, "{zone} {now}");
                    next = plan.next;
                    told.extend(plan.today.filter(|day| told.last() != Some(day)));
                }
                now += TimeDelta::minutes(5);
            }
            for pair in told.windows(2) {
                assert_eq!(pair[0].succ_opt(), Some(pair[1]), "{zone} {start} {hour}");
            }
            assert!(told.len() >= 365, "{zone}: {}", told.len());
        }
    }
}
