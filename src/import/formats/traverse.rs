//! Traverse's own format: submissions with the members of `POST /submissions`, and their reviews.
//!
//! Either NDJSON (a submission a line, optionally a first line with `format` and `version`), or an
//! array of them, or `{"format": "traverse", "version": 1, "submissions": [submission]}`. Strict as
//! the API: an unknown member is an error, here of its row. Without `happened_at` the time is
//! unknown, not now. What the API itself answers is taken too, see [`shown`].

use chrono::{DateTime, Utc};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

use crate::problems::difficulty::Difficulty;
use crate::problems::identity::Platform;
use crate::revisions::rating::Rating;
use crate::submissions::model::Verdict;

use super::format::{Format, Source};
use super::head::Head;
use super::item::{Item, Precision, Review};
use super::json::{self, Attempt, Json, Open, Text};
use super::quote::quoted;
use super::rows::{Outcome, Rows};
use super::unreadable::{Halt, Unreadable};
use super::window::Window;
use super::{lines, place, shown};

pub(super) const SOURCE: Source = Source { recognises, read };

/// The newest version of the format that is known.
const VERSION: u64 = 1;

fn recognises(head: &Head) -> bool {
    let Head::Json(sketch) = head else {
        return false;
    };
    let rows = ["submissions[]", "items[]", "[]", ""];
    sketch.rows_have(&[""], &["format", "version"])
        || sketch.rows_have(&rows, &["verdict", "problem.url"])
        || sketch.rows_have(&rows, &["verdict", "problem.platform"])
        || sketch.rows_have(&rows, &["first_solved_at", "problem.platform"])
}

fn read(head: &Head, window: &mut Window<'_>, rows: &mut Rows<'_>) -> Result<(), Halt> {
    let Head::Json(sketch) = head else {
        return Err(not_this(format!("JSON expected, found {}", head.describe())));
    };
    if sketch.has("[]") || sketch.has("submissions") || sketch.has("items") {
        "Traverse's own JSON".clone_into(&mut rows.detail);
        let mut json = Json::over(window);
        let mut has_more = false;
        while let Some(open) = json.document()? {
            match open {
                Open::Array => json.rows(rows, row)?,
                Open::Object => has_more = export(&mut json, rows)?,
            }
        }
        if has_more {
            rows.remark("the list goes on behind the last page of the file".to_owned());
        }
        return Ok(());
    }
    if !sketch.on_one_line {
        return Err(not_this(
            "an object over several lines that has no member “submissions”; put each submission on \
             a line of its own, or all into an array"
                .to_owned(),
        ));
    }
    "Traverse's own NDJSON".clone_into(&mut rows.detail);
    // What the first line says holds for all, so only there a header is looked for.
    let mut begun = false;
    lines::each(window, |number, line| {
        let Some(line) = line else {
            begun = true;
            return rows.give(Some(number), Outcome::rejected("the line is too long"));
        };
        if !begun {
            begun = true;
            if let Ok(head) = serde_json::from_slice::<Header<'_>>(line) {
                return head.check();
            }
        }
        rows.give(Some(number), lines::whole(line, row(line)))
    })
}

/// The first line of an NDJSON file, where it has one.
#[derive(Deserialize)]
struct Header<'a> {
    #[serde(borrow)]
    format: Text<'a>,
    version: u64,
}

impl Header<'_> {
    fn check(&self) -> Result<(), Halt> {
        known_format(self.format.as_str())?;
        known_version(self.version)
    }
}

/// Reads an object that holds submissions; whether it says that there are more of them elsewhere.
fn export(json: &mut Json<'_, '_>, rows: &mut Rows<'_>) -> Result<bool, Halt> {
    let mut has_submissions = false;
    let mut has_more = false;
    while let Some(member) = json.member()? {
        match member.as_str() {
            "format" => match json.small::<String>()? {
                Ok(format) => known_format(&format)?,
                Err(reason) => return Err(not_this(format!("format: {reason}"))),
            },
            "version" => match json.small::<u64>()? {
                Ok(version) => known_version(version)?,
                Err(reason) => return Err(not_this(format!("version: {reason}"))),
            },
            // A page of the API has items.
            name @ ("submissions" | "items") => match json.open()? {
                Some(Open::Array) => {
                    has_submissions = true;
                    json.rows(rows, row)?;
                }
                _ => return Err(not_this(format!("its member {} is no array", quoted(name)))),
            },
            "next_cursor" => has_more = !matches!(json.small::<Option<String>>()?, Ok(None)),
            other => {
                rows.remark(format!("the member {} of the file was not read", quoted(other)));
                json.skip()?;
            }
        }
    }
    if has_submissions {
        Ok(has_more)
    } else {
        Err(not_this("it has no member “submissions”".to_owned()))
    }
}

fn known_format(format: &str) -> Result<(), Halt> {
    if format == Format::Traverse.as_str() {
        Ok(())
    } else {
        Err(not_this(format!("it says that its format is {}", quoted(format))))
    }
}

fn known_version(version: u64) -> Result<(), Halt> {
    match version {
        VERSION => Ok(()),
        0 => Err(not_this("there is no version 0".to_owned())),
        found => Err(Unreadable::Newer { found, known: VERSION }.into()),
    }
}

fn not_this(reason: String) -> Halt {
    Unreadable::NotThisFormat { format: Format::Traverse, reason: reason.into() }.into()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a submission")]
struct Submission<'a> {
    #[serde(borrow)]
    problem: Problem<'a>,
    verdict: Verdict,
    language: Option<String>,
    runtime_ms: Option<i32>,
    memory_kb: Option<i32>,
    happened_at: Option<Instant>,
    external_id: Option<String>,
    rating: Option<Rating>,
    attempts: Option<i32>,
    minutes: Option<f64>,
    hint_used: Option<bool>,
    solution_viewed: Option<bool>,
    source: Option<String>,
    notes: Option<String>,
    reviews: Option<Vec<ReviewRow>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a problem: its url, or its platform and slug")]
struct Problem<'a> {
    #[serde(borrow)]
    url: Option<Text<'a>>,
    platform: Option<Platform>,
    slug: Option<Text<'a>>,
    title: Option<String>,
    difficulty: Option<Difficulty>,
    tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a review: its happened_at and rating")]
struct ReviewRow {
    happened_at: Instant,
    rating: Rating,
}

/// Why a submission with this verdict makes no solve.
pub(super) const fn against(verdict: Verdict) -> Option<&'static str> {
    Some(match verdict {
        Verdict::Accepted => return None,
        Verdict::Pending => "verdict pending: only accepted submissions make solves",
        Verdict::WrongAnswer => "verdict wrong_answer: only accepted submissions make solves",
        Verdict::TimeLimit => "verdict time_limit: only accepted submissions make solves",
        Verdict::MemoryLimit => "verdict memory_limit: only accepted submissions make solves",
        Verdict::RuntimeError => "verdict runtime_error: only accepted submissions make solves",
        Verdict::CompileError => "verdict compile_error: only accepted submissions make solves",
        Verdict::Other => "verdict other: only accepted submissions make solves",
    })
}

/// An RFC 3339 instant.
pub(super) struct Instant(pub(super) DateTime<Utc>);

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Instant;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an RFC 3339 instant such as “2025-06-23T18:58:00Z”")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Instant, E> {
                DateTime::parse_from_rfc3339(text)
                    .map(|at| Instant(at.to_utc()))
                    .map_err(|_| E::custom(format!("{} is not {}", quoted(text), Expected)))
            }
        }
        struct Expected;
        impl fmt::Display for Expected {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Text.expecting(f)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

fn row(bytes: &[u8]) -> Attempt<Outcome> {
    match json::row(bytes, |submission: Submission<'_>| item(submission).into()) {
        Attempt::Bad(reason) => shown::row(bytes).unwrap_or(Attempt::Bad(reason)),
        read => read,
    }
}

fn item(submission: Submission<'_>) -> Result<Item, Outcome> {
    if let Some(reason) = against(submission.verdict) {
        return Err(Outcome::ignored(reason));
    }
    let Problem { url, platform, slug, title, difficulty, tags } = submission.problem;
    let slug = match (platform, &slug) {
        (Some(platform), Some(slug)) => Some((platform, slug.as_str())),
        (None, Some(_)) => return Err(Outcome::rejected("problem: a slug without its platform")),
        _ => None,
    };
    let place = place::place(url.as_ref().map(Text::as_str), platform, slug)?
        .ok_or_else(|| Outcome::rejected("problem: neither a url nor a platform and slug"))?;
    let mut reviews: Vec<Review> = submission
        .reviews
        .unwrap_or_default()
        .into_iter()
        .map(|review| Review { happened_at: review.happened_at.0, rating: review.rating })
        .collect();
    reviews.sort_by_key(|review| review.happened_at);
    let happened_at = submission.happened_at.map(|at| at.0);
    Ok(Item {
        title,
        difficulty,
        tags: tags.unwrap_or_default(),
        happened_at,
        precision: happened_at.map_or(Precision::Unknown, |_| Precision::Exact),
        language: submission.language,
        external_id: submission.external_id,
        runtime_ms: submission.runtime_ms,
        memory_kb: submission.memory_kb,
        attempts: submission.attempts,
        minutes: submission.minutes,
        rating: submission.rating,
        hint_used: submission.hint_used,
        solution_viewed: submission.solution_viewed,
        source: submission.source,
        notes: submission.notes,
        reviews,
        ..Item::at(place)
    })
}
