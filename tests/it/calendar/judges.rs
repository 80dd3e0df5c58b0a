//! Five parsers that other people wrote read a feed and find what a reader must see. They are made
//! ready by `scripts/judges`, and a test that does not find them fails.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use traverse::calendar::ics::{Event, Feed, MAX_TEXT, Start};

use super::nasty;

const NAME: (&str, &str) =
    ("Revisions; all, of \"them\"\r\nsí 🎯", "Revisions; all, of \"them\"\nsí 🎯");

/// Has all judges read a feed and find exactly what is expected: `{name, events: […]}`, as
/// `tests/judges/calendar/judge.py` describes it.
pub fn accept(feed: &[u8], expected: &Value) {
    let files = Files::write(feed, expected);
    let empty = expected["events"].as_array().unwrap().is_empty();
    for (mut judge, parsers) in [(python("judge.py"), 4), (node("judge.mjs"), 1)] {
        judge.args([&files.feed, &files.expected]);
        if empty {
            judge.arg("--empty");
        }
        let said = run(&mut judge);
        let verdict = said.lines().last().unwrap_or_default();
        assert!(verdict.starts_with(&format!("{parsers} parser")), "{said}");
        assert!(verdict.ends_with("events checked: ok"), "{said}");
    }
}

struct Files {
    feed: PathBuf,
    expected: PathBuf,
}

impl Files {
    fn write(feed: &[u8], expected: &Value) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("feed-{}-{number}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let files = Self {
            feed: folder.join(format!("{name}.ics")),
            expected: folder.join(format!("{name}.json")),
        };
        std::fs::write(&files.feed, feed).unwrap();
        std::fs::write(&files.expected, expected.to_string()).unwrap();
        files
    }
}

impl Drop for Files {
    /// What a judge refused stays, to be looked at.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            drop(std::fs::remove_file(&self.feed));
            drop(std::fs::remove_file(&self.expected));
        }
    }
}

fn python(script: &str) -> Command {
    let mut command = Command::new(judges("TRAVERSE_JUDGES_PYTHON"));
    command.arg(folder().join(script));
    command
}

fn node(script: &str) -> Command {
    let mut command = Command::new("node");
    command.env("TRAVERSE_JUDGES_NODE", judges("TRAVERSE_JUDGES_NODE")).arg(folder().join(script));
    command
}

/// Where the judges live.
fn judges(variable: &str) -> String {
    std::env::var(variable).expect(
        "TRAVERSE_JUDGES_PYTHON and TRAVERSE_JUDGES_NODE name the judges; run `scripts/test`",
    )
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges/calendar")
}

fn run(command: &mut Command) -> String {
    let done = command.output().expect("the judges are there");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    said
}

/// Alternately a day and an instant, so that every text meets a parser with one of them.
fn start(number: u32) -> (Start, String) {
    let day = NaiveDate::from_ymd_opt(2024, 2, 27).unwrap() + Days::new(number.into());
    if number.is_multiple_of(2) {
        return (Start::Day(day), day.to_string());
    }
    let at = day.and_time(NaiveTime::MIN).and_utc() + TimeDelta::seconds(86_399);
    (Start::Instant(at), at.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

fn event(number: u32, text: (&str, &str), url: (&str, Option<&str>)) -> (Event, Value) {
    let uid = format!("{number:032x}@traverse");
    let changed_at =
        DateTime::<Utc>::UNIX_EPOCH + TimeDelta::seconds(1_700_000_000 + i64::from(number));
    let (start, seen_start) = start(number);
    let (source, seen) = text;
    let labels = |text: &str| {
        let all = ["Array".to_owned(), text.to_owned(), format!("{text}, or")];
        all.into_iter().filter(|label| !label.is_empty()).collect::<Vec<_>>()
    };
    let seen = json!({
        "uid": uid,
        "changed_at": changed_at.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "sequence": number,
        "start": seen_start,
        "summary": seen,
        "description": format!("{seen}\nthen {seen}"),
        "url": url.1,
        "categories": labels(seen),
    });
    let event = Event {
        uid,
        changed_at,
        sequence: number.into(),
        start,
        summary: source.to_owned(),
        description: format!("{source}\nthen {source}"),
        url: Some(url.0.to_owned()),
        categories: labels(source),
    };
    (event, seen)
}

/// A document of all that has broken calendars, and what a reader must see of it.
fn nasty_document() -> (String, Value) {
    let long = "字".repeat(MAX_TEXT / 3 / 2 - 10);
    let plain = nasty::TEXTS.iter().map(|&text| (text, nasty::URLS[0]));
    let linked = nasty::URLS.iter().map(|&url| (("Two Sum", "Two Sum"), url));
    let all = plain.chain(linked).chain([((long.as_str(), long.as_str()), nasty::URLS[0])]);
    let (events, seen): (Vec<Event>, Vec<Value>) =
        (0..).zip(all).map(|(number, (text, url))| event(number, text, url)).unzip();
    let document = Feed { name: NAME.0.to_owned(), events }.document();
    (document.text, json!({ "name": NAME.1, "events": seen }))
}

#[test]
fn all_read_a_nasty_document() {
    let (document, expected) = nasty_document();
    accept(document.as_bytes(), &expected);
}

#[test]
fn all_read_an_empty_document() {
    let document = Feed { name: "Revisions".to_owned(), events: Vec::new() }.document();
    accept(document.text.as_bytes(), &json!({"name": "Revisions", "events": []}));
}

/// The same document, broken in many ways: every judge refuses every one.
#[test]
fn the_judges_are_judged() {
    let (document, expected) = nasty_document();
    let files = Files::write(document.as_bytes(), &expected);
    let mut judge = python("judge_the_judges.py");
    judge
        .env("TRAVERSE_JUDGES_NODE", judges("TRAVERSE_JUDGES_NODE"))
        .args([&files.feed, &files.expected]);
    let said = run(&mut judge);
    assert!(said.lines().last().unwrap_or_default().ends_with("breaks each: ok"), "{said}");
}
