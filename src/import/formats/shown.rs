//! Rows that the API itself has answered: a submission of `GET /submissions`, a solve of
//! `GET /solves`, or a solve with its history of `GET /solves/{id}`.
//!
//! What a later version adds to its answers is passed over, as are numbers and dates that hold only
//! where the answer is from. The reviews of a solve are taken, as are its first rating and what its
//! user says of the problem; chosen dates, suspensions and resets are not.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::problems::difficulty::Difficulty;
use crate::problems::identity::{self, Platform};
use crate::revisions::rating::Rating;
use crate::submissions::model::Verdict;

use super::item::{Item, Precision, Review};
use super::json::{self, Attempt, Text};
use super::place;
use super::quote::quoted;
use super::rows::Outcome;
use super::traverse::{Instant, against};

/// A row that is one of these; `None` for any other.
pub(super) fn row(bytes: &[u8]) -> Option<Attempt<Outcome>> {
    let known = |attempt: Attempt<Outcome>| match attempt {
        Attempt::Bad(_) => None,
        read => Some(read),
    };
    known(json::row(bytes, |shown: Submission<'_>| shown.item().into()))
        .or_else(|| known(json::row(bytes, |shown: Solve<'_>| shown.item().into())))
}

#[derive(Deserialize)]
#[serde(expecting = "a submission")]
struct Submission<'a> {
    #[serde(rename = "received_at")]
    _received_at: IgnoredAny,
    #[serde(borrow)]
    problem: Problem<'a>,
    #[serde(borrow)]
    judge: Text<'a>,
    verdict: Verdict,
    external_id: Option<String>,
    language: Option<String>,
    runtime_ms: Option<i32>,
    memory_kb: Option<i32>,
    happened_at: Option<Instant>,
    rating: Option<Rating>,
    attempts: Option<i32>,
    minutes: Option<f64>,
    hint_used: Option<bool>,
    solution_viewed: Option<bool>,
    source: Option<String>,
    notes: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a solve")]
struct Solve<'a> {
    #[serde(rename = "first_day")]
    _first_day: IgnoredAny,
    #[serde(borrow)]
    problem: Problem<'a>,
    first_solved_at: Option<Instant>,
    #[serde(borrow)]
    time_precision: Text<'a>,
    rating: Rating,
    title: Option<String>,
    difficulty: Option<Difficulty>,
    tags: Vec<String>,
    notes: Option<String>,
    #[serde(default)]
    reviews: Vec<ReviewRow>,
}

#[derive(Deserialize)]
#[serde(expecting = "a problem")]
struct Problem<'a> {
    platform: Platform,
    #[serde(borrow)]
    slug: Text<'a>,
    title: Option<String>,
    difficulty: Option<Difficulty>,
}

#[derive(Deserialize)]
#[serde(expecting = "a review")]
struct ReviewRow {
    happened_at: Instant,
    rating: Rating,
    undone_at: Option<IgnoredAny>,
}

impl Submission<'_> {
    fn item(self) -> Result<Item, Outcome> {
        if let Some(reason) = against(self.verdict) {
            return Err(Outcome::ignored(reason));
        }
        let Problem { platform, slug, title, difficulty } = self.problem;
        let judge = identity::judge_named(platform, self.judge.as_str()).ok_or_else(|| {
            let judge = quoted(self.judge.as_str());
            Outcome::rejected(format!("judge: {judge} is no site of {platform}"))
        })?;
        let happened_at = self.happened_at.map(|at| at.0);
        Ok(Item {
            judge: Some(judge),
            title,
            difficulty,
            happened_at,
            precision: happened_at.map_or(Precision::Unknown, |_| Precision::Exact),
            language: self.language,
            external_id: self.external_id,
            runtime_ms: self.runtime_ms,
            memory_kb: self.memory_kb,
            attempts: self.attempts,
            minutes: self.minutes,
            rating: self.rating,
            hint_used: self.hint_used,
            solution_viewed: self.solution_viewed,
            source: self.source,
            notes: self.notes,
            ..Item::at(place::at(platform, slug.as_str())?)
        })
    }
}

impl Solve<'_> {
    fn item(self) -> Result<Item, Outcome> {
        let precision = Precision::named(self.time_precision.as_str()).ok_or_else(|| {
            let precision = quoted(self.time_precision.as_str());
            Outcome::rejected(format!("time_precision: {precision} is none that is known"))
        })?;
        let happened_at = self.first_solved_at.map(|at| at.0);
        let mut reviews: Vec<Review> = self
            .reviews
            .into_iter()
            .filter(|review| review.undone_at.is_none())
            .map(|review| Review { happened_at: review.happened_at.0, rating: review.rating })
            .collect();
        reviews.sort_by_key(|review| review.happened_at);
        // Who runs both schedules has each review twice.
        reviews.dedup_by_key(|review| review.happened_at);
        Ok(Item {
            title: self.title.or(self.problem.title),
            difficulty: self.difficulty.or(self.problem.difficulty),
            tags: self.tags,
            happened_at,
            precision: if happened_at.is_some() { precision } else { Precision::Unknown },
            rating: Some(self.rating),
            solve_notes: self.notes,
            reviews,
            ..Item::at(place::at(self.problem.platform, self.problem.slug.as_str())?)
        })
    }
}
