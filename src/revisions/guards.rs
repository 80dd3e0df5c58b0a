//! The races of revisions. One race class is one [`Guard`] or one conditional update, one function,
//! and one test of the same name in `tests/it/races/`.

use super::log::Kind;
use super::model::{NewReview, NewRevision, ReviewRow, RevisionRow, START, Start, State};
use super::rating::Rating;
use crate::db::either::BATCH;
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::{reviews, revisions, solves};
use chrono::NaiveDate;
use diesel::prelude::*;

/// A schedule has each number once.
pub const REVISION: Guard = Guard {
    name: "revisions_solve_id_revision_number_kind",
    table: "revisions",
    columns: &["solve_id", "revision_number", "kind"],
    target: "(solve_id, revision_number, kind)",
    predicate: None,
};

/// A schedule is moved by at most one review of a local day.
pub const MOVING_REVIEW: Guard = Guard {
    name: "reviews_solve_id_kind_local_day",
    table: "reviews",
    columns: &["solve_id", "kind", "local_day"],
    target: "(solve_id, kind, local_day) where moves_schedule and undone_at is null",
    predicate: Some((
        "moves_schedule and undone_at is null",
        "(moves_schedule AND (undone_at IS NULL))",
    )),
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[REVISION, MOVING_REVIEW];

/// Schedules a revision. Of simultaneous calls one wins, and the others get `None`.
pub fn schedule_revision(db: &mut Db, revision: &NewRevision) -> QueryResult<Option<RevisionRow>> {
    diesel::insert_into(revisions::table)
        .values(revision)
        .on_conflict(REVISION.target())
        .do_nothing()
        .returning(revisions::all_columns)
        .get_result_on(db)
        .optional()
}

/// A revision that was scheduled: its id, its solve, its kind and its number there.
pub type Scheduled = (i64, i64, Kind, i32);

/// Like [`schedule_revision`], for many: those that won.
pub fn schedule_revisions(db: &mut Db, rows: &[NewRevision]) -> QueryResult<Vec<Scheduled>> {
    let mut won = Vec::with_capacity(rows.len());
    for rows in rows.chunks(BATCH) {
        let batch = diesel::insert_into(revisions::table)
            .values(rows)
            .on_conflict(REVISION.target())
            .do_nothing()
            .returning((
                revisions::id,
                revisions::solve_id,
                revisions::kind,
                revisions::revision_number,
            ))
            .get_results_on(db)?;
        won.extend::<Vec<Scheduled>>(batch);
    }
    Ok(won)
}

/// Completes a pending revision. One caller gets the row, the others `None`.
pub fn complete_revision(
    db: &mut Db,
    id: i64,
    rating: Rating,
    day: NaiveDate,
    now: At,
) -> QueryResult<Option<RevisionRow>> {
    diesel::update(revisions::table.find(id).filter(revisions::state.eq(State::Pending)))
        .set((
            revisions::state.eq(State::Completed),
            revisions::rating.eq(rating),
            revisions::completed_on.eq(day),
            revisions::sequence.eq(revisions::sequence + 1),
            revisions::updated_at.eq(now),
        ))
        .returning(revisions::all_columns)
        .get_result(db)
        .optional()
}

/// Moves a revision from one state to another. One caller gets the row, the others `None`.
pub fn move_revision(
    db: &mut Db,
    id: i64,
    from: State,
    to: State,
    now: At,
) -> QueryResult<Option<RevisionRow>> {
    diesel::update(revisions::table.find(id).filter(revisions::state.eq(from)))
        .set((
            revisions::state.eq(to),
            revisions::sequence.eq(revisions::sequence + 1),
            revisions::updated_at.eq(now),
        ))
        .returning(revisions::all_columns)
        .get_result(db)
        .optional()
}

/// Records a review. Of simultaneous calls that would move one schedule on one day one wins, and
/// the others get `None`.
pub fn record_review(db: &mut Db, review: &NewReview) -> QueryResult<Option<ReviewRow>> {
    diesel::insert_into(reviews::table)
        .values(review)
        .on_conflict(MOVING_REVIEW.target())
        .do_nothing()
        .returning(reviews::all_columns)
        .get_result_on(db)
        .optional()
}

/// Like [`record_review`], for many: how many won.
pub fn record_reviews(db: &mut Db, rows: &[NewReview]) -> QueryResult<usize> {
    let mut won = 0;
    for rows in rows.chunks(BATCH) {
        won += diesel::insert_into(reviews::table)
            .values(rows)
            .on_conflict(MOVING_REVIEW.target())
            .do_nothing()
            .execute_batch_on(db)?;
    }
    Ok(won)
}

/// Takes a review back. One caller gets the row, the others `None`.
pub fn undo_review(db: &mut Db, id: i64, now: At) -> QueryResult<Option<ReviewRow>> {
    diesel::update(reviews::table.find(id).filter(reviews::undone_at.is_null()))
        .set((reviews::undone_at.eq(now), reviews::updated_at.eq(now)))
        .returning(reviews::all_columns)
        .get_result(db)
        .optional()
}

/// Opens the log of a user's solve for writing: whoever else wants to waits until the transaction
/// ends. `None` where there is no such solve of theirs.
pub fn open_log(db: &mut Db, user_id: i64, solve_id: i64, now: At) -> QueryResult<Option<Start>> {
    diesel::update(solves::table.find(solve_id).filter(solves::user_id.eq(user_id)))
        .set((solves::version.eq(solves::version + 1), solves::updated_at.eq(now)))
        .returning(START)
        .get_result_on(db)
        .optional()
}
