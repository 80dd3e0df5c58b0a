//! XP: a ledger. A total is the sum of its entries, and an entry is never changed.

pub mod guards;
pub mod model;
pub mod routes;
pub mod store;

use crate::db::Db;
use crate::db::instant::At;
use crate::problems::difficulty::Difficulty;
use chrono::NaiveDate;
use diesel::QueryResult;
use model::{NewEntry, Reason};
use std::collections::HashMap;

/// XP of a completed review.
pub const REVIEW: i32 = 5;

/// XP of a day whose rings closed.
pub const RINGS_CLOSED: i32 = 15;

/// XP of a first solve.
#[must_use]
pub const fn first_solve(difficulty: Option<Difficulty>) -> i32 {
    match difficulty {
        None | Some(Difficulty::Easy) => 10,
        Some(Difficulty::Medium) => 20,
        Some(Difficulty::Hard) => 30,
    }
}

/// What is awarded, and for what.
#[derive(Clone, Copy, Debug)]
pub struct Award {
    /// Who gets it.
    pub user_id: i64,
    /// What for.
    pub reason: Reason,
    /// The problem of a first solve, the review of a review, the solve of a deletion, the ring day
    /// of closed rings.
    pub subject_id: i64,
    /// How much; an entry that takes back is negative.
    pub amount: i32,
    /// The solve that it came from, if from one, so that its deletion can take it back.
    pub solve_id: Option<i64>,
    /// The local day that it counts for.
    pub local_day: NaiveDate,
}

/// Writes an entry, once for each reason and subject. Returns what was awarded by this call.
///
/// # Errors
/// When the database fails.
pub fn award(db: &mut Db, award: &Award, now: At) -> QueryResult<i32> {
    Ok(if guards::award_once(db, &entry(award, 0, now))? { award.amount } else { 0 })
}

/// Like [`award`], for many of one reason. Returns the subjects for which this call awarded.
pub fn award_all(db: &mut Db, awards: &[Award], now: At) -> QueryResult<Vec<i64>> {
    let entries: Vec<NewEntry> = awards.iter().map(|award| entry(award, 0, now)).collect();
    guards::award_all(db, &entries)
}

/// Lets the ledger follow a review that completes a revision from now on, or does not any more. It is
/// called under the lock of the solve. Returns what changed.
///
/// # Errors
/// When the database fails.
pub fn follow(db: &mut Db, review: &Award, counts: bool, now: At) -> QueryResult<i32> {
    let entries = store::of_review(db, review.user_id, review.subject_id)?;
    let brought: i32 = entries.iter().map(|(_, amount)| amount).sum();
    let (reason, amount) = match (counts, brought) {
        (true, 0) => (Reason::Review, review.amount),
        (false, 1..) => (Reason::ReviewReplaced, -brought),
        _ => return Ok(0),
    };
    let turns = entries.iter().filter(|(of, _)| *of == reason).count();
    let turn = i32::try_from(turns).unwrap_or(i32::MAX);
    let award = Award { reason, amount, ..*review };
    Ok(if guards::award_once(db, &entry(&award, turn, now))? { amount } else { 0 })
}

fn entry(award: &Award, turn: i32, now: At) -> NewEntry {
    NewEntry {
        user_id: award.user_id,
        reason: award.reason,
        subject_id: award.subject_id,
        turn,
        amount: award.amount,
        solve_id: award.solve_id,
        local_day: award.local_day,
        created_at: now,
    }
}

/// Takes back what a solve has brought in, by one entry of its own.
///
/// # Errors
/// When the database fails.
pub fn reverse(
    db: &mut Db,
    user_id: i64,
    solve_id: i64,
    local_day: NaiveDate,
    now: At,
) -> QueryResult<i32> {
    let brought = store::of_solve(db, user_id, solve_id)?;
    if brought == 0 {
        return Ok(0);
    }
    let taken = Award {
        user_id,
        reason: Reason::SolveDeleted,
        subject_id: solve_id,
        amount: -brought,
        solve_id: Some(solve_id),
        local_day,
    };
    award(db, &taken, now)
}

/// What a user has in all, and what of it they got on a local day.
///
/// # Errors
/// When the database fails.
pub fn total_and_on_day(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<(i64, i64)> {
    store::total_and_on_day(db, user_id, day)
}

/// What a user has in all.
///
/// # Errors
/// When the database fails.
pub fn total(db: &mut Db, user_id: i64) -> QueryResult<i64> {
    store::total(db, user_id)
}

/// What several users have in all; who has nothing is left out.
///
/// # Errors
/// When the database fails.
pub fn totals(db: &mut Db, user_ids: &[i64]) -> QueryResult<HashMap<i64, i64>> {
    store::totals(db, user_ids)
}

/// As [`totals`], of the local days from one to another, both included.
///
/// # Errors
/// When the database fails.
pub fn between(
    db: &mut Db,
    user_ids: &[i64],
    from: NaiveDate,
    to: NaiveDate,
) -> QueryResult<HashMap<i64, i64>> {
    store::between(db, user_ids, from, to)
}

/// The entries of a user, newest first.
///
/// # Errors
/// When the database fails.
pub fn entries(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<model::Entry>> {
    store::entries(db, user_id, before, limit)
}

/// What a review has brought in, what was taken back already counted.
///
/// # Errors
/// When the database fails.
pub fn of_review(db: &mut Db, user_id: i64, review_id: i64) -> QueryResult<i32> {
    Ok(store::of_review(db, user_id, review_id)?.into_iter().map(|(_, amount)| amount).sum())
}
