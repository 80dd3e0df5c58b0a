//! Local days, over clocks that are set forward, back, by half an hour, and over whole dates.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};
use traverse::days::{DayHistory, DayRule, PAST_RULES, day_start, days_later, instant_of, zone};

fn rule(name: &str, start: &str) -> DayRule {
    DayRule { zone: zone(name).unwrap(), day_starts_at: day_start(start).unwrap() }
}

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// Zone, day start, instant, day.
const BEGUN: &[(&str, &str, &str, &str)] = &[
    ("UTC", "00:00", "2024-05-01T00:00:00Z", "2024-05-01"),
    ("UTC", "04:00", "2024-05-01T03:59:59.999999999Z", "2024-04-30"),
    ("UTC", "04:00", "2024-05-01T04:00:00Z", "2024-05-01"),
    ("UTC", "23:59", "2024-05-01T23:58:59Z", "2024-04-30"),
    ("Europe/Berlin", "04:00", "2024-05-01T01:59:59Z", "2024-04-30"),
    ("Europe/Berlin", "04:00", "2024-05-01T02:00:00Z", "2024-05-01"),
    ("Asia/Kolkata", "04:00", "2024-04-30T22:30:00Z", "2024-05-01"),
    ("America/Los_Angeles", "04:00", "2024-05-01T10:59:59Z", "2024-04-30"),
    ("Pacific/Kiritimati", "00:00", "2024-04-30T10:00:00Z", "2024-05-01"),
    // Berlin, 2024-10-27: from 03:00 back to 02:00 at 01:00Z. At 02:30 the day has begun, and
    // goes on when the clock shows 02:00 once more.
    ("Europe/Berlin", "02:30", "2024-10-27T00:29:59Z", "2024-10-26"),
    ("Europe/Berlin", "02:30", "2024-10-27T00:30:00Z", "2024-10-27"),
    ("Europe/Berlin", "02:30", "2024-10-27T01:00:00Z", "2024-10-27"),
    ("Europe/Berlin", "02:30", "2024-10-27T01:30:00Z", "2024-10-27"),
    // Berlin, 2024-03-31: from 02:00 to 03:00 at 01:00Z. There is no 02:30.
    ("Europe/Berlin", "02:30", "2024-03-31T00:59:59Z", "2024-03-30"),
    ("Europe/Berlin", "02:30", "2024-03-31T01:00:00Z", "2024-03-31"),
    // Apia has no 2011-12-30. With a day start at 04:00 its first four hours, of the 31st by
    // the clock, are what there is of it.
    ("Pacific/Apia", "00:00", "2011-12-30T09:59:59Z", "2011-12-29"),
    ("Pacific/Apia", "00:00", "2011-12-30T10:00:00Z", "2011-12-31"),
    ("Pacific/Apia", "04:00", "2011-12-30T09:59:59Z", "2011-12-29"),
    ("Pacific/Apia", "04:00", "2011-12-30T10:00:00Z", "2011-12-30"),
    ("Pacific/Apia", "04:00", "2011-12-30T14:00:00Z", "2011-12-31"),
    // São Paulo, 2018-11-04: from 00:00 to 01:00 at 03:00Z.
    ("America/Sao_Paulo", "00:00", "2018-11-04T02:59:59Z", "2018-11-03"),
    ("America/Sao_Paulo", "00:00", "2018-11-04T03:00:00Z", "2018-11-04"),
    // São Paulo, 2018-02-18: from 00:00 back to 23:00 of the 17th at 02:00Z.
    ("America/Sao_Paulo", "23:30", "2018-02-18T01:30:00Z", "2018-02-17"),
    ("America/Sao_Paulo", "23:30", "2018-02-18T02:00:00Z", "2018-02-17"),
    ("America/Sao_Paulo", "00:00", "2018-02-18T02:00:00Z", "2018-02-17"),
    ("America/Sao_Paulo", "00:00", "2018-02-18T03:00:00Z", "2018-02-18"),
    // Lord Howe, 2024-04-07: from 02:00 back to 01:30 at 15:00Z of the 6th.
    ("Australia/Lord_Howe", "01:45", "2024-04-06T14:45:00Z", "2024-04-07"),
    ("Australia/Lord_Howe", "01:45", "2024-04-06T15:00:00Z", "2024-04-07"),
    // Troll, 2024-03-31: two hours forward at 01:00Z.
    ("Antarctica/Troll", "02:15", "2024-03-31T00:59:59Z", "2024-03-30"),
    ("Antarctica/Troll", "02:15", "2024-03-31T01:00:00Z", "2024-03-31"),
    // Juneau had 24 hours twice when Alaska was sold, from 1867-10-19 15:33 on.
    ("America/Juneau", "12:00", "1867-10-18T22:00:00Z", "1867-10-19"),
    ("America/Juneau", "12:00", "1867-10-19T01:00:00Z", "1867-10-19"),
    ("America/Juneau", "12:00", "1867-10-19T20:00:00Z", "1867-10-19"),
    ("America/Juneau", "12:00", "1867-10-20T21:00:00Z", "1867-10-20"),
];

#[test]
fn an_instant_belongs_to_the_day_that_has_begun() {
    for (zone, start, instant, day) in BEGUN {
        let found = rule(zone, start).local_day(utc(instant));
        assert_eq!(found, date(day), "{zone} from {start} at {instant}");
    }
}

#[test]
fn days_have_the_length_that_the_clock_gives_them() {
    let cases = [
        ("Europe/Berlin", "04:00", "2024-05-01", 24 * 60),
        ("Europe/Berlin", "04:00", "2024-03-30", 23 * 60),
        ("Europe/Berlin", "04:00", "2024-10-26", 25 * 60),
        ("Europe/Berlin", "00:00", "2024-03-31", 23 * 60),
        ("Europe/Berlin", "02:30", "2024-03-30", 23 * 60 + 30),
        ("Europe/Berlin", "02:30", "2024-03-31", 23 * 60 + 30),
        ("Europe/Berlin", "02:30", "2024-10-26", 24 * 60),
        ("Europe/Berlin", "02:30", "2024-10-27", 25 * 60),
        ("Pacific/Apia", "00:00", "2011-12-30", 0),
        ("Pacific/Apia", "04:00", "2011-12-29", 20 * 60),
        ("Pacific/Apia", "04:00", "2011-12-30", 4 * 60),
        ("Pacific/Apia", "04:00", "2011-12-31", 24 * 60),
        ("America/Sao_Paulo", "00:00", "2018-11-04", 23 * 60),
        ("America/Sao_Paulo", "00:00", "2018-02-17", 25 * 60),
        ("Australia/Lord_Howe", "04:00", "2024-04-06", 24 * 60 + 30),
        ("Antarctica/Troll", "04:00", "2024-10-26", 26 * 60),
        ("Africa/Cairo", "00:00", "2024-04-26", 23 * 60),
        ("Asia/Tehran", "00:00", "2022-03-22", 23 * 60),
    ];
    for (zone, start, day, minutes) in cases {
        let rule = rule(zone, start);
        let length = rule.ends_at(date(day)) - rule.starts_at(date(day));
        assert_eq!(length.num_minutes(), minutes, "{zone} from {start}, {day}");
    }
}

#[test]
fn a_local_time_becomes_an_instant() {
    let cases = [
        ("Europe/Berlin", "2024-05-01", "09:00", "2024-05-01T07:00:00Z"),
        // In a gap, the offset before it: 02:30 at +01:00 is what the clock shows as 03:30.
        ("Europe/Berlin", "2024-03-31", "02:30", "2024-03-31T01:30:00Z"),
        ("Europe/Berlin", "2024-03-31", "03:00", "2024-03-31T01:00:00Z"),
        // In an overlap, the first.
        ("Europe/Berlin", "2024-10-27", "02:30", "2024-10-27T00:30:00Z"),
        ("America/New_York", "2024-03-10", "02:30", "2024-03-10T07:30:00Z"),
        ("America/New_York", "2024-11-03", "01:30", "2024-11-03T05:30:00Z"),
        ("America/Sao_Paulo", "2018-11-04", "00:00", "2018-11-04T03:00:00Z"),
        ("Pacific/Apia", "2011-12-30", "09:00", "2011-12-30T19:00:00Z"),
        ("Australia/Lord_Howe", "2024-10-06", "02:15", "2024-10-05T15:45:00Z"),
    ];
    for (name, day, time, expected) in cases {
        let found = instant_of(zone(name).unwrap(), date(day), day_start(time).unwrap());
        assert_eq!(found, utc(expected), "{name} {day} {time}");
    }
}

#[test]
fn settings_are_read_or_refused() {
    assert_eq!(day_start("00:00"), Ok(NaiveTime::MIN));
    assert_eq!(day_start("04:00"), Ok(NaiveTime::from_hms_opt(4, 0, 0).unwrap()));
    assert_eq!(day_start("23:59"), Ok(NaiveTime::from_hms_opt(23, 59, 0).unwrap()));
    for bad in [
        "", ":", "4:00", "04:0", "24:00", "23:60", "04:00:00", " 04:00", "04:00 ", "04.00", "0400",
        "+4:00", "04:+1", "-1:00", "４:00", "04:00Z", "four",
    ] {
        let error = day_start(bad).unwrap_err().to_string();
        assert!(error.ends_with("expected HH:MM from 00:00 to 23:59"), "{error}");
    }
    assert_eq!(zone("Europe/Berlin"), Ok(Tz::Europe__Berlin));
    assert_eq!(zone("UTC"), Ok(Tz::UTC));
    for bad in ["", "europe/berlin", "Europe/Berlin ", "Berlin", "+02:00", "UTC+2", "Mars/Olympus"]
    {
        let error = zone(bad).unwrap_err().to_string();
        assert!(error.starts_with(&format!("unknown time zone {bad:?}, expected")), "{error}");
    }
    let long = "é".repeat(1 << 20);
    assert!(zone(&long).unwrap_err().to_string().len() < 300);
    assert!(day_start(&long).unwrap_err().to_string().len() < 300);
}

#[test]
fn the_ends_of_the_calendar_are_answered() {
    for zone in TZ_VARIANTS {
        for start in [NaiveTime::MIN, NaiveTime::from_hms_opt(23, 59, 0).unwrap()] {
            let rule = DayRule { zone, day_starts_at: start };
            for end in [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC] {
                let _ = rule.local_day(end);
                let _ = DayHistory::new(rule, &[(rule, end)]).local_day(end);
            }
            for end in [NaiveDate::MIN, NaiveDate::MAX] {
                let _ = (rule.starts_at(end), rule.ends_at(end));
                let _ = instant_of(zone, end, start);
            }
        }
    }
}

#[test]
fn a_change_of_zone_takes_effect_at_the_next_day_start() {
    let berlin = rule("Europe/Berlin", "04:00");
    let new_york = rule("America/New_York", "04:00");
    let before = DayHistory::new(berlin, &[]);
    let now = utc("2024-05-01T18:00:00Z");

    let west = before.change(new_york, now);
    assert_eq!(west.current(), new_york);
    assert_eq!(west.past(), [(berlin, utc("2024-05-02T02:00:00Z"))]);
    assert_eq!(west.rule_at(now), berlin);
    assert_eq!(west.local_day(now), date("2024-05-01"));
    assert_eq!(west.ends_at(date("2024-05-01")), utc("2024-05-02T08:00:00Z"), "04:00 over there");
    assert_eq!(west.local_day(utc("2024-05-02T07:59:59Z")), date("2024-05-01"));
    assert_eq!(west.local_day(utc("2024-05-02T08:00:00Z")), date("2024-05-02"));

    let east = before.change(rule("Asia/Tokyo", "04:00"), now);
    assert_eq!(east.ends_at(date("2024-05-01")), utc("2024-05-02T02:00:00Z"), "not cut short");
    assert_eq!(east.local_day(utc("2024-05-02T02:00:00Z")), date("2024-05-02"));
    assert_eq!(east.ends_at(date("2024-05-02")), utc("2024-05-02T19:00:00Z"));
}

#[test]
fn a_change_may_skip_a_date_but_never_goes_back() {
    let far_west = rule("Etc/GMT+12", "04:00");
    let far_east = rule("Pacific/Kiritimati", "04:00");
    let now = utc("2024-05-01T18:00:00Z");

    let east = DayHistory::new(far_west, &[]).change(far_east, now);
    assert_eq!(east.local_day(utc("2024-05-02T15:59:59Z")), date("2024-05-01"));
    assert_eq!(east.local_day(utc("2024-05-02T16:00:00Z")), date("2024-05-03"));
    assert_eq!(east.starts_at(date("2024-05-02")), east.ends_at(date("2024-05-02")), "skipped");

    // The last day in the east, 2024-05-02, ends at 14:00Z, when the west has 2024-05-01 still.
    let west = DayHistory::new(far_east, &[]).change(far_west, now);
    assert_eq!(far_west.local_day(utc("2024-05-02T14:00:00Z")), date("2024-05-01"));
    assert_eq!(west.local_day(utc("2024-05-02T14:00:00Z")), date("2024-05-02"));
    assert_eq!(west.ends_at(date("2024-05-02")), utc("2024-05-03T16:00:00Z"));
}

#[test]
fn a_rule_that_has_not_taken_effect_is_replaced() {
    let berlin = rule("Europe/Berlin", "04:00");
    let now = utc("2024-05-01T18:00:00Z");
    let history = DayHistory::new(berlin, &[]);
    assert_eq!(history.change(berlin, now), history, "nothing changes");
    let later = rule("Europe/Berlin", "06:00");
    let other = rule("Asia/Tokyo", "06:00");
    let twice = history.change(later, now).change(other, now + TimeDelta::hours(1));
    assert_eq!(twice, history.change(other, now));
    let back = history.change(later, now).change(berlin, now + TimeDelta::hours(1));
    assert_eq!(back, history);
}

#[test]
fn what_arrives_late_counts_by_the_rule_of_its_time() {
    let berlin = rule("Europe/Berlin", "04:00");
    let auckland = rule("Pacific/Auckland", "04:00");
    let honolulu = rule("Pacific/Honolulu", "04:00");
    let mut history = DayHistory::new(berlin, &[]);
    for (new, now) in [
        (auckland, "2024-05-10T12:00:00Z"),
        (honolulu, "2024-05-20T12:00:00Z"),
        (berlin, "2024-05-30T20:00:00Z"),
    ] {
        history = history.change(new, utc(now));
    }
    let then = [
        (berlin, "2024-05-05T01:00:00Z"),
        (auckland, "2024-05-15T20:00:00Z"),
        (honolulu, "2024-05-25T10:00:00Z"),
        (berlin, "2024-06-05T01:00:00Z"),
    ];
    for (rule, at) in then.map(|(rule, at)| (rule, utc(at))) {
        assert_eq!(history.rule_at(at), rule, "{at}");
        assert_eq!(history.local_day(at), rule.local_day(at), "{at}");
        let day = history.local_day(at);
        assert_eq!(history.starts_at(day), rule.starts_at(day), "{at}");
    }
}

#[test]
fn so_many_rules_are_kept_and_the_oldest_of_them_counts_for_what_is_older() {
    let at = utc("2024-05-01T12:00:00Z");
    let mut history = DayHistory::new(rule("UTC", "00:00"), &[]);
    for number in 0..i64::try_from(PAST_RULES).unwrap() + 10 {
        let new = rule("UTC", if number % 2 == 0 { "01:00" } else { "00:00" });
        history = history.change(new, at + TimeDelta::days(number * 2));
    }
    assert_eq!(history.past().len(), PAST_RULES);
    assert_eq!(history.rule_at(at), history.past()[0].0);
}

#[test]
fn days_are_counted_on_to_the_ends_of_the_calendar() {
    assert_eq!(days_later(date("2024-02-28"), 2), date("2024-03-01"));
    assert_eq!(days_later(date("2024-03-01"), -2), date("2024-02-28"));
    assert_eq!(days_later(date("9999-12-31"), 1), date("+10000-01-01"));
    for days in [i64::MAX, i64::from(i32::MAX)] {
        assert_eq!(days_later(date("2024-03-01"), days), NaiveDate::MAX);
        assert_eq!(days_later(date("2024-03-01"), -days), NaiveDate::MIN);
    }
}
