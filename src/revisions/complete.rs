//! Completing a revision by hand, and taking that back.

use super::happened::check_instant;
use super::journal::{self, Detail, Journal, Retrieved};
use super::model::{Cause, Note, ReviewRow, RevisionRow, State};
use super::rating::Rating;
use super::{GIVEN, Learner, Refusal, guards, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::xp;
use crate::xp::model::Reason;
use diesel::result::Error;

/// A completed revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Completed {
    /// The revision.
    pub revision: RevisionRow,
    /// The review that completed it.
    pub review: ReviewRow,
    /// The revision that is to come.
    pub next: RevisionRow,
    /// XP that it brought in.
    pub xp_awarded: i32,
    /// Whether this call completed it.
    pub is_new: bool,
}

/// Completes a pending revision, on its day, early or late. The same again is answered the same.
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
    let mut journal = open(db, learner, id, now)?;
    let kind = find(&journal, id)?.kind;
    let since = journal.current_since(kind)?;
    // A client's clock may be ahead, so that the revision is there since later than now.
    let at = completed_at.unwrap_or_else(|| since.map_or(now, |since| since.max(now)));
    let day = learner.days.local_day(*at);
    let Some(revision) = guards::complete_revision(db, id, rating, day, now)? else {
        return replay(db, &journal, id, rating);
    };
    check_completed_at(at, since, now)?;
    if let Some(place) = journal.revisions.iter_mut().find(|revision| revision.id == id) {
        *place = revision.clone();
    }
    let retrieved = Retrieved {
        at,
        day,
        rating,
        rating_source: GIVEN.to_owned(),
        cause: Cause::Completed,
        moves_schedule: true,
    };
    let Some(review) = journal.record(db, learner, kind, retrieved)? else {
        return Err(Stopped::Because(Refusal::AlreadyReviewedToday(day)));
    };
    let xp_awarded = xp::award(db, &journal::award(learner.user_id, &review), now)?;
    journal.balance(db, learner, kind)?;
    journal.settle_all(db)?;
    outcome(&journal, review.id, xp_awarded, true)
}

/// The pending revision cannot have been completed before it was there. Since when it is there is not
/// known where nobody knows when the problem was solved.
fn check_completed_at(at: At, since: Option<At>, now: At) -> Work<(), Refusal> {
    let invalid = |detail: String| Stopped::Because(Refusal::Invalid("/completed_at", detail));
    match since {
        Some(since) if at < since => {
            Err(invalid(format!("before {}, when the revision was planned", since.to_rfc3339())))
        }
        Some(since) if at == since => Ok(()),
        _ => check_instant(at, now).map_err(invalid),
    }
}

fn outcome(
    journal: &Journal,
    review_id: i64,
    xp_awarded: i32,
    is_new: bool,
) -> Work<Completed, Refusal> {
    let review = journal.reviews.iter().find(|review| review.id == review_id);
    let review = review.cloned().ok_or(Error::NotFound)?;
    let revision = journal
        .revisions
        .iter()
        .find(|revision| Some(revision.id) == review.revision_id)
        .cloned()
        .ok_or(Error::NotFound)?;
    let next = journal
        .live(revision.kind)
        .find(|other| other.revision_number > revision.revision_number)
        .cloned()
        .ok_or(Error::NotFound)?;
    Ok(Completed { revision, review, next, xp_awarded, is_new })
}

/// The answer to a call that comes too late: the first one's, if it asks for the same.
fn replay(db: &mut Db, journal: &Journal, id: i64, rating: Rating) -> Work<Completed, Refusal> {
    let revision = journal
        .revisions
        .iter()
        .find(|revision| revision.id == id)
        .ok_or(Stopped::Because(Refusal::NotFound))?;
    if revision.state != State::Completed {
        return Err(Stopped::Because(Refusal::State(revision.state)));
    }
    let review = journal
        .reviews
        .iter()
        .find(|review| review.revision_id == Some(id) && review.undone_at.is_none())
        .ok_or(Error::NotFound)?;
    if review.rating != rating {
        return Err(Stopped::Because(Refusal::AnotherRating(review.rating)));
    }
    let xp = xp::of_review(db, journal.start.user_id, review.id)?;
    outcome(journal, review.id, xp, false)
}

/// A review that was taken back.
#[derive(Clone, Debug, PartialEq)]
pub struct Undone {
    /// The revision that it had completed.
    pub revision: RevisionRow,
    /// The review.
    pub review: ReviewRow,
    /// The revision that is to come, due when the old one was.
    pub next: RevisionRow,
    /// XP that was taken back, below 0.
    pub xp_awarded: i32,
    /// Whether this call took it back.
    pub is_new: bool,
}

/// Takes back the latest review of a schedule. Nothing is opened again: another revision with the
/// next number is due when this one was. The same again changes nothing.
///
/// # Errors
/// [`Refusal`]; then nothing is changed.
pub fn undo(db: &mut Db, learner: &Learner, id: i64, now: At) -> Work<Undone, Refusal> {
    let mut journal = open(db, learner, id, now)?;
    let revision = find(&journal, id)?;
    let kind = revision.kind;
    let last = journal
        .reviews
        .iter()
        .rfind(|review| review.revision_id == Some(id))
        .cloned()
        .ok_or(Stopped::Because(Refusal::State(revision.state)))?;
    if revision.state == State::Undone {
        return undone(&journal, last, id, None);
    }
    let is_latest = journal.last_review(kind).is_some_and(|review| review.id == last.id);
    if !is_latest || journal.was_reset_after(&last) {
        return Err(Stopped::Because(Refusal::NotTheLatest));
    }
    let step = journal.place_of(&last)?;
    let review = guards::undo_review(db, last.id, now)?.ok_or(Error::NotFound)?;
    for later in &mut journal.revisions {
        let is_later = later.revision_number > revision.revision_number;
        if later.kind == kind && later.state.is_live() && (is_later || later.id == id) {
            let to = if later.id == id { State::Undone } else { State::Withdrawn };
            let moved = guards::move_revision(db, later.id, later.state, to, now)?;
            *later = moved.ok_or(Error::NotFound)?;
        }
    }
    if let Some(place) = journal.reviews.iter_mut().find(|other| other.id == review.id) {
        *place = review.clone();
    }
    // At its own instant, also where a client's clock has put other entries ahead of it: what is
    // solved after it counts again.
    let detail = Detail { review_id: Some(review.id), step, at: Some(now), ..Detail::default() };
    journal.note(db, learner, kind, Note::Undone, detail)?;
    let award = xp::Award {
        user_id: learner.user_id,
        reason: Reason::ReviewUndone,
        subject_id: review.id,
        amount: -xp::of_review(db, learner.user_id, review.id)?,
        solve_id: Some(journal.start.id),
        local_day: learner.days.local_day(*now),
    };
    let xp_awarded = xp::award(db, &award, now)?;
    journal.settle_all(db)?;
    undone(&journal, review, id, Some(xp_awarded))
}

/// What an undo has left; `xp` is what it took back, if it did so now.
fn undone(journal: &Journal, review: ReviewRow, id: i64, xp: Option<i32>) -> Work<Undone, Refusal> {
    let revision = find(journal, id)?;
    let next = journal.current(revision.kind).cloned().ok_or(Error::NotFound)?;
    let (xp_awarded, is_new) = (xp.unwrap_or(0), xp.is_some());
    Ok(Undone { revision, review, next, xp_awarded, is_new })
}

/// Corrects the rating of a review; everything after it is derived again. One that no list shows, an
/// accepted submission that completes nothing, is none.
///
/// # Errors
/// [`Refusal`]; then nothing is changed.
pub fn correct(
    db: &mut Db,
    learner: &Learner,
    review_id: i64,
    rating: Rating,
    now: At,
) -> Work<ReviewRow, Refusal> {
    let review = store::review(db, learner.user_id, review_id)?
        .ok_or(Stopped::Because(Refusal::NotFound))?;
    let mut journal = Journal::open(db, learner, review.solve_id, now)?
        .ok_or(Stopped::Because(Refusal::NotFound))?;
    let place = journal
        .reviews
        .iter_mut()
        .find(|review| review.id == review_id && !review.is_idle())
        .ok_or(Stopped::Because(Refusal::NotFound))?;
    if place.undone_at.is_some() {
        return Err(Stopped::Because(Refusal::State(State::Undone)));
    }
    if place.rating != rating {
        *place = store::rate(db, review_id, rating, now)?;
        journal.settle_all(db)?;
    }
    let corrected = journal.reviews.into_iter().find(|review| review.id == review_id);
    Ok(corrected.ok_or(Error::NotFound)?)
}

/// Rates, after the fact, what a submission did: a first solve, or the reviews that it brought.
/// Only the latest can be rated like this.
///
/// # Errors
/// [`Refusal::ReviewFollowed`]; then nothing is changed.
pub fn rate_submission(
    db: &mut Db,
    learner: &Learner,
    solve_id: i64,
    submission_id: i64,
    was_first: bool,
    rating: Rating,
    now: At,
) -> Work<(), Refusal> {
    let Some(mut journal) = Journal::open(db, learner, solve_id, now)? else {
        return Ok(());
    };
    if was_first {
        if journal.kinds().into_iter().any(|kind| journal.last_review(kind).is_some()) {
            return Err(Stopped::Because(Refusal::ReviewFollowed));
        }
        store::rate_first(db, solve_id, rating)?;
        journal.start.rating = rating;
        journal.settle_all(db)?;
        return Ok(());
    }
    let reviews: Vec<ReviewRow> = journal
        .reviews
        .iter()
        .filter(|review| review.submission_id == Some(submission_id) && review.undone_at.is_none())
        .cloned()
        .collect();
    for review in &reviews {
        let last = journal.last_review(review.kind);
        if review.counts() && last.is_none_or(|last| last.id != review.id) {
            return Err(Stopped::Because(Refusal::ReviewFollowed));
        }
        let rated = store::rate(db, review.id, rating, now)?;
        if let Some(place) = journal.reviews.iter_mut().find(|other| other.id == review.id) {
            *place = rated;
        }
    }
    if !reviews.is_empty() {
        journal.settle_all(db)?;
    }
    Ok(())
}

/// Opens the log that a revision belongs to.
pub(super) fn open(db: &mut Db, learner: &Learner, id: i64, now: At) -> Work<Journal, Refusal> {
    let revision =
        store::revision(db, learner.user_id, id)?.ok_or(Stopped::Because(Refusal::NotFound))?;
    Journal::open(db, learner, revision.solve_id, now)?.ok_or(Stopped::Because(Refusal::NotFound))
}

pub(super) fn find(journal: &Journal, id: i64) -> Work<RevisionRow, Refusal> {
    journal
        .revisions
        .iter()
        .find(|revision| revision.id == id)
        .cloned()
        .ok_or(Stopped::Because(Refusal::NotFound))
}
