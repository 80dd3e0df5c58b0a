//! When to solve a problem again.
//!
//! A schedule is a function of its log and nothing else: the first solve, reviews, what was taken
//! back, and every date that somebody chose. The files named after what they compute (`ladder`,
//! `adaptive`, `fuzz`, `replay`, …) are pure; `journal` reads a log, derives, and writes what
//! differs. All that changes the schedules of one solve happens one after the other, under the lock
//! of its row.

pub mod actions;
pub mod adaptive;
pub mod after_pause;
pub mod complete;
pub mod fuzz;
pub mod guards;
pub mod happened;
pub mod hidden;
pub mod imported;
pub mod journal;
pub mod ladder;
mod learner;
pub mod listing;
pub mod log;
pub mod model;
pub mod rating;
mod replay;
pub mod reschedule;
mod room;
pub mod routes;
pub mod schedule;
pub mod settings;
mod settle;
pub mod solved;
pub mod spread;
pub mod store;
pub mod today;
mod undone;

pub use learner::Learner;

use crate::db::Db;
use crate::db::instant::At;
use chrono::NaiveDate;
use diesel::QueryResult;
use journal::Journal;
use model::{ReviewRow, RevisionRow, State};
use rating::Rating;

/// The source of a rating that somebody gave.
pub const GIVEN: &str = "given";

/// The source of a rating that the rule made of facts.
#[must_use]
pub fn by_rule() -> String {
    format!("rule-{}", rating::RULE_VERSION)
}

/// How a solve began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstSolve {
    /// When, where that is known.
    pub at: Option<At>,
    /// On which local day.
    pub day: NaiveDate,
    /// How exactly the time is known.
    pub precision: String,
    /// How it was rated.
    pub rating: Rating,
    /// Who rated it: [`GIVEN`], or a rule.
    pub rating_source: String,
    /// The import that it is from.
    pub import_id: Option<i64>,
}

/// Why a schedule was not changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// There is no such thing of the user's.
    NotFound,
    /// The revision is not in a state for this.
    State(State),
    /// It was completed, with another rating.
    AnotherRating(Rating),
    /// A review has moved this schedule on that local day already.
    AlreadyReviewedToday(NaiveDate),
    /// It is due on this day, not on the one that the user saw.
    Moved(NaiveDate),
    /// Something has happened since.
    NotTheLatest,
    /// A review followed the first solve.
    ReviewFollowed,
    /// A value makes no sense here: where, and why.
    Invalid(&'static str, String),
}

/// Reads a solve's revisions, and the reviews that complete them or once did.
///
/// # Errors
/// When the database fails.
pub fn of_solve(db: &mut Db, solve_id: i64) -> QueryResult<(Vec<RevisionRow>, Vec<ReviewRow>)> {
    let mut reviews = store::reviews_of(db, solve_id)?;
    reviews.retain(|review| !review.is_idle());
    Ok((store::revisions_of(db, solve_id)?, reviews))
}

/// Lets the calendar know that a solve is shown otherwise: whoever changes its title or its
/// difficulty says so in the same transaction.
///
/// # Errors
/// When the database fails.
pub fn solve_changed(db: &mut Db, solve_id: i64, now: At) -> QueryResult<()> {
    store::touch_of_solve(db, solve_id, now).map(drop)
}

/// Lets nobody else write to the log of a user's solve until the transaction ends. `false` where
/// there is no such solve of theirs.
///
/// # Errors
/// When the database fails.
pub fn hold(db: &mut Db, user_id: i64, solve_id: i64, now: At) -> QueryResult<bool> {
    guards::open_log(db, user_id, solve_id, now).map(|start| start.is_some())
}

/// Ties what was recorded as reviews to the submission that it came with.
///
/// # Errors
/// When the database fails.
pub fn came_with(db: &mut Db, review_ids: &[i64], submission_id: i64) -> QueryResult<()> {
    if review_ids.is_empty() {
        return Ok(());
    }
    store::tie_to_submission(db, review_ids, submission_id).map(drop)
}

/// Derives all schedules of a solve again and writes what differs: nothing, if all is well.
///
/// # Errors
/// When the database fails.
pub fn derive_again(db: &mut Db, learner: &Learner, solve_id: i64, now: At) -> QueryResult<()> {
    match Journal::open(db, learner, solve_id, now)? {
        Some(mut journal) => journal.settle_all(db),
        None => Err(diesel::NotFound),
    }
}
