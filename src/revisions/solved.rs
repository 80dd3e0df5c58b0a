//! What an accepted submission does to the schedules: it begins them, or completes what is due.

use super::journal::{Detail, Journal, Retrieved, first_revision};
use super::log::Kind;
use super::model::{Cause, Note, RevisionRow, Start};
use super::rating::Rating;
use super::store;
use super::{FirstSolve, Learner, guards};
use crate::db::Db;
use crate::db::instant::At;
use chrono::NaiveDate;
use diesel::QueryResult;
use diesel::result::Error;
use std::collections::HashMap;

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
    /// The reviews that were recorded, also those that complete nothing.
    pub reviews: Vec<i64>,
    /// Whether it was earlier than the first solve, and is that now.
    pub became_first: bool,
    /// When the solve began until then, where that is known: the reviews are of that time.
    pub began: Option<At>,
    /// XP that was awarded, less what was taken back: where it takes the place of a later one, that
    /// is nothing.
    pub xp: i32,
    /// Whether it is the first that the user did about the problem on its day, imports left out.
    pub is_first_of_day: bool,
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
/// What it completes follows from the log, whenever it arrives: what was due of each schedule on its
/// local day, at most once a day. One that is earlier than the first solve becomes the first, and
/// the old first one is a further one from now on. `None` where the solve is gone.
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
    let before = places(&journal)?;
    let mut again =
        Again { is_first_of_day: is_first_of_day(&journal, solved.day), ..Again::default() };
    let further = if is_earlier(solved, &journal.start) {
        again.became_first = true;
        let first = FirstSolve {
            at: Some(solved.at),
            day: solved.day,
            precision: "exact".to_owned(),
            rating: solved.rating,
            rating_source: solved.rating_source.clone(),
            import_id: None,
        };
        let old = become_first(db, &mut journal, first)?;
        again.began = old.as_ref().map(|old| old.at);
        old
    } else {
        Some(solved.clone())
    };
    if let Some(further) = further {
        again.reviews = add(db, learner, &mut journal, &further)?;
    }
    settle(db, learner, &mut journal, &before)?;
    again.xp = journal.xp();
    for kind in journal.kinds() {
        let completed = journal.reviews.iter().find(|review| {
            review.kind == kind && review.counts() && again.reviews.contains(&review.id)
        });
        let revision_id = completed.and_then(|review| review.revision_id);
        let mut revisions = journal.revisions.iter();
        again.completed.extend(revisions.find(|row| Some(row.id) == revision_id).cloned());
        if completed.is_some() || again.became_first {
            again.next.extend(journal.current(kind).cloned());
        }
    }
    Ok(Some(again))
}

fn is_first_of_day(journal: &Journal, day: NaiveDate) -> bool {
    let start = &journal.start;
    let began = start.first_day == day && start.import_id.is_none();
    let reviewed = journal.reviews.iter().any(|review| {
        review.local_day == day && review.undone_at.is_none() && review.cause != Cause::Imported
    });
    !began && !reviewed
}

/// The place of the current step of each schedule.
pub(super) type Places = HashMap<Kind, u32>;

pub(super) fn places(journal: &Journal) -> QueryResult<Places> {
    journal.kinds().into_iter().map(|kind| Ok((kind, journal.place(kind)?))).collect()
}

/// Settles all schedules. A step that has come since there were these `places` gets the least loaded
/// day, where the user wants it.
pub(super) fn settle(
    db: &mut Db,
    learner: &Learner,
    journal: &mut Journal,
    before: &Places,
) -> QueryResult<()> {
    for (kind, before) in before {
        if journal.place(*kind)? > *before {
            journal.balance(db, learner, *kind)?;
        }
    }
    journal.settle_all(db)
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

/// Puts an accepted submission into the log of each schedule.
pub(super) fn add(
    db: &mut Db,
    learner: &Learner,
    journal: &mut Journal,
    solved: &Solved,
) -> QueryResult<Vec<i64>> {
    let mut ids = Vec::new();
    for kind in journal.kinds() {
        let retrieved = Retrieved {
            at: solved.at,
            day: solved.day,
            rating: solved.rating,
            rating_source: solved.rating_source.clone(),
            cause: Cause::Solved,
            moves_schedule: false,
        };
        // What moves nothing so far is in nobody's way.
        let review = journal.record(db, learner, kind, retrieved)?.ok_or(Error::NotFound)?;
        ids.push(review.id);
    }
    Ok(ids)
}
