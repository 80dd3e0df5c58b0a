//! Rows and what the API shows of them.

use crate::db::instant::At;
use crate::db::text::stored_as_text;
use crate::problems::model::Problem;
use crate::revisions::model::RevisionRow;
use crate::revisions::rating::Rating;
use crate::schema::submissions;
use crate::solves::model::Solve;
use chrono::NaiveDate;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::result::Error;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a judge says of a submission.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, AsExpression, FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[diesel(sql_type = Text)]
pub enum Verdict {
    /// Solved.
    Accepted,
    /// Not judged yet; advances once.
    Pending,
    /// A wrong answer.
    WrongAnswer,
    /// Too slow.
    TimeLimit,
    /// Too much memory.
    MemoryLimit,
    /// It crashed.
    RuntimeError,
    /// It did not compile.
    CompileError,
    /// Anything else that is not accepted.
    Other,
}

stored_as_text! {
    Verdict, "verdict":
    Accepted => "accepted",
    Pending => "pending",
    WrongAnswer => "wrong_answer",
    TimeLimit => "time_limit",
    MemoryLimit => "memory_limit",
    RuntimeError => "runtime_error",
    CompileError => "compile_error",
    Other => "other",
}

/// A row of `submissions`. Of a deleted one only key, judge, number and fingerprint are left.
#[derive(Clone, Debug, Queryable)]
pub struct SubmissionRow {
    /// Its number.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// What it was for.
    pub problem_id: Option<i64>,
    /// The solve that it is a part of.
    pub solve_id: Option<i64>,
    /// The site whose number it has.
    pub judge: String,
    /// The judge's own number.
    pub external_id: Option<String>,
    /// The key of the request that made it.
    pub idempotency_key: Option<String>,
    /// What that request said.
    pub fingerprint: String,
    /// What the judge said.
    pub verdict: Option<Verdict>,
    /// The programming language.
    pub language: Option<String>,
    /// How long it ran.
    pub runtime_ms: Option<i64>,
    /// How much memory it took.
    pub memory_kb: Option<i64>,
    /// When it was handed in.
    pub happened_at: Option<At>,
    /// On which local day.
    pub local_day: Option<NaiveDate>,
    /// How exactly the time is known.
    pub time_precision: Option<String>,
    /// How the solver rated it.
    pub rating: Option<Rating>,
    /// Tries until this one.
    pub attempts: Option<i32>,
    /// Minutes of work.
    pub minutes: Option<f64>,
    /// Whether a hint was used.
    pub hint_used: Option<bool>,
    /// Whether a solution was looked at.
    pub solution_viewed: Option<bool>,
    /// The program that sent it.
    pub source: Option<String>,
    /// The solver's notes.
    pub notes: Option<String>,
    /// Another one that it may be the same as.
    pub possible_duplicate_of: Option<i64>,
    /// What it caused, as JSON.
    pub effects: Option<String>,
    /// When it was triaged.
    pub triaged_at: Option<At>,
    /// How it was triaged, as JSON.
    pub triage: Option<String>,
    /// When it arrived.
    pub received_at: At,
    /// When it last changed.
    pub updated_at: At,
    /// When it was deleted.
    pub deleted_at: Option<At>,
    /// Of a further key: the submission that it names. Such a row is no submission; it is deleted
    /// from the beginning, and says only what recognises the request.
    pub key_of: Option<i64>,
}

/// A further key of a submission: that of a request which was recognised by its judge's number.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = submissions, treat_none_as_default_value = false)]
pub struct NewKey<'a> {
    /// Whose it is.
    pub user_id: i64,
    /// The submission that it names.
    pub key_of: i64,
    /// The site whose number it came with.
    pub judge: &'a str,
    /// The key of the request.
    pub idempotency_key: &'a str,
    /// What the request said.
    pub fingerprint: &'a str,
    /// Now, as the two below.
    pub received_at: At,
    /// Now.
    pub updated_at: At,
    /// Now.
    pub deleted_at: At,
}

/// A submission to be stored.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = submissions, treat_none_as_default_value = false)]
pub struct NewSubmission<'a> {
    /// As all below, see [`SubmissionRow`].
    pub user_id: i64,
    /// What it was for.
    pub problem_id: Option<i64>,
    /// The solve that it is a part of.
    pub solve_id: Option<i64>,
    /// The site whose number it has.
    pub judge: &'a str,
    /// The judge's own number.
    pub external_id: Option<&'a str>,
    /// The key of the request.
    pub idempotency_key: Option<&'a str>,
    /// What the request said.
    pub fingerprint: &'a str,
    /// What the judge said.
    pub verdict: Option<Verdict>,
    /// The programming language.
    pub language: Option<&'a str>,
    /// How long it ran.
    pub runtime_ms: Option<i64>,
    /// How much memory it took.
    pub memory_kb: Option<i64>,
    /// When it was handed in.
    pub happened_at: Option<At>,
    /// On which local day.
    pub local_day: Option<NaiveDate>,
    /// How exactly the time is known.
    pub time_precision: Option<&'a str>,
    /// How the solver rated it.
    pub rating: Option<Rating>,
    /// Tries until this one.
    pub attempts: Option<i32>,
    /// Minutes of work.
    pub minutes: Option<f64>,
    /// Whether a hint was used.
    pub hint_used: Option<bool>,
    /// Whether a solution was looked at.
    pub solution_viewed: Option<bool>,
    /// The program that sent it.
    pub source: Option<&'a str>,
    /// The solver's notes.
    pub notes: Option<&'a str>,
    /// Another one that it may be the same as.
    pub possible_duplicate_of: Option<i64>,
    /// What it caused, as JSON.
    pub effects: Option<String>,
    /// Now.
    pub received_at: At,
    /// Now.
    pub updated_at: At,
}

/// What the verdict of a pending submission brings with it.
#[derive(Clone, Debug, AsChangeset)]
#[diesel(table_name = submissions)]
pub struct Advance<'a> {
    /// What the judge said.
    pub verdict: Verdict,
    /// As all below, see [`SubmissionRow`]; what is absent stays.
    pub solve_id: Option<i64>,
    /// The programming language.
    pub language: Option<&'a str>,
    /// How long it ran.
    pub runtime_ms: Option<i64>,
    /// How much memory it took.
    pub memory_kb: Option<i64>,
    /// How the solver rated it.
    pub rating: Option<Rating>,
    /// Tries until this one.
    pub attempts: Option<i32>,
    /// Minutes of work.
    pub minutes: Option<f64>,
    /// Whether a hint was used.
    pub hint_used: Option<bool>,
    /// Whether a solution was looked at.
    pub solution_viewed: Option<bool>,
    /// The program that sent it.
    pub source: Option<&'a str>,
    /// The solver's notes.
    pub notes: Option<&'a str>,
    /// What it caused, as JSON.
    pub effects: Option<String>,
    /// Now.
    pub updated_at: At,
}

/// What a deleted submission says: nothing, but what recognises it.
#[derive(Clone, Debug, AsChangeset)]
#[diesel(table_name = submissions, treat_none_as_null = true)]
pub struct Nothing {
    problem_id: Option<i64>,
    solve_id: Option<i64>,
    verdict: Option<Verdict>,
    language: Option<&'static str>,
    runtime_ms: Option<i64>,
    memory_kb: Option<i64>,
    happened_at: Option<At>,
    local_day: Option<NaiveDate>,
    time_precision: Option<&'static str>,
    rating: Option<Rating>,
    attempts: Option<i32>,
    minutes: Option<f64>,
    hint_used: Option<bool>,
    solution_viewed: Option<bool>,
    source: Option<&'static str>,
    notes: Option<&'static str>,
    possible_duplicate_of: Option<i64>,
    effects: Option<&'static str>,
    triaged_at: Option<At>,
    triage: Option<&'static str>,
}

/// See [`Nothing`].
pub const NOTHING: Nothing = Nothing {
    problem_id: None,
    solve_id: None,
    verdict: None,
    language: None,
    runtime_ms: None,
    memory_kb: None,
    happened_at: None,
    local_day: None,
    time_precision: None,
    rating: None,
    attempts: None,
    minutes: None,
    hint_used: None,
    solution_viewed: None,
    source: None,
    notes: None,
    possible_duplicate_of: None,
    effects: None,
    triaged_at: None,
    triage: None,
};

/// What a submission caused, as it was then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effects {
    /// Whether it was the first of its problem.
    pub first_solve: bool,
    /// Whether it was earlier than the first solve, and took its place.
    #[serde(default)]
    pub became_first: bool,
    /// XP that it brought in.
    pub xp_awarded: i32,
    /// The revisions that it completed.
    pub revisions_completed: Vec<RevisionRow>,
    /// The revisions that were to come.
    pub next_revisions: Vec<RevisionRow>,
}

/// A submission.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Submission {
    /// Its number.
    pub id: i64,
    /// What it was for.
    pub problem_id: i64,
    /// The solve that it is a part of, where it was accepted.
    #[schema(required = true)]
    pub solve_id: Option<i64>,
    /// The site whose number it has.
    pub judge: String,
    /// The judge's own number.
    #[schema(required = true)]
    pub external_id: Option<String>,
    /// What the judge said.
    pub verdict: Verdict,
    /// The programming language.
    #[schema(required = true)]
    pub language: Option<String>,
    /// How long it ran, in milliseconds.
    #[schema(required = true)]
    pub runtime_ms: Option<i64>,
    /// How much memory it took, in kibibytes.
    #[schema(required = true)]
    pub memory_kb: Option<i64>,
    /// When it was handed in.
    #[schema(required = true)]
    pub happened_at: Option<At>,
    /// On which local day.
    #[schema(required = true)]
    pub local_day: Option<NaiveDate>,
    /// How the solver rated it.
    #[schema(required = true)]
    pub rating: Option<Rating>,
    /// Tries until this one.
    #[schema(required = true)]
    pub attempts: Option<i32>,
    /// Minutes of work.
    #[schema(required = true)]
    pub minutes: Option<f64>,
    /// Whether a hint was used.
    #[schema(required = true)]
    pub hint_used: Option<bool>,
    /// Whether a solution was looked at.
    #[schema(required = true)]
    pub solution_viewed: Option<bool>,
    /// The program that sent it.
    #[schema(required = true)]
    pub source: Option<String>,
    /// The solver's notes.
    #[schema(required = true)]
    pub notes: Option<String>,
    /// Another one that it may be the same as; nothing is ever dropped for that.
    #[schema(required = true)]
    pub possible_duplicate_of: Option<i64>,
    /// When it was triaged.
    #[schema(required = true)]
    pub triaged_at: Option<At>,
    /// When it arrived.
    pub received_at: At,
    /// When it last changed.
    pub updated_at: At,
}

/// A submission with its problem.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SubmissionItem {
    /// The submission itself.
    #[serde(flatten)]
    #[schema(inline)]
    pub submission: Submission,
    /// What it was for.
    pub problem: Problem,
}

/// A submission and what it caused.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Receipt {
    /// The submission as it is now.
    pub submission: Submission,
    /// What it was for.
    pub problem: Problem,
    /// The solve as it is now, where the submission was accepted.
    #[schema(required = true)]
    pub solve: Option<Solve>,
    /// Whether it was the first of its problem.
    pub first_solve: bool,
    /// XP that it brought in.
    pub xp_awarded: i32,
    /// The revisions that it completed, as they were then.
    pub revisions_completed: Vec<RevisionRow>,
    /// The revisions that were to come then.
    pub next_revisions: Vec<RevisionRow>,
}

impl SubmissionRow {
    /// What the submission caused; of one that was deleted, nothing is known.
    ///
    /// # Errors
    /// When what is stored cannot be read.
    pub fn effects(&self) -> QueryResult<Effects> {
        let Some(json) = &self.effects else { return Ok(Effects::default()) };
        serde_json::from_str(json).map_err(|error| {
            let submission_id = self.id;
            tracing::error!(submission_id, %error, "what a submission caused cannot be read");
            Error::DeserializationError(Box::new(error))
        })
    }

    /// The submission as the API shows it; `None` for what is left of a deleted one.
    #[must_use]
    pub fn shown(self) -> Option<Submission> {
        Some(Submission {
            id: self.id,
            problem_id: self.problem_id?,
            solve_id: self.solve_id,
            judge: self.judge,
            external_id: self.external_id,
            verdict: self.verdict?,
            language: self.language,
            runtime_ms: self.runtime_ms,
            memory_kb: self.memory_kb,
            happened_at: self.happened_at,
            local_day: self.local_day,
            rating: self.rating,
            attempts: self.attempts,
            minutes: self.minutes,
            hint_used: self.hint_used,
            solution_viewed: self.solution_viewed,
            source: self.source,
            notes: self.notes,
            possible_duplicate_of: self.possible_duplicate_of,
            triaged_at: self.triaged_at,
            received_at: self.received_at,
            updated_at: self.updated_at,
        })
    }
}
