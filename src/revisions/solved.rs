//! What an accepted submission does to the schedules: it begins them, or completes what is due.

use super::journal::{Detail, Journal, first_revision};
use super::log::Kind;
use super::model::{NewReview, Note, ReviewRow, RevisionRow, Start};
use super::rating::Rating;
use super::store;
use super::{FirstSolve, Learner, guards};
use crate::db::Db;
use crate::db::instant::At;
use crate::xp;
use crate::xp::model::Reason;
use chrono::NaiveDate;
use diesel::QueryResult;
use diesel::result::Error;

/// A problem was solved.
#[derive(Clone, Debug)]
pub struct Solved {
    /// When.
    pub at: At,
    /// On which local day.
    pub day: NaiveDate,
    /// How it was rated.
    pub rating: Rating,
    /// Who rated it.
    pub rating_source: String,
}

/// What a further accepted submission did.
#[derive(Clone, Debug, Default)]
pub struct Again {
    /// The revisions that it completed.
    pub completed: Vec<RevisionRow>,
    /// The revisions that are to come of those schedules.
    pub next: Vec<RevisionRow>,
    /// The reviews that were recorded.
    pub reviews: Vec<i64>,
    /// Whether it was earlier than the first solve, and is that now.
    pub became_first: bool,
    /// When the solve began until then, where that is known: the reviews are of that time.
    pub began: Option<At>,
    /// XP that was awarded.
    pub xp: i32,
}

/// Begins the schedules of a new solve.
///
/// # Errors
/// When the database fails.
pub fn begin(
    db: &mut Db,
    learner: &Learner,
    start: &Start,
    now: At,
) -> QueryResult<Vec<RevisionRow>> {
    let mut begun = Vec::new();
    for kind in learner.kinds() {
        let (revision, _) = first_revision(start, learner, kind, now);
        // The solve is new, so nobody else can have begun its schedule.
        begun.push(guards::schedule_revision(db, &revision)?.ok_or(Error::NotFound)?);
    }
    if learner.settings.settings().load_balance && learner.adaptive {
        let journal = Journal::open(db, learner, start.id, now)?;
        let mut journal = journal.ok_or(Error::NotFound)?;
        journal.balance(db, learner, Kind::Adaptive)?;
        journal.settle_all(db)?;
        begun = journal.revisions;
    }
    Ok(begun)
}

/// Starts the adaptive schedule of a solve that has none. Returns the revision that is to come,
/// and whether this call started it.
///
/// # Errors
/// When the database fails.
pub fn start_adaptive(
    db: &mut Db,
    learner: &Learner,
    solve_id: i64,
    now: At,
) -> QueryResult<Option<(RevisionRow, bool)>> {
    let Some(mut journal) = Journal::open(db, learner, solve_id, now)? else {
        return Ok(None);
    };
    if let Some(revision) = journal.current(Kind::Adaptive) {
        return Ok(Some((revision.clone(), false)));
    }
    journal.note(db, learner, Kind::Adaptive, Note::Started, Detail::default())?;
    if journal.start.suspended {
        journal.note(db, learner, Kind::Adaptive, Note::Suspended, Detail::default())?;
    }
    journal.settle(db, Kind::Adaptive)?;
    let revision = journal.current(Kind::Adaptive).cloned().ok_or(Error::NotFound)?;
    Ok(Some((revision, true)))
}

/// Takes a further accepted submission into the log of its solve.
///
/// It completes what was due of each schedule on its local day, at most once a day. One that is
/// earlier than the first solve becomes the first, and the old first one is looked at again as a
/// further one. `None` where the solve is gone.
///
/// # Errors
/// When the database fails.
pub fn solved_again(
    db: &mut Db,
    learner: &Learner,
    solve_id: i64,
    solved: &Solved,
    now: At,
) -> QueryResult<Option<Again>> {
    let Some(mut journal) = Journal::open(db, learner, solve_id, now)? else {
        return Ok(None);
    };
    let mut again = Again::default();
    if is_earlier(solved, &journal.start) {
        again.became_first = true;
        let first = FirstSolve {
            at: Some(solved.at),
            day: solved.day,
            precision: "exact".to_owned(),
            rating: solved.rating,
            rating_source: solved.rating_source.clone(),
            import_id: None,
        };
        if let Some(old) = become_first(db, &mut journal, first)? {
            again.began = Some(old.at);
            complete_due(db, learner, &mut journal, &old, &mut again, now)?;
        }
    } else {
        complete_due(db, learner, &mut journal, solved, &mut again, now)?;
        if again.reviews.is_empty() {
            return Ok(Some(again));
        }
    }
    journal.settle_all(db)?;
    for kind in journal.kinds() {
        let mut touched = false;
        for review in journal
            .reviews
            .iter()
            .filter(|review| review.kind == kind && again.reviews.contains(&review.id))
        {
            touched = true;
            again.completed.extend(
                journal
                    .revisions
                    .iter()
                    .find(|revision| Some(revision.id) == review.revision_id)
                    .cloned(),
            );
        }
        if touched || again.became_first {
            again.next.extend(journal.current(kind).cloned());
        }
    }
    Ok(Some(again))
}

pub(super) fn open(db: &mut Db, learner: &Learner, solve_id: i64, now: At) -> QueryResult<Journal> {
    Journal::open(db, learner, solve_id, now)?.ok_or(Error::NotFound)
}

fn is_earlier(solved: &Solved, start: &Start) -> bool {
    match start.first_solved_at {
        Some(first) => solved.at < first,
        // Only the day is known, and it is an upper bound at best.
        None => solved.day < start.first_day,
    }
}

/// Makes another solve the first, and returns the old one where its time is known.
pub(super) fn become_first(
    db: &mut Db,
    journal: &mut Journal,
    first: FirstSolve,
) -> QueryResult<Option<Solved>> {
    store::begin_with(db, journal.start.id, &first)?;
    let start = &mut journal.start;
    let old = start.first_solved_at.map(|at| Solved {
        at,
        day: start.first_day,
        rating: start.rating,
        rating_source: start.rating_source.clone(),
    });
    start.first_solved_at = first.at;
    start.first_day = first.day;
    start.rating = first.rating;
    start.rating_source = first.rating_source;
    start.import_id = first.import_id;
    Ok(old)
}

pub(super) fn complete_due(
    db: &mut Db,
    learner: &Learner,
    journal: &mut Journal,
    solved: &Solved,
    again: &mut Again,
    now: At,
) -> QueryResult<()> {
    for kind in journal.kinds() {
        if journal.log(kind)?.due(*solved.at, solved.day).is_none() {
            continue;
        }
        let is_latest = journal.last_review(kind).is_none_or(|last| last.happened_at <= solved.at);
        if let Some((review, xp)) = record(db, learner, journal, kind, solved, now)? {
            again.reviews.push(review.id);
            again.xp += xp;
            if is_latest {
                journal.balance(db, learner, kind)?;
            }
        }
    }
    Ok(())
}

/// Records a review that moves a schedule, with its XP, unless one has on that day.
///
/// # Errors
/// When the database fails.
pub(super) fn record(
    db: &mut Db,
    learner: &Learner,
    journal: &mut Journal,
    kind: Kind,
    solved: &Solved,
    now: At,
) -> QueryResult<Option<(ReviewRow, i32)>> {
    let review = NewReview {
        user_id: learner.user_id,
        solve_id: journal.start.id,
        revision_id: None,
        submission_id: None,
        kind,
        rating: solved.rating,
        rating_source: solved.rating_source.clone(),
        happened_at: solved.at,
        local_day: solved.day,
        moves_schedule: true,
        settings_id: learner.settings.id(),
        seq: journal.next_seq(),
        created_at: now,
        updated_at: now,
    };
    let Some(review) = guards::record_review(db, &review)? else {
        return Ok(None);
    };
    journal.add(learner, review.clone());
    let award = xp::Award {
        user_id: learner.user_id,
        reason: Reason::Review,
        subject_id: review.id,
        amount: xp::REVIEW,
        solve_id: journal.start.id,
        local_day: solved.day,
    };
    let xp = xp::award(db, &award, now)?;
    Ok(Some((review, xp)))
}
