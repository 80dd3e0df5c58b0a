//! What the emitter writes, byte for byte and rule by rule.

use chrono::{DateTime, NaiveDate, TimeZone, Utc};
use traverse::calendar::ics::{Event, Feed, MAX_BYTES, MAX_TEXT, MAX_URL, Start, plain_text};

use super::{lint, nasty};

fn at(year: i32, second: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(year, 3, 4, 5, 6, second).unwrap()
}

fn day(year: i32) -> Start {
    Start::Day(NaiveDate::from_ymd_opt(year, 12, 31).unwrap())
}

fn event(uid: &str) -> Event {
    Event {
        uid: uid.to_owned(),
        changed_at: at(2026, 7),
        sequence: 3,
        start: day(2026),
        summary: "Two Sum".to_owned(),
        description: "Step 2 of 7".to_owned(),
        url: Some("https://leetcode.com/problems/two-sum/".to_owned()),
        categories: vec!["Array".to_owned(), "Hash, Table".to_owned()],
    }
}

fn feed(events: Vec<Event>) -> Feed {
    Feed { name: "Revisions".to_owned(), events }
}

#[test]
fn every_byte_of_two_events() {
    let timed = Event {
        start: Start::Instant(at(2027, 9)),
        url: None,
        categories: Vec::new(),
        description: String::new(),
        ..event("b")
    };
    let document = feed(vec![event("a"), timed]).document();
    assert_eq!((document.written, document.left_out), (2, 0));
    let expected = "\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Traverse//Revisions//EN
CALSCALE:GREGORIAN
NAME:Revisions
X-WR-CALNAME:Revisions
REFRESH-INTERVAL;VALUE=DURATION:PT1H
X-PUBLISHED-TTL:PT1H
BEGIN:VEVENT
UID:a
DTSTAMP:20260304T050607Z
LAST-MODIFIED:20260304T050607Z
SEQUENCE:3
DTSTART;VALUE=DATE:20261231
SUMMARY:Two Sum
DESCRIPTION:Step 2 of 7
URL:https://leetcode.com/problems/two-sum/
CATEGORIES:Array,Hash\\, Table
CLASS:PRIVATE
STATUS:CONFIRMED
TRANSP:TRANSPARENT
END:VEVENT
BEGIN:VEVENT
UID:b
DTSTAMP:20260304T050607Z
LAST-MODIFIED:20260304T050607Z
SEQUENCE:3
DTSTART:20270304T050609Z
SUMMARY:Two Sum
DESCRIPTION:
CLASS:PRIVATE
STATUS:CONFIRMED
TRANSP:TRANSPARENT
END:VEVENT
END:VCALENDAR
"
    .replace('\n', "\r\n");
    assert_eq!(document.text, expected);
}

#[test]
fn no_events_is_a_calendar() {
    let document = feed(Vec::new()).document();
    let report = lint::lint(document.text.as_bytes());
    assert_eq!(report.faults, []);
    assert_eq!((report.events.len(), report.name.as_str()), (0, "Revisions"));
    assert!(document.text.ends_with("PT1H\r\nEND:VCALENDAR\r\n"));
}

#[test]
fn nasty_texts_read_as_written_by_hand() {
    for (source, seen) in nasty::TEXTS {
        assert_eq!(plain_text(source), seen, "{source:?}");
        let mut one = event("a");
        one.summary = source.to_owned();
        one.description = format!("{source}{source}");
        one.categories = vec![source.to_owned(), "x".to_owned(), source.to_owned()];
        let document = Feed { name: source.to_owned(), events: vec![one] }.document();
        let report = lint::lint(document.text.as_bytes());
        assert_eq!(report.faults, [], "{source:?}");
        assert_eq!(report.name, seen);
        assert_eq!(report.events[0].summary, seen);
        assert_eq!(report.events[0].description, format!("{seen}{seen}"));
        let labels = if seen.is_empty() { vec!["x"] } else { vec![seen, "x", seen] };
        assert_eq!(report.events[0].categories, labels);
    }
}

#[test]
fn urls_are_written_as_uris_or_left_out() {
    for (source, seen) in nasty::URLS {
        let one = Event { url: Some(source.to_owned()), ..event("a") };
        let report = lint::lint(feed(vec![one]).document().text.as_bytes());
        assert_eq!(report.faults, [], "{source:?}");
        assert_eq!(report.events[0].url.as_deref(), seen, "{source:?}");
    }
    for (length, kept) in [(MAX_URL, true), (MAX_URL + 1, false)] {
        let url = format!("https://example.com/{}", "x".repeat(length - 20));
        let one = Event { url: Some(url.clone()), ..event("a") };
        let report = lint::lint(feed(vec![one]).document().text.as_bytes());
        assert_eq!(report.faults, []);
        assert_eq!(report.events[0].url, kept.then_some(url));
    }
}

#[test]
fn a_long_text_is_cut_between_characters() {
    for (source, seen) in [
        ("x".repeat(MAX_TEXT), "x".repeat(MAX_TEXT)),
        ("x".repeat(MAX_TEXT + 1), "x".repeat(MAX_TEXT) + "…"),
        ("x".to_owned() + &"字".repeat(MAX_TEXT), "x".to_owned() + &"字".repeat(2_666) + "…"),
        // What is removed takes no room.
        ("\0".repeat(MAX_TEXT * 2) + "x", "x".to_owned()),
    ] {
        assert_eq!(plain_text(&source), seen);
        assert_eq!(plain_text(&seen), seen, "cutting again changes nothing");
    }
    let labels = vec!["x".repeat(MAX_TEXT / 2); 3];
    let one = Event { categories: labels.clone(), ..event("a") };
    let report = lint::lint(feed(vec![one]).document().text.as_bytes());
    assert_eq!(report.faults, []);
    assert_eq!(report.events[0].categories, labels[..2]);
}

#[test]
fn numbers_stay_within_the_format() {
    for (sequence, seen) in [(-1, "0"), (0, "0"), (i64::MAX, "2147483647")] {
        let one = Event { sequence, ..event("a") };
        let report = lint::lint(feed(vec![one]).document().text.as_bytes());
        assert_eq!(report.faults, []);
        assert_eq!(report.events[0].sequence, seen);
    }
}

#[test]
fn years_that_the_format_cannot_express_are_left_out_and_counted() {
    let all = vec![
        Event { start: day(9999), ..event("a") },
        Event { start: day(10_000), ..event("b") },
        Event { start: day(0), ..event("c") },
        Event { start: Start::Instant(at(10_000, 0)), ..event("d") },
        Event { changed_at: DateTime::<Utc>::MIN_UTC, ..event("e") },
        Event { start: day(1), ..event("f") },
    ];
    let document = feed(all).document();
    let report = lint::lint(document.text.as_bytes());
    assert_eq!(report.faults, []);
    assert_eq!((document.written, document.left_out), (2, 4));
    assert_eq!(report.events[0].start, "99991231");
    assert_eq!(report.events[1].start, "00011231");
}

#[test]
fn a_leap_second_and_fractions_are_whole_seconds() {
    let leap = DateTime::parse_from_rfc3339("2016-12-31T23:59:60.75Z").unwrap().to_utc();
    let one = Event { changed_at: leap, start: Start::Instant(leap), ..event("a") };
    let report = lint::lint(feed(vec![one]).document().text.as_bytes());
    assert_eq!(report.faults, []);
    assert_eq!(report.events[0].stamp, "20161231T235959Z");
    assert_eq!(report.events[0].start, "20161231T235959Z");
}

#[test]
fn a_long_feed_keeps_the_first_events_and_stays_under_the_limit() {
    let description = "字".repeat(500);
    let events: Vec<Event> = (0..2_000)
        .map(|number| Event { description: description.clone(), ..event(&number.to_string()) })
        .collect();
    let document = feed(events).document();
    let report = lint::lint(document.text.as_bytes());
    assert_eq!(report.faults, []);
    assert_eq!(document.written + document.left_out, 2_000);
    assert_eq!(report.events.len(), document.written);
    let uids: Vec<String> = report.events.into_iter().map(|event| event.uid).collect();
    assert_eq!(uids, (0..document.written).map(|n| n.to_string()).collect::<Vec<_>>());
    assert!(MAX_BYTES - document.text.len() < 2_500, "an event more would have fitted");
}

#[test]
fn the_limit_is_exact_to_the_octet() {
    let two = feed(vec![event("a"), event("b")]);
    let whole = two.document().text.len();
    assert_eq!(two.document_within(whole + 1).written, 2);
    let cut = two.document_within(whole);
    assert_eq!((cut.written, cut.left_out), (1, 1));
    assert_eq!(cut.text, feed(vec![event("a")]).document().text);
    let none = two.document_within(0);
    assert_eq!((none.written, none.left_out), (0, 2));
    assert_eq!(lint::lint(none.text.as_bytes()).faults, []);
}
