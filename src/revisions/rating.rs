//! How well a problem was solved: the rating itself, and the rule that reads one from the facts of
//! an attempt when nobody gave it. The rule has a version and no state, so that a stored version
//! and the stored facts give the same rating for ever.

use crate::db::text::stored_as_text;
use crate::problems::difficulty::Difficulty;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::sql_types::Text;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The version of [`rate`]. Stored beside each rating that the rule gave; any change of the rule or
/// of its thresholds takes a new number.
pub const RULE_VERSION: i32 = 1;

/// How well the solution was recalled.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    FromSqlRow,
    AsExpression,
)]
#[serde(rename_all = "snake_case")]
#[diesel(sql_type = Text)]
pub enum Rating {
    /// Not recalled: a lapse.
    Again,
    /// Recalled with serious difficulty.
    Hard,
    /// Recalled after some thought.
    Good,
    /// Recalled at once.
    Easy,
}

impl Rating {
    /// Whether the solution was recalled well: good or easy.
    #[must_use]
    pub const fn is_fluent(self) -> bool {
        matches!(self, Self::Good | Self::Easy)
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The thresholds of [`RULE_VERSION`] in minutes, as (fast, slow).
const fn minutes(difficulty: Difficulty) -> (f64, f64) {
    match difficulty {
        Difficulty::Easy => (5.0, 20.0),
        Difficulty::Medium => (10.0, 40.0),
        Difficulty::Hard => (20.0, 60.0),
    }
}

/// What is known of an attempt. Everything may be unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Facts {
    /// Submissions until the accepted one, which counts: 1 is the first try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// Minutes from opening the problem to the accepted submission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
    /// A hint was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint_used: Option<bool>,
    /// A solution was opened before the problem was solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution_viewed: Option<bool>,
}

/// The rating that the facts of an attempt give, by the rule of [`RULE_VERSION`].
///
/// The first that holds: solution viewed → again; hint used, or *more* than the slow threshold →
/// hard; first try (exactly one attempt) and *at most* the fast threshold → easy; else good. What
/// is unknown holds nothing, so no facts at all are good, and a fast solve of unknown attempts is
/// good. A time that is no time (negative, not a number) is unknown.
#[must_use]
pub fn rate(facts: &Facts, difficulty: Option<Difficulty>) -> Rating {
    let (fast, slow) = minutes(difficulty.unwrap_or(Difficulty::Medium));
    let minutes = facts.minutes.filter(|minutes| *minutes >= 0.0);

    if facts.solution_viewed == Some(true) {
        Rating::Again
    } else if facts.hint_used == Some(true) || minutes.is_some_and(|minutes| minutes > slow) {
        Rating::Hard
    } else if facts.attempts == Some(1) && minutes.is_some_and(|minutes| minutes <= fast) {
        Rating::Easy
    } else {
        Rating::Good
    }
}

stored_as_text! {
    Rating, "rating":
    Again => "again",
    Hard => "hard",
    Good => "good",
    Easy => "easy",
}
