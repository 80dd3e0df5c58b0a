//! Codeforces: the answer of the API method `user.status`.
//!
//! Source: the API's description (codeforces.com/apiHelp) and the design note on import formats.
//! It is `{"status", "comment"?, "result": [submission]}`, members in any order, several answers
//! one after another (pages), or the array alone. Only a final `OK` is a solve. A team's submission
//! counts for the member whose history it is. `rating` is a rating, not a difficulty.

use chrono::DateTime;
use serde::Deserialize;

use crate::problems::identity::Platform;

use super::format::{Format, Source};
use super::head::Head;
use super::item::{Item, Precision};
use super::json::{self, Attempt, Json, Open, Text};
use super::place;
use super::quote::quoted;
use super::rows::{Outcome, Rows};
use super::unreadable::{Halt, Unreadable};
use super::window::Window;

pub(super) const SOURCE: Source = Source { recognises, read };

/// The contest under which the API files the problems of acm.sgu.ru.
const ACM_SGU_RU: u32 = 99_999;

fn recognises(head: &Head) -> bool {
    let Head::Json(sketch) = head else {
        return false;
    };
    sketch.rows_have(&["[]"], &["creationTimeSeconds", "problem.index"])
        || sketch.rows_have(&[""], &["status", "result"])
        || sketch.rows_have(&[""], &["status", "comment"])
        || sketch.has("result[].creationTimeSeconds")
}

fn read(head: &Head, window: &mut Window<'_>, rows: &mut Rows<'_>) -> Result<(), Halt> {
    if !matches!(head, Head::Json(_)) {
        let reason = format!("JSON expected, found {}", head.describe()).into();
        return Err(Unreadable::NotThisFormat { format: Format::Codeforces, reason }.into());
    }
    "a Codeforces submission history (user.status)".clone_into(&mut rows.detail);
    let mut json = Json::over(window);
    while let Some(open) = json.document()? {
        match open {
            Open::Array => json.rows(rows, row)?,
            Open::Object => answer(&mut json, rows)?,
        }
    }
    Ok(())
}

fn answer(json: &mut Json<'_, '_>, rows: &mut Rows<'_>) -> Result<(), Halt> {
    let mut status = None;
    let mut comment = None;
    let mut has_result = false;
    while let Some(member) = json.member()? {
        match member.as_str() {
            "status" => status = json.small::<String>()?.ok(),
            "comment" => comment = json.small::<String>()?.ok(),
            "result" => match json.open()? {
                Some(Open::Array) => {
                    has_result = true;
                    json.rows(rows, row)?;
                }
                _ => return Err(not_this("its member “result” is no array")),
            },
            _ => json.skip()?,
        }
    }
    match status.as_deref() {
        Some("OK") | None if has_result => Ok(()),
        Some("OK") | None => Err(not_this("it has no member “result”")),
        Some(other) => Err(Unreadable::Refused(format!(
            "Codeforces answered {} with the comment {}",
            quoted(other),
            quoted(comment.as_deref().unwrap_or("(none)"))
        ))
        .into()),
    }
}

fn not_this(reason: &'static str) -> Halt {
    Unreadable::NotThisFormat { format: Format::Codeforces, reason: reason.into() }.into()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a submission of Codeforces")]
struct Submission<'a> {
    id: u64,
    contest_id: Option<u32>,
    creation_time_seconds: i64,
    #[serde(borrow)]
    problem: Problem<'a>,
    programming_language: Option<Text<'a>>,
    verdict: Option<Text<'a>>,
    testset: Option<Text<'a>>,
    time_consumed_millis: Option<u64>,
    memory_consumed_bytes: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a problem of Codeforces")]
struct Problem<'a> {
    contest_id: Option<u32>,
    #[serde(borrow)]
    problemset_name: Option<Text<'a>>,
    index: Text<'a>,
    name: Option<Text<'a>>,
    #[serde(default)]
    tags: Vec<Text<'a>>,
}

fn row(bytes: &[u8]) -> Attempt<Outcome> {
    json::row(bytes, |submission: Submission<'_>| item(submission).into())
}

fn item(submission: Submission<'_>) -> Result<Item, Outcome> {
    match submission.verdict.as_ref().map(Text::as_str) {
        Some("OK") => {}
        None | Some("TESTING" | "SUBMITTED") => return Err(Outcome::ignored("still being tested")),
        Some(other) => {
            let verdict = quoted(other);
            return Err(Outcome::ignored(format!(
                "verdict {verdict}: only accepted submissions make solves"
            )));
        }
    }
    if let Some(testset) = submission.testset.as_ref().map(Text::as_str).filter(|t| !is_final(t)) {
        let testset = quoted(testset);
        return Err(Outcome::ignored(format!(
            "passed the testset {testset}, which is not the final one"
        )));
    }
    let slug = slug(&submission)?;
    let Problem { name, tags, .. } = submission.problem;
    Ok(Item {
        title: name.map(String::from),
        // The contest archive puts the rating among the tags.
        tags: tags.into_iter().filter(|tag| !is_rating(tag.as_str())).map(String::from).collect(),
        happened_at: Some(
            DateTime::from_timestamp(submission.creation_time_seconds, 0)
                .ok_or_else(|| Outcome::rejected("creationTimeSeconds is no time"))?,
        ),
        precision: Precision::Exact,
        language: submission.programming_language.map(String::from),
        external_id: Some(submission.id.to_string()),
        runtime_ms: submission.time_consumed_millis.and_then(|time| time.try_into().ok()),
        memory_kb: submission.memory_consumed_bytes.and_then(|size| (size / 1024).try_into().ok()),
        ..Item::at(place::at(Platform::Codeforces, &slug)?)
    })
}

/// `PRETESTS` and `SAMPLES` come before the system test, which may still fail.
fn is_final(testset: &str) -> bool {
    testset == "CHALLENGES"
        || testset
            .strip_prefix("TESTS")
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_rating(tag: &str) -> bool {
    tag.strip_prefix('*')
        .is_some_and(|rating| !rating.is_empty() && rating.bytes().all(|b| b.is_ascii_digit()))
}

/// The contest is the problem's own; a submission without one was made outside of contests.
fn slug(submission: &Submission<'_>) -> Result<String, Outcome> {
    let Problem { contest_id, problemset_name, index, .. } = &submission.problem;
    let index = index.as_str();
    let contest = contest_id.or(submission.contest_id);
    match (problemset_name.as_ref().map(Text::as_str), contest) {
        (Some("acmsguru"), _) | (None, Some(ACM_SGU_RU)) => Ok(format!("acmsguru/{index}")),
        (_, Some(contest)) => Ok(format!("{contest}/{index}")),
        (Some(problemset), None) => Err(Outcome::rejected(format!(
            "no contestId, and the problemset {} is not known",
            quoted(problemset)
        ))),
        (None, None) => Err(Outcome::rejected("neither a contestId nor a problemsetName")),
    }
}
