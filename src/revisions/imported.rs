//! What an import does to the schedules: it begins many at once, and brings what came before.
//!
//! An import is a log of another time and place. Its solves begin schedules, and the reviews that
//! it holds move them, one a local day; but no solve of an import completes what is due. The first
//! dates are spread (see [`Spread`]), and every date that was moved is in the log, so that a
//! schedule derived again is the one that is stored.

use super::guards::Scheduled;
use super::journal::{self, Detail, Journal, Retrieved};
use super::log::{Entry, Event, Kind};
use super::model::{Cause, NewEntry, NewReview, NewRevision, Note, Start, State};
use super::rating::Rating;
use super::room::room;
use super::schedule::{Schedule, StepState};
use super::solved::{self, become_first};
use super::spread::Spread;
use super::{FirstSolve, GIVEN, Learner, guards, settle, store};
use crate::db::Db;
use crate::db::instant::At;
use chrono::NaiveDate;
use diesel::QueryResult;
use diesel::result::Error;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The precision of a time of which only the day is known.
pub const DAY: &str = "day";

/// A review that an import holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retrieval {
    /// When.
    pub at: At,
    /// On which local day.
    pub day: NaiveDate,
    /// How it was rated.
    pub rating: Rating,
}

/// A solve that an import has just made.
#[derive(Clone, Debug)]
pub struct Begun {
    /// How it begins.
    pub start: Start,
    /// The reviews since, the oldest first.
    pub reviews: Vec<Retrieval>,
}

/// The load of a user's days, to spread an import over.
pub fn spread(db: &mut Db, learner: &Learner, now: At) -> QueryResult<Spread> {
    let today = learner.days.local_day(*now);
    // What is overdue waits today.
    room(db, learner, NaiveDate::default(), today)
}

/// Begins the schedules of many new solves, what is due first on the first days that have room.
pub fn begin_all(
    db: &mut Db,
    learner: &Learner,
    solves: &[Begun],
    spread: &mut Spread,
    now: At,
) -> QueryResult<()> {
    let mut plans = Vec::with_capacity(solves.len());
    for begun in solves {
        let mut seq = 0;
        for kind in learner.kinds() {
            let plan = Plan::of(learner, begun, kind, seq);
            seq = plan.end_of_seqs();
            plans.push(plan);
        }
        remember_seqs(db, begun.start.id, seq)?;
    }
    plans.sort_by_key(|plan| plan.schedule.current.due_on);
    for plan in &mut plans {
        let due_on = plan.schedule.current.due_on;
        plan.placed = Some(spread.place(due_on)).filter(|placed| *placed > due_on);
    }
    let revisions: Vec<NewRevision> = plans.iter().flat_map(|plan| plan.revisions(now)).collect();
    let scheduled = guards::schedule_revisions(db, &revisions)?;
    if scheduled.len() != revisions.len() {
        // The solves are new, so nobody else can have begun their schedules.
        return Err(Error::NotFound);
    }
    let entries: Vec<NewEntry> = plans.iter().filter_map(|plan| plan.entry(learner, now)).collect();
    store::note_all(db, &entries)?;
    record_reviews(db, learner, &plans, &scheduled, now)
}

/// The schedule of a new solve.
struct Plan<'a> {
    begun: &'a Begun,
    kind: Kind,
    schedule: Schedule,
    /// Which of the reviews move it.
    moving: Vec<bool>,
    /// The place of the first review in the log; a chosen date comes behind them.
    seq: i64,
    placed: Option<NaiveDate>,
}

impl<'a> Plan<'a> {
    fn of(learner: &Learner, begun: &'a Begun, kind: Kind, seq: i64) -> Self {
        let moving = moving(&begun.reviews, begun.start.first_solved_at);
        let start = &begun.start;
        let events = begun.reviews.iter().zip(&moving).zip(0..);
        let events = events.filter(|((_, moves), _)| **moves).map(|((review, _), number)| Entry {
            at: *review.at,
            seq: seq + number,
            step: None,
            event: Event::Reviewed { review_id: number, day: review.day, rating: review.rating },
            settings: Arc::clone(&learner.settings),
        });
        let log = journal::new_log(start, learner, kind, events.collect());
        Self { begun, kind, schedule: log.derive(), moving, seq, placed: None }
    }

    fn seq_of_date(&self) -> i64 {
        self.seq + i64::try_from(self.begun.reviews.len()).unwrap_or(i64::MAX)
    }

    fn end_of_seqs(&self) -> i64 {
        self.seq_of_date() + 1
    }

    fn revisions(&self, now: At) -> impl Iterator<Item = NewRevision> {
        self.schedule.steps().zip(1..).map(move |(step, number)| {
            let mut new = journal::new_revision(
                &self.begun.start,
                self.kind,
                number,
                settle::derived(step),
                now,
            );
            if let (Some(placed), State::Pending) = (self.placed, new.derived.state) {
                new.derived.due_on = placed;
            }
            new
        })
    }

    fn entry(&self, learner: &Learner, now: At) -> Option<NewEntry> {
        let due_on = self.placed?;
        // A clock may have been ahead; the date is chosen for what follows the last review.
        let at = self.begun.reviews.last().map_or(now, |review| review.at.max(now));
        Some(NewEntry {
            user_id: learner.user_id,
            solve_id: self.begun.start.id,
            kind: self.kind,
            event: Note::ImportSpread,
            step: i32::try_from(self.schedule.place).ok(),
            due_on: Some(due_on),
            local_day: learner.days.local_day(*at),
            happened_at: at,
            settings_id: learner.settings.id(),
            review_id: None,
            seq: self.seq_of_date(),
            created_at: now,
        })
    }

    fn reviews(&self, learner: &Learner, ids: &Ids, now: At) -> impl Iterator<Item = NewReview> {
        let solve_id = self.begun.start.id;
        let reviews = self.begun.reviews.iter().zip(&self.moving).zip(0..);
        reviews.map(move |((review, moves), number)| {
            let completes = |state: &StepState| {
                matches!(state, StepState::Completed { review_id, .. } if *review_id == number)
            };
            let mut closed = self.schedule.closed.iter().zip(1..);
            let revision_id = closed
                .find(|(step, _)| completes(&step.state))
                .and_then(|(_, revision)| ids.get(&(solve_id, self.kind, revision)).copied());
            NewReview {
                user_id: learner.user_id,
                solve_id,
                revision_id,
                submission_id: None,
                kind: self.kind,
                rating: review.rating,
                rating_source: GIVEN.to_owned(),
                happened_at: review.at,
                local_day: review.day,
                cause: Cause::Imported,
                moves_schedule: *moves,
                settings_id: learner.settings.id(),
                seq: self.seq + number,
                created_at: now,
                updated_at: now,
            }
        })
    }
}

/// The revisions by solve, kind and number.
type Ids = HashMap<(i64, Kind, i32), i64>;

fn record_reviews(
    db: &mut Db,
    learner: &Learner,
    plans: &[Plan<'_>],
    scheduled: &[Scheduled],
    now: At,
) -> QueryResult<()> {
    let reviewed = || plans.iter().filter(|plan| !plan.begun.reviews.is_empty());
    if reviewed().next().is_none() {
        return Ok(());
    }
    let ids: Ids =
        scheduled.iter().map(|(id, solve, kind, number)| ((*solve, *kind, *number), *id)).collect();
    let reviews: Vec<NewReview> =
        reviewed().flat_map(|plan| plan.reviews(learner, &ids, now)).collect();
    if guards::record_reviews(db, &reviews)? != reviews.len() {
        return Err(Error::NotFound);
    }
    let mut marks: HashMap<i64, (u32, bool)> = HashMap::new();
    for plan in reviewed() {
        let (lapses, leech) = marks.entry(plan.begun.start.id).or_default();
        *lapses = plan.schedule.lapses.max(*lapses);
        *leech |= plan.schedule.is_leech();
    }
    for (solve_id, (lapses, leech)) in marks.into_iter().filter(|(_, (lapses, _))| *lapses > 0) {
        let count = i32::try_from(lapses).unwrap_or(i32::MAX);
        store::mark(db, solve_id, count, leech)?;
    }
    Ok(())
}

/// Leaves room in the log of a new solve for as many entries as were written to it.
fn remember_seqs(db: &mut Db, solve_id: i64, written: i64) -> QueryResult<()> {
    let version = (written - 1) / journal::ENTRIES;
    if version > 0 { store::set_version(db, solve_id, version).map(drop) } else { Ok(()) }
}

/// Which of the reviews, the oldest first, move a schedule: the last of each local day. None does
/// before the first solve.
fn moving(reviews: &[Retrieval], first: Option<At>) -> Vec<bool> {
    let later = reviews.iter().skip(1).map(|review| Some(review.day)).chain([None]);
    reviews
        .iter()
        .zip(later)
        .map(|(review, next)| {
            first.is_none_or(|first| review.at >= first) && next != Some(review.day)
        })
        .collect()
}

/// What an import knows of a solve that was there before.
#[derive(Clone, Debug)]
pub struct Late {
    /// A solve that may be earlier than the first one.
    pub first: Option<FirstSolve>,
    /// The reviews, the oldest first; those that are there are left alone.
    pub reviews: Vec<Retrieval>,
}

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenIn {
    /// Whether the first solve is another one now.
    pub became_first: bool,
    /// How many revisions the first solve until then has completed, since it is none any more.
    pub completed: usize,
    /// XP that this brought in.
    pub xp: i32,
    /// The instants of the reviews that are new.
    pub reviews: Vec<At>,
}

/// Whether a solve of an import is earlier than the first one that is known. Of two on one day,
/// one whose time is known beats one whose is not.
#[must_use]
pub fn is_earlier(new: &FirstSolve, known: Option<At>, known_day: NaiveDate) -> bool {
    match (new.at, known) {
        (None, _) => false,
        (Some(_), None) => new.day <= known_day,
        (Some(at), Some(known)) => at < known && (new.day < known_day || new.precision != DAY),
    }
}

/// The instants at which these solves were reviewed.
pub fn reviewed_at(db: &mut Db, solve_ids: &[i64]) -> QueryResult<HashSet<(i64, At)>> {
    Ok(store::reviewed_at(db, solve_ids)?.into_iter().collect())
}

/// Takes into the log of a solve what an import knows of its past. What that makes due is spread.
pub fn take_in(
    db: &mut Db,
    learner: &Learner,
    solve_id: i64,
    late: &Late,
    spread: &mut Spread,
    now: At,
) -> QueryResult<TakenIn> {
    let mut journal = solved::open(db, learner, solve_id, now)?;
    let steps = solved::places(&journal)?;
    let mut taken = TakenIn::default();
    let mut added = Vec::new();
    let before: Vec<(Kind, Option<NaiveDate>)> =
        journal.kinds().into_iter().map(|kind| (kind, due_on(&journal, kind))).collect();
    let start = &journal.start;
    let earlier = late
        .first
        .as_ref()
        .filter(|first| is_earlier(first, start.first_solved_at, start.first_day));
    if let Some(first) = earlier {
        taken.became_first = true;
        let was_imported = journal.start.import_id.is_some();
        let old = become_first(db, &mut journal, first.clone())?;
        // Solved here, and now known not to be the first: that is a retrieval like any other.
        if let Some(old) = old.filter(|_| !was_imported) {
            added = solved::add(db, learner, &mut journal, &old)?;
        }
    }
    taken.reviews = add_reviews(db, learner, &mut journal, &late.reviews)?;
    if !taken.became_first && taken.reviews.is_empty() {
        return Ok(taken);
    }
    solved::settle(db, learner, &mut journal, &steps)?;
    let counting = journal.reviews.iter().filter(|review| review.counts());
    taken.completed = counting.filter(|review| added.contains(&review.id)).count();
    taken.xp = journal.xp();
    for (kind, before) in before {
        let after = due_on(&journal, kind);
        if after == before {
            continue;
        }
        if let Some(before) = before {
            spread.leave(before);
        }
        let Some(due_on) = after else { continue };
        let placed = spread.place(due_on);
        if placed > due_on {
            let detail = Detail { due_on: Some(placed), ..Detail::default() };
            journal.note(db, learner, kind, Note::ImportSpread, detail)?;
            journal.settle(db, kind)?;
        }
    }
    Ok(taken)
}

fn due_on(journal: &Journal, kind: Kind) -> Option<NaiveDate> {
    let current = journal.current(kind)?;
    (current.state == State::Pending).then_some(current.due_on)
}

fn add_reviews(
    db: &mut Db,
    learner: &Learner,
    journal: &mut Journal,
    reviews: &[Retrieval],
) -> QueryResult<Vec<At>> {
    let known = journal.reviews.iter().filter(|review| !review.is_idle());
    let known: HashSet<At> = known.map(|review| review.happened_at).collect();
    let new: Vec<Retrieval> =
        reviews.iter().copied().filter(|review| !known.contains(&review.at)).collect();
    let moving = moving(&new, journal.start.first_solved_at);
    for kind in journal.kinds() {
        for (review, moves) in new.iter().zip(&moving) {
            let retrieved = Retrieved {
                at: review.at,
                day: review.day,
                rating: review.rating,
                rating_source: GIVEN.to_owned(),
                cause: Cause::Imported,
                moves_schedule: *moves,
            };
            if journal.record(db, learner, kind, retrieved.clone())?.is_none() {
                // Another review has moved the schedule on that day.
                let retrieved = Retrieved { moves_schedule: false, ..retrieved };
                journal.record(db, learner, kind, retrieved)?.ok_or(Error::NotFound)?;
            }
        }
    }
    Ok(new.into_iter().map(|review| review.at).collect())
}
