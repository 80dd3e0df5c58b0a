//! Conditional requests, header by header.

use chrono::{DateTime, TimeDelta, Utc};
use traverse::calendar::validators::{Conditions, Validators, modified_at};
use traverse::db::instant::At;

fn at(text: &str) -> At {
    text.parse::<DateTime<Utc>>().unwrap().into()
}

fn current() -> Validators {
    Validators { etag: "abc".to_owned(), modified_at: at("1994-11-06T08:49:37Z") }
}

fn holds(none_match: &[&str], since: &[&str]) -> bool {
    let bytes = |values: &[&'static str]| -> Vec<&'static [u8]> {
        values.iter().map(|value| value.as_bytes()).collect()
    };
    let leak = |values: &[&str]| -> Vec<&'static str> {
        values.iter().map(|value| &*value.to_string().leak()).collect()
    };
    Conditions::read(&bytes(&leak(none_match)), &bytes(&leak(since))).hold(&current())
}

#[test]
fn tags() {
    for (known, values) in [
        (true, &["\"abc\""][..]),
        (true, &["W/\"abc\""]),
        (true, &["\"x\", \"abc\""]),
        (true, &["\"x\",W/\"abc\",\"y\""]),
        (true, &[" ,, \"x\" , \"abc\" "]),
        (true, &["\"a,b\", \"abc\""]),
        (true, &["\"\", \"abc\""]),
        (true, &["\"x\"", "\"abc\""]),
        (true, &["*"]),
        (true, &[" * "]),
        (false, &["\"x\""]),
        (false, &["\"ABC\""]),
        (false, &["\"ab\", \"c\""]),
        (false, &["\"x, abc\""]),
        (false, &["abc"]),
        (false, &["\"abc"]),
        (false, &["w/\"abc\""]),
        (false, &["x, \"abc\""]),
        (false, &["\"x\", *"]),
        (false, &[""]),
    ] {
        assert_eq!(holds(values, &[]), known, "{values:?}");
    }
}

#[test]
fn dates() {
    for (known, values) in [
        (true, &["Sun, 06 Nov 1994 08:49:37 GMT"][..]),
        (true, &["Sun, 06 Nov 1994 08:49:38 GMT"]),
        (true, &["Sunday, 06-Nov-94 08:49:37 GMT"]),
        (true, &["Sun Nov  6 08:49:37 1994"]),
        (false, &["Sun, 06 Nov 1994 08:49:36 GMT"]),
        (false, &["Sun, 06 Nov 1994 08:49:37 +0000"]),
        (false, &["1994-11-06T08:49:37Z"]),
        (false, &["0"]),
        (false, &["Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"]),
        (false, &[]),
    ] {
        assert_eq!(holds(&[], values), known, "{values:?}");
    }
}

#[test]
fn tags_win_over_dates() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    assert!(!holds(&["\"x\""], &[date]));
    assert!(!holds(&["unreadable"], &[date]));
    assert!(holds(&["\"abc\""], &["Sun, 06 Nov 1994 08:49:36 GMT"]));
}

#[test]
fn headers_are_as_http_writes_them() {
    assert_eq!(current().entity_tag(), "\"abc\"");
    assert_eq!(current().last_modified(), "Sun, 06 Nov 1994 08:49:37 GMT");
}

/// Whole seconds that grow with each change, whatever the clock does.
#[test]
fn a_date_is_never_used_twice() {
    let noon = at("2026-09-01T12:00:00Z");
    let soon = At::from(*noon + TimeDelta::milliseconds(999));
    let next = at("2026-09-01T12:00:01Z");
    assert_eq!(modified_at(None, soon), noon);
    assert_eq!(modified_at(Some(noon), soon), next);
    assert_eq!(modified_at(Some(next), noon), at("2026-09-01T12:00:02Z"));
    assert_eq!(modified_at(Some(noon), at("2026-09-02T00:00:00Z")), at("2026-09-02T00:00:00Z"));
}
