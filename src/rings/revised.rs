//! Completing a revision by hand, and taking that back, with what it does to the rings of its day.

use super::{Deed, LOOKED_AT_AGAIN, count, guards};
use crate::days::days_later;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::revisions::complete::{self, Completed, Undone};
use crate::revisions::model::{Cause, ReviewRow};
use crate::revisions::rating::Rating;
use crate::revisions::{Learner, Refusal};

/// Completes a revision, as [`complete::complete`] does, and counts it on the day of its review.
///
/// # Errors
/// [`Refusal`]; then nothing is changed.
pub fn complete(
    db: &mut Db,
    learner: &Learner,
    id: i64,
    rating: Rating,
    completed_at: Option<At>,
    now: At,
) -> Work<Completed, Refusal> {
    let done = complete::complete(db, learner, id, rating, completed_at, now)?;
    if done.is_new {
        let day = done.review.local_day;
        let of_due = i32::from(done.revision.due_on <= day);
        count(db, learner, day, Deed { solves: 0, revisions: 1, of_due }, now)?;
    }
    Ok(done)
}

/// Takes a review back, as [`complete::undo`] does, and counts it no more. A closed day stays closed.
///
/// # Errors
/// [`Refusal`]; then nothing is changed.
pub fn undo(db: &mut Db, learner: &Learner, id: i64, now: At) -> Work<Undone, Refusal> {
    let undone = complete::undo(db, learner, id, now)?;
    if undone.is_new && was_counted(learner, &undone.review) {
        guards::discount_revision(db, learner.user_id, undone.review.local_day)?;
    }
    Ok(undone)
}

/// Whether a review was counted when it came.
fn was_counted(learner: &Learner, review: &ReviewRow) -> bool {
    let came = learner.days.local_day(*review.created_at);
    review.cause != Cause::Imported && review.local_day >= days_later(came, -LOOKED_AT_AGAIN)
}
