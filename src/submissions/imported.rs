//! Submissions by the hundred: what an import brings, and what it must not bring again.

use super::guards;
use super::model::{Advance, NewSubmission, Verdict};
use super::store::{self, NEAR};
use crate::db::Db;
use crate::db::instant::At;
use crate::revisions::rating::Rating;
use diesel::QueryResult;
use std::collections::HashMap;

/// A submission that a judge's number names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its number here.
    pub id: i64,
    /// Whether its judge has not judged it, as far as is known.
    pub is_pending: bool,
    /// When it was handed in.
    pub happened_at: Option<At>,
    /// Whether it was deleted.
    pub is_deleted: bool,
    /// How it was rated, as far as it was.
    pub rating: Option<Rating>,
    /// When it was triaged, if it was.
    pub triaged_at: Option<At>,
}

/// The submissions of a user by these numbers of one judge.
pub fn known(
    db: &mut Db,
    user_id: i64,
    judge: &str,
    numbers: Vec<&str>,
) -> QueryResult<HashMap<String, Known>> {
    let rows = store::by_numbers(db, user_id, judge, numbers)?;
    let known = rows.into_iter().filter_map(|row| {
        let is_pending = row.verdict == Some(Verdict::Pending);
        let known = Known {
            id: row.id,
            is_pending,
            happened_at: row.happened_at,
            is_deleted: row.deleted_at.is_some(),
            rating: row.rating,
            triaged_at: row.triaged_at,
        };
        Some((row.external_id?, known))
    });
    Ok(known.collect())
}

/// Records submissions, less those whose numbers are taken. How many were recorded. They do not
/// wait in the inbox: whoever brings them has seen them.
pub fn record_all(db: &mut Db, rows: Vec<NewSubmission<'_>>, now: At) -> QueryResult<usize> {
    guards::record_submissions(db, rows, now)
}

/// The submissions that others may likely be the same as, by problem.
#[derive(Debug, Default)]
pub struct Likenesses(HashMap<i64, Vec<store::Like>>);

impl Likenesses {
    /// The accepted submissions of a user for these problems that any judge but this one numbered,
    /// or none.
    pub fn of(db: &mut Db, user_id: i64, problem_ids: Vec<i64>, judge: &str) -> QueryResult<Self> {
        let mut by_problem: HashMap<i64, Vec<store::Like>> = HashMap::new();
        for like in store::likes(db, user_id, problem_ids, judge)? {
            if let Some(problem_id) = like.0 {
                by_problem.entry(problem_id).or_default().push(like);
            }
        }
        Ok(Self(by_problem))
    }

    /// The latest one that an accepted submission is likely the same as.
    #[must_use]
    pub fn find(&self, problem_id: i64, language: Option<&str>, at: At) -> Option<i64> {
        let alike = |like: &&store::Like| {
            let (_, _, theirs, when) = like;
            theirs.as_deref() == language && when.is_some_and(|when| (*when - *at).abs() <= NEAR)
        };
        self.0.get(&problem_id)?.iter().filter(alike).map(|(_, id, ..)| *id).max()
    }
}

/// Whether a user has any submission, deleted ones too.
pub fn has_any(db: &mut Db, user_id: i64) -> QueryResult<bool> {
    store::has_any(db, user_id)
}

/// Whether a user has any submission that a judge other than this one numbered, or none.
pub fn has_unlike(db: &mut Db, user_id: i64, judge: &str) -> QueryResult<bool> {
    store::has_unlike(db, user_id, judge)
}

/// Gives a pending submission the verdict that an import brings. False where it has one, or was
/// triaged otherwise, by now: then the import has seen what is not there any more.
pub fn accept_pending(db: &mut Db, known: Known, advance: &Advance<'_>) -> QueryResult<bool> {
    guards::advance_verdict(db, known.id, known.triaged_at, advance).map(|row| row.is_some())
}
