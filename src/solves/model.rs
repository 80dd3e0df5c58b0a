//! Rows and what the API shows of them.

use crate::db::instant::At;
use crate::problems::difficulty::Difficulty;
use crate::problems::model::{PROBLEM, Problem, ProblemColumns, ProblemRow};
use crate::revisions::model::{ReviewRow, RevisionRow};
use crate::revisions::rating::Rating;
use crate::schema::solves;
use chrono::NaiveDate;
use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A row of `solves`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct SolveRow {
    /// Its number.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// What was solved.
    pub problem_id: i64,
    /// When for the first time, where that is known.
    pub first_solved_at: Option<At>,
    /// On which local day.
    pub first_day: NaiveDate,
    /// How exactly the time is known.
    pub time_precision: String,
    /// How the first solve was rated.
    pub rating: Rating,
    /// Who rated it.
    pub rating_source: String,
    /// The settings in force then.
    pub settings_id: i64,
    /// What the user calls the problem.
    pub title: Option<String>,
    /// How hard the user finds it.
    pub difficulty: Option<Difficulty>,
    /// What the user says it is about, as a JSON array.
    pub tags: Option<String>,
    /// The user's notes.
    pub notes: Option<String>,
    /// Lapses since the last reset.
    pub lapses: i32,
    /// Whether it keeps being forgotten.
    pub leech: bool,
    /// Whether nothing of it falls due.
    pub suspended: bool,
    /// How often its log was written to.
    pub version: i64,
    /// The import that its first solve is from.
    pub import_id: Option<i64>,
    /// When it was recorded.
    pub created_at: At,
    /// When it last changed.
    pub updated_at: At,
}

/// A solve to be stored.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = solves, treat_none_as_default_value = false)]
pub struct NewSolve<'a> {
    /// As all below, see [`SolveRow`].
    pub user_id: i64,
    /// What was solved.
    pub problem_id: i64,
    /// When.
    pub first_solved_at: Option<At>,
    /// On which local day.
    pub first_day: NaiveDate,
    /// How exactly the time is known.
    pub time_precision: &'a str,
    /// How it was rated.
    pub rating: Rating,
    /// Who rated it.
    pub rating_source: &'a str,
    /// The settings in force.
    pub settings_id: i64,
    /// What the user calls the problem.
    pub title: Option<&'a str>,
    /// How hard the user finds it.
    pub difficulty: Option<Difficulty>,
    /// What the user says it is about, as a JSON array.
    pub tags: Option<String>,
    /// The user's notes.
    pub notes: Option<&'a str>,
    /// Now.
    pub created_at: At,
    /// Now.
    pub updated_at: At,
}

/// A solve with its problem, as one row of a query.
pub type SolveAndProblem = (SolveRow, ProblemRow);

/// The columns of [`SolveAndProblem`].
pub const SOLVE_AND_PROBLEM: (<solves::table as Table>::AllColumns, ProblemColumns) =
    (solves::all_columns, PROBLEM);

/// That a user has solved a problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Solve {
    /// Its number.
    pub id: i64,
    /// What was solved.
    pub problem: Problem,
    /// When for the first time, where that is known.
    #[schema(required = true)]
    pub first_solved_at: Option<At>,
    /// On which local day.
    pub first_day: NaiveDate,
    /// How exactly the time is known: `exact`, `minute`, `day`, `upper_bound` or `unknown`.
    pub time_precision: String,
    /// How the first solve was rated.
    pub rating: Rating,
    /// `given`, or the rule that made the rating of facts.
    pub rating_source: String,
    /// What the user calls the problem.
    #[schema(required = true)]
    pub title: Option<String>,
    /// How hard the user finds it.
    #[schema(required = true)]
    pub difficulty: Option<Difficulty>,
    /// What the user says it is about.
    pub tags: Vec<String>,
    /// The user's notes.
    #[schema(required = true)]
    pub notes: Option<String>,
    /// Reviews rated `again` since the last reset.
    pub lapses: i32,
    /// Whether it keeps being forgotten: 6 lapses.
    pub leech: bool,
    /// Whether nothing of it falls due.
    pub suspended: bool,
    /// When it was recorded.
    pub created_at: At,
    /// When it last changed.
    pub updated_at: At,
}

/// A solve with its history.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SolveDetail {
    /// The solve itself.
    #[serde(flatten)]
    #[schema(inline)]
    pub solve: Solve,
    /// Its revisions, by schedule and number.
    pub revisions: Vec<RevisionRow>,
    /// Its reviews, the oldest first.
    pub reviews: Vec<ReviewRow>,
}

impl From<SolveAndProblem> for Solve {
    fn from((row, problem): SolveAndProblem) -> Self {
        Self {
            id: row.id,
            problem: problem.into(),
            first_solved_at: row.first_solved_at,
            first_day: row.first_day,
            time_precision: row.time_precision,
            rating: row.rating,
            rating_source: row.rating_source,
            title: row.title,
            difficulty: row.difficulty,
            tags: row.tags.as_deref().map(tags_of).unwrap_or_default(),
            notes: row.notes,
            lapses: row.lapses,
            leech: row.leech,
            suspended: row.suspended,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// Tags as they are stored: a JSON array.
#[must_use]
pub fn stored_tags(tags: &[String]) -> String {
    serde_json::json!(tags).to_string()
}

fn tags_of(stored: &str) -> Vec<String> {
    serde_json::from_str(stored).unwrap_or_default()
}
