//! Rows and what the API shows of them.

use super::identity::{self, Identity, Platform};
use crate::db::instant::At;
use crate::problems::difficulty::Difficulty;
use crate::schema::{problem_keys, problems};
use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A row of `problems`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct ProblemRow {
    /// Its number.
    pub id: i64,
    /// Whose it is; nobody's where it is shared.
    pub owner_id: Option<i64>,
    /// Where it is from.
    pub platform: Platform,
    /// Its name there.
    pub slug: String,
    /// What it is called; set once.
    pub title: Option<String>,
    /// How hard its platform says it is; set once.
    pub difficulty: Option<Difficulty>,
    /// What it is about; set once.
    pub topic: Option<String>,
    /// The problem that this is another name of.
    pub alias_of: Option<i64>,
    /// When it was made.
    pub created_at: At,
    /// When it last changed.
    pub updated_at: At,
}

/// The columns of [`ProblemRow`].
pub type ProblemColumns = (
    problems::id,
    problems::owner_id,
    problems::platform,
    problems::slug,
    problems::title,
    problems::difficulty,
    problems::topic,
    problems::alias_of,
    problems::created_at,
    problems::updated_at,
);

/// The columns of [`ProblemRow`].
pub const PROBLEM: ProblemColumns = (
    problems::id,
    problems::owner_id,
    problems::platform,
    problems::slug,
    problems::title,
    problems::difficulty,
    problems::topic,
    problems::alias_of,
    problems::created_at,
    problems::updated_at,
);

/// A problem to be stored.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = problems, treat_none_as_default_value = false)]
pub struct NewProblem<'a> {
    /// Whose it is; nobody's where it is shared.
    pub owner_id: Option<i64>,
    /// Where it is from.
    pub platform: Platform,
    /// Its name there, in canonical spelling.
    pub slug: &'a str,
    /// What it is called.
    pub title: Option<&'a str>,
    /// How hard it is.
    pub difficulty: Option<Difficulty>,
    /// What its tags say that it is about.
    pub topic: Option<&'a str>,
    /// Now.
    pub created_at: At,
    /// Now.
    pub updated_at: At,
}

/// The key of a request for a problem of one's own.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = problem_keys)]
pub struct NewKey<'a> {
    /// Whose it is.
    pub owner_id: i64,
    /// The key.
    pub idempotency_key: &'a str,
    /// The problem that the request made, or found.
    pub problem_id: i64,
    /// What the request asked for.
    pub fingerprint: &'a str,
}

/// A problem: something to solve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Its number.
    pub id: i64,
    /// Where it is from.
    pub platform: Platform,
    /// Its name there: with the platform its identity.
    #[schema(min_length = 1, max_length = 255, example = "two-sum")]
    pub slug: String,
    /// What it is called.
    #[schema(required = true)]
    pub title: Option<String>,
    /// How hard it is said to be.
    #[schema(required = true)]
    pub difficulty: Option<Difficulty>,
    /// What it is about; set once.
    #[schema(required = true, example = "hashing")]
    pub topic: Option<String>,
    /// Its public page, where it has one.
    #[schema(required = true, example = "https://leetcode.com/problems/two-sum/")]
    pub url: Option<String>,
}

impl ProblemRow {
    /// Which problem it is.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity { platform: self.platform, slug: self.slug.clone() }
    }
}

impl From<ProblemRow> for Problem {
    fn from(row: ProblemRow) -> Self {
        Self {
            url: identity::address(&row.identity()),
            id: row.id,
            platform: row.platform,
            slug: row.slug,
            title: row.title,
            difficulty: row.difficulty,
            topic: row.topic,
        }
    }
}
