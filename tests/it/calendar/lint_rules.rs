//! The lint catches what it is for: each rule, on a document that breaks it.

use std::collections::BTreeSet;

use super::lint::{Rule, lint};

const GOOD: &str = "\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Traverse//Revisions//EN
CALSCALE:GREGORIAN
NAME:My revisions
X-WR-CALNAME:My revisions
REFRESH-INTERVAL;VALUE=DURATION:PT1H
X-PUBLISHED-TTL:PT1H
BEGIN:VEVENT
UID:a
DTSTAMP:20260304T050607Z
LAST-MODIFIED:20260304T050607Z
SEQUENCE:3
DTSTART;VALUE=DATE:20261231
SUMMARY:Two\\, Sum
DESCRIPTION:Step 2\\nof 7 with a long line that goes on and on until 
  the end
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
SEQUENCE:0
DTSTART:20261231T235959Z
SUMMARY:字字
DESCRIPTION:
CLASS:PRIVATE
STATUS:CONFIRMED
TRANSP:TRANSPARENT
END:VEVENT
END:VCALENDAR
";

/// What is broken, where in the good document, by what, and the rules that must be named.
const BREAKS: [(&str, &str, &str, &[Rule]); 63] = [
    ("a line that ends in LF", "VERSION:2.0\r\n", "VERSION:2.0\n", &[Rule::LineEnd]),
    ("a bare CR", "My revisions", "My\rrevisions", &[Rule::LineEnd, Rule::Value]),
    ("a bare LF", "SUMMARY:字字", "SUMMARY:字\n字", &[Rule::LineEnd, Rule::ContentLine]),
    ("an empty line", "UID:a\r\n", "UID:a\r\n\r\n", &[Rule::LineEnd, Rule::ContentLine]),
    ("no CRLF at the end", "END:VCALENDAR\r\n", "END:VCALENDAR", &[Rule::LineEnd]),
    ("76 octets", "goes on and", "goes on and on for one too many and", &[Rule::LineLength]),
    (
        "76 octets in 26 characters",
        "字字",
        "字字字字字字字字字字字字字字字字字字字字字字字",
        &[Rule::LineLength],
    ),
    ("a fold after a lone backslash", "Two\\, Sum", "Two\\\r\n , Sum", &[Rule::SplitEscape]),
    ("a fold of nothing", "UID:a\r\n", "UID:a\r\n \r\n", &[Rule::Fold]),
    ("a fold of no line", "BEGIN:VCALENDAR", " x\r\nBEGIN:VCALENDAR", &[Rule::Fold]),
    ("a folded line without its space", "\r\n  the end", "\r\nthe end", &[Rule::ContentLine]),
    ("NUL", "字字", "字\0字", &[Rule::Control]),
    ("a tab", "字字", "字\t字", &[Rule::Control]),
    ("VT", "字字", "字\u{b}字", &[Rule::Control]),
    ("DEL", "字字", "字\u{7f}字", &[Rule::Control]),
    ("NEL", "字字", "字\u{85}字", &[Rule::Control]),
    ("a C1 control", "字字", "字\u{9f}字", &[Rule::Control]),
    ("a line separator", "字字", "字\u{2028}字", &[Rule::Control]),
    ("U+FFFE", "字字", "字\u{fffe}字", &[Rule::NonCharacter]),
    ("U+10FFFF", "字字", "字\u{10ffff}字", &[Rule::NonCharacter]),
    ("U+FDD0", "字字", "字\u{fdd0}字", &[Rule::NonCharacter]),
    ("a right-to-left override", "字字", "字\u{202e}字", &[Rule::Direction]),
    ("an open isolate", "字字", "字\u{2067}字", &[Rule::Direction]),
    ("no colon", "UID:a", "UID:a\r\nx", &[Rule::ContentLine]),
    ("no name", "UID:a", "UID:a\r\n:x", &[Rule::ContentLine]),
    ("a lower-case name", "UID:a", "uid:a", &[Rule::ContentLine, Rule::Missing]),
    ("no END of the calendar", "END:VCALENDAR\r\n", "", &[Rule::Nesting, Rule::Empty]),
    ("two ENDs", "END:VCALENDAR", "END:VCALENDAR\r\nEND:VCALENDAR", &[Rule::Nesting]),
    ("another END", "END:VEVENT", "END:VTODO", &[Rule::Nesting]),
    ("a line after the end", "END:VCALENDAR", "END:VCALENDAR\r\nX:y", &[Rule::Nesting]),
    ("no VERSION", "VERSION:2.0\r\n", "", &[Rule::Missing]),
    ("no PRODID", "PRODID:-//Traverse//Revisions//EN\r\n", "", &[Rule::Missing]),
    ("no NAME", "\r\nNAME:My revisions", "", &[Rule::Missing, Rule::Value]),
    ("two names", "X-WR-CALNAME:My", "X-WR-CALNAME:Your", &[Rule::Value]),
    ("no UID", "UID:a\r\n", "", &[Rule::Missing]),
    ("no DTSTART", "DTSTART;VALUE=DATE:20261231\r\n", "", &[Rule::Missing]),
    ("no CLASS", "CLASS:PRIVATE\r\n", "", &[Rule::Missing]),
    ("no LAST-MODIFIED", "LAST-MODIFIED:20260304T050607Z\r\n", "", &[Rule::Missing, Rule::Value]),
    (
        "two CALSCALEs",
        "CALSCALE:GREGORIAN",
        "CALSCALE:GREGORIAN\r\nCALSCALE:GREGORIAN",
        &[Rule::Repeated],
    ),
    ("two SUMMARYs", "SUMMARY:字字", "SUMMARY:字字\r\nSUMMARY:字字", &[Rule::Repeated]),
    ("METHOD", "VERSION:2.0", "VERSION:2.0\r\nMETHOD:PUBLISH", &[Rule::Forbidden]),
    ("SOURCE", "VERSION:2.0", "VERSION:2.0\r\nSOURCE:https://a.b/", &[Rule::Forbidden]),
    ("ORGANIZER", "UID:a", "UID:a\r\nORGANIZER:mailto:a@b.c", &[Rule::Forbidden]),
    ("DTEND", "UID:a", "UID:a\r\nDTEND;VALUE=DATE:20270101", &[Rule::Forbidden]),
    ("a VALARM", "UID:a", "UID:a\r\nBEGIN:VALARM\r\nEND:VALARM", &[Rule::Forbidden, Rule::Missing]),
    (
        "a VTIMEZONE",
        "BEGIN:VEVENT\r\nUID:b",
        "BEGIN:VTIMEZONE\r\nUID:b",
        &[Rule::Forbidden, Rule::Nesting],
    ),
    ("another VERSION", "VERSION:2.0", "VERSION:1.0", &[Rule::Value]),
    ("public", "CLASS:PRIVATE", "CLASS:PUBLIC", &[Rule::Value]),
    ("opaque", "TRANSP:TRANSPARENT", "TRANSP:OPAQUE", &[Rule::Value]),
    ("an interval of no type", ";VALUE=DURATION", "", &[Rule::Value]),
    ("a date as a date-time", "DTSTART;VALUE=DATE:", "DTSTART:", &[Rule::Value]),
    ("month 13", "DATE:20261231", "DATE:20261331", &[Rule::Value]),
    ("year 10000", "DATE:20261231", "DATE:+100001231", &[Rule::Value]),
    ("a local time", "20261231T235959Z", "20261231T235959", &[Rule::Value]),
    ("second 60", "235959Z", "235960Z", &[Rule::Value]),
    ("a negative SEQUENCE", "SEQUENCE:3", "SEQUENCE:-3", &[Rule::Value]),
    ("a SEQUENCE past 31 bits", "SEQUENCE:3", "SEQUENCE:2147483648", &[Rule::Value]),
    ("a script as URL", "URL:https://leetcode.com", "URL:javascript:", &[Rule::Value]),
    ("a URL with a backslash", "two-sum/", "two\\,sum/", &[Rule::Value]),
    ("an unknown escape", "Two\\, Sum", "Two\\r Sum", &[Rule::Escape]),
    ("a bare semicolon", "Two\\, Sum", "Two; Sum", &[Rule::Escape]),
    ("a bare comma", "Two\\, Sum", "Two, Sum", &[Rule::Escape]),
    ("two events of one UID", "UID:b", "UID:a", &[Rule::SharedUid]),
];

fn good() -> String {
    GOOD.replace('\n', "\r\n")
}

#[test]
fn the_good_document_has_no_fault_and_is_read() {
    let report = lint(good().as_bytes());
    assert_eq!(report.faults, []);
    assert_eq!(report.name, "My revisions");
    assert_eq!(report.events.len(), 2);
    let first = &report.events[0];
    assert_eq!(first.summary, "Two, Sum");
    assert!(first.description.starts_with("Step 2\nof 7 with a long line"));
    assert!(first.description.ends_with("goes on and on until  the end"));
    assert_eq!(first.categories, ["Array", "Hash, Table"]);
    assert_eq!((first.start.as_str(), first.sequence.as_str()), ("20261231", "3"));
    assert_eq!(report.events[1].start, "20261231T235959Z");
}

#[test]
fn each_break_is_named_by_its_rules_and_no_other() {
    for (broken, from, to, rules) in BREAKS {
        let document = good().replacen(from, to, 1);
        assert_ne!(document, good(), "{broken}: nothing was broken");
        let report = lint(document.as_bytes());
        let expected: BTreeSet<Rule> = rules.iter().copied().collect();
        assert_eq!(report.rules(), expected, "{broken}: {:#?}", report.faults);
    }
}

/// Faults of bytes that are not the text of any Rust string, and of documents as a whole.
fn byte_breaks() -> Vec<(&'static str, Vec<u8>, Rule)> {
    let good = good().into_bytes();
    let in_the_summary = good.windows(3).position(|bytes| bytes == "字".as_bytes()).unwrap();
    let mut split = good.clone();
    let inside = in_the_summary + 1;
    split.splice(inside..inside, *b"\r\n ");
    let mut latin = good.clone();
    latin[in_the_summary] = 0xff;
    let mut long = good.clone();
    let event = String::from_utf8(good.clone()).unwrap();
    let event = event.split_once("BEGIN:VEVENT").unwrap().1.split_once("END:VEVENT").unwrap().0;
    let event = format!("BEGIN:VEVENT{event}END:VEVENT\r\n");
    long.truncate(good.len() - "END:VCALENDAR\r\n".len());
    for number in 0..4_000 {
        long.extend(event.replace("UID:a", &format!("UID:{number}")).bytes());
    }
    long.extend(b"END:VCALENDAR\r\n");
    vec![
        ("nothing", Vec::new(), Rule::Empty),
        ("a line that is no calendar", b"X:y\r\n".to_vec(), Rule::Empty),
        ("two calendars", [good.clone(), good].concat(), Rule::Empty),
        ("a fold inside a character", split, Rule::SplitCharacter),
        ("Latin-1", latin, Rule::Encoding),
        ("a megabyte", long, Rule::Size),
    ]
}

#[test]
fn breaks_of_bytes_are_named() {
    for (broken, document, rule) in byte_breaks() {
        let report = lint(&document);
        assert!(report.rules().contains(&rule), "{broken}: {:?}", report.faults.first());
    }
}

#[test]
fn every_rule_is_broken_by_some_document() {
    let mut broken: BTreeSet<Rule> = byte_breaks().into_iter().map(|(_, _, rule)| rule).collect();
    broken.extend(BREAKS.iter().flat_map(|(_, _, _, rules)| rules.iter().copied()));
    assert_eq!(broken, BTreeSet::from(Rule::ALL));
}
