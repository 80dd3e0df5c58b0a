//! The log of one solve, and the schedules that follow from it.
//!
//! Whoever has opened a [`Journal`] holds the lock of its solve until the transaction ends, and may
//! write; one that was only read ([`Journal::read`]) is for looking. What is in `revisions` is what [`Journal::settle`] derived from the log and nothing else: it compares, and
//! writes where they differ. Revisions that an undo or a reset took out of the schedule stay as
//! they are, so that numbers only grow.

use super::fuzz;
use super::guards;
use super::learner::Learner;
use super::log::{Entry, Event, First, Kind, Log, Placement};
use super::model::{
    Cause, Derived, EntryRow, NewEntry, NewReview, NewRevision, Note, ReviewRow, RevisionRow,
    Start, State,
};
use super::rating::Rating;
use super::schedule::Step;
use super::settings::{Interned, Settings};
use super::store;
use crate::db::Db;
use crate::db::instant::At;
use crate::xp::{self, model::Reason};
use chrono::NaiveDate;
use diesel::QueryResult;
use diesel::result::Error;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Entries that one opening of a log may write.
pub(super) const ENTRIES: i64 = 16;

/// The log of a solve.
#[derive(Debug)]
pub struct Journal {
    /// How it begins.
    pub start: Start,
    /// The revisions as they are stored.
    pub revisions: Vec<RevisionRow>,
    /// The reviews, taken back ones too.
    pub reviews: Vec<ReviewRow>,
    entries: Vec<EntryRow>,
    settings: HashMap<i64, Arc<Interned>>,
    /// The reviews that were recorded by this opening.
    pub(super) recorded: Vec<i64>,
    /// What changed of the user's XP since it was opened.
    pub(super) xp: i32,
    written: i64,
    pub(super) now: At,
}

impl Journal {
    /// Opens the log of a user's solve; `None` where there is no such solve of theirs.
    ///
    /// # Errors
    /// When the database fails.
    pub fn open(
        db: &mut Db,
        learner: &Learner,
        solve_id: i64,
        now: At,
    ) -> QueryResult<Option<Self>> {
        match guards::open_log(db, learner.user_id, solve_id, now)? {
            Some(start) => Self::load(db, learner, start, now).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the log of a user's solve without opening it for writing.
    ///
    /// # Errors
    /// When the database fails.
    pub fn read(
        db: &mut Db,
        learner: &Learner,
        solve_id: i64,
        now: At,
    ) -> QueryResult<Option<Self>> {
        match store::start(db, learner.user_id, solve_id)? {
            Some(start) => Self::load(db, learner, start, now).map(Some),
            None => Ok(None),
        }
    }

    fn load(db: &mut Db, learner: &Learner, start: Start, now: At) -> QueryResult<Self> {
        let mut journal = Self {
            revisions: store::revisions_of(db, start.id)?,
            reviews: store::reviews_of(db, start.id)?,
            entries: store::entries_of(db, start.id)?,
            settings: HashMap::from([(learner.settings.id(), Arc::clone(&learner.settings))]),
            start,
            recorded: Vec::new(),
            xp: 0,
            written: 0,
            now,
        };
        let missing = journal.missing_settings();
        if !missing.is_empty() {
            for (id, content) in store::settings_of(db, learner.user_id, missing)? {
                let settings: Settings = serde_json::from_str(&content)
                    .map_err(|error| Error::DeserializationError(Box::new(error)))?;
                journal.settings.insert(id, Arc::new(Interned::new(id, settings)));
            }
        }
        Ok(journal)
    }

    /// The settings that the log refers to and that are not those in force.
    fn missing_settings(&self) -> Vec<i64> {
        let reviews = self.reviews.iter().map(|review| review.settings_id);
        let entries = self.entries.iter().map(|entry| entry.settings_id);
        let all: BTreeSet<i64> = reviews.chain(entries).chain([self.start.settings_id]).collect();
        all.into_iter().filter(|id| !self.settings.contains_key(id)).collect()
    }

    fn settings(&self, id: i64) -> QueryResult<Arc<Interned>> {
        // No foreign key says so, but settings go only with their user, as the log does.
        self.settings.get(&id).cloned().ok_or(Error::NotFound)
    }

    /// The place of the next entry in the order of the log. There is room for it: see
    /// [`Self::make_room`].
    fn next_seq(&mut self) -> i64 {
        let seq = self.start.version * ENTRIES + self.written;
        self.written += 1;
        seq
    }

    /// Opens the log once more where this opening has no room for a further entry.
    ///
    /// # Errors
    /// When the database fails.
    fn make_room(&mut self, db: &mut Db, learner: &Learner) -> QueryResult<()> {
        if self.written < ENTRIES {
            return Ok(());
        }
        let opened = guards::open_log(db, learner.user_id, self.start.id, self.now)?;
        self.start.version = opened.ok_or(Error::NotFound)?.version;
        self.written = 0;
        Ok(())
    }

    /// The instant of something done now: not before anything that a client's clock, which may be
    /// ahead, has put into the log.
    #[must_use]
    pub fn instant(&self) -> At {
        let reviews = self.reviews.iter().map(|review| review.happened_at);
        let entries = self.entries.iter().map(|entry| entry.happened_at);
        reviews.chain(entries).chain([self.now]).max().unwrap_or(self.now)
    }

    /// The schedules that the solve has.
    #[must_use]
    pub fn kinds(&self) -> Vec<Kind> {
        Kind::ALL
            .into_iter()
            .filter(|kind| self.revisions.iter().any(|revision| revision.kind == *kind))
            .collect()
    }

    /// The revisions of a schedule as it is now, in order.
    #[must_use = "it only looks"]
    pub fn live(&self, kind: Kind) -> impl DoubleEndedIterator<Item = &RevisionRow> {
        self.revisions
            .iter()
            .filter(move |revision| revision.kind == kind && revision.state.is_live())
    }

    /// The revision that is to come.
    #[must_use]
    pub fn current(&self, kind: Kind) -> Option<&RevisionRow> {
        self.live(kind).next_back()
    }

    /// Since when there is the revision that is to come: the review, skip or reset before it, else
    /// the start of the schedule.
    ///
    /// # Errors
    /// When settings are missing: they go only with their user, as the log does.
    pub fn current_since(&self, kind: Kind) -> QueryResult<Option<At>> {
        if let Some(since) = self.log(kind)?.derive().current_since {
            return Ok(Some(since.into()));
        }
        let started = self.entries.iter().find(|entry| is_start(entry, kind));
        Ok(started.map(|entry| entry.happened_at).or(self.start.first_solved_at))
    }

    /// The last review that moved a schedule.
    #[must_use]
    pub fn last_review(&self, kind: Kind) -> Option<&ReviewRow> {
        self.moving(kind).next_back()
    }

    fn moving(&self, kind: Kind) -> impl DoubleEndedIterator<Item = &ReviewRow> {
        self.reviews.iter().filter(move |review| review.kind == kind && review.counts())
    }

    /// Whether the memory was forgotten after a review, in the order of events or of writing.
    #[must_use]
    pub fn was_reset_after(&self, review: &ReviewRow) -> bool {
        self.entries.iter().any(|entry| {
            entry.kind == review.kind
                && entry.event == Note::Reset
                && (entry.seq > review.seq || entry.happened_at > review.happened_at)
        })
    }

    /// The last entry of a schedule, if nothing was reviewed since it was written.
    #[must_use]
    pub fn last_entry(&self, kind: Kind) -> Option<&EntryRow> {
        let last = self.entries.iter().rfind(|entry| entry.kind == kind)?;
        let mut reviews = self.reviews.iter();
        let is_last = !reviews.any(|review| review.kind == kind && review.seq > last.seq);
        is_last.then_some(last)
    }

    /// The dates that the user has put the current step off to: each with the day on which it was
    /// done, the oldest first.
    ///
    /// # Errors
    /// When settings are missing: they go only with their user, as the log does.
    pub fn postponements(&self, kind: Kind) -> QueryResult<Vec<(NaiveDate, NaiveDate)>> {
        let schedule = self.log(kind)?.derive();
        let step = stored_step(schedule.place);
        let since = schedule.current_since;
        let postponed = self.entries.iter().filter(|entry| {
            entry.kind == kind
                && entry.event == Note::Postponed
                && entry.step == Some(step)
                && since.is_none_or(|since| *entry.happened_at >= since)
        });
        Ok(postponed.filter_map(|entry| Some((entry.local_day, entry.due_on?))).collect())
    }

    /// The place of the current step since the first solve or the last reset.
    ///
    /// # Errors
    /// When settings are missing: they go only with their user, as the log does.
    pub fn place(&self, kind: Kind) -> QueryResult<u32> {
        Ok(self.log(kind)?.derive().place)
    }

    /// The place of the step that a review has completed since the last reset.
    ///
    /// # Errors
    /// When settings are missing: they go only with their user, as the log does.
    pub fn place_of(&self, review: &ReviewRow) -> QueryResult<Option<u32>> {
        Ok(self.log(review.kind)?.derive().place_of(review.id))
    }

    /// What changed of the user's XP since the log was opened.
    #[must_use]
    pub fn xp(&self) -> i32 {
        self.xp
    }

    /// The log of one schedule.
    ///
    /// # Errors
    /// When settings are missing: they go only with their user, as the log does.
    pub fn log(&self, kind: Kind) -> QueryResult<Log> {
        let begun = self.entries.iter().find(|entry| is_start(entry, kind));
        let settings_id = begun.map_or(self.start.settings_id, |entry| entry.settings_id);
        let history = begun.map_or_else(Vec::new, |begun| {
            Kind::ALL
                .into_iter()
                .filter(|other| *other != kind)
                .flat_map(|other| self.moving(other))
                .filter(|review| review.seq < begun.seq)
                .map(|review| (review.local_day, review.rating))
                .collect()
        });
        let mut events = Vec::new();
        for review in self.reviews.iter().filter(|review| review.kind == kind) {
            if let Some(event) = retrieval(review) {
                events.push(Entry {
                    at: review.happened_at.into(),
                    seq: review.seq,
                    step: None,
                    event,
                    settings: self.settings(review.settings_id)?,
                });
            }
        }
        for entry in self.entries.iter().filter(|entry| entry.kind == kind) {
            if let Some(event) = event(entry) {
                events.push(Entry {
                    at: entry.happened_at.into(),
                    seq: entry.seq,
                    step: entry.step.and_then(|step| u32::try_from(step).ok()),
                    event,
                    settings: self.settings(entry.settings_id)?,
                });
            }
        }
        Ok(Log {
            kind,
            solve_id: self.start.id,
            first: First {
                day: self.start.first_day,
                rating: self.start.rating,
                settings: self.settings(settings_id)?,
            },
            history,
            events,
        })
    }

    /// Writes to the log.
    ///
    /// # Errors
    /// When the database fails.
    pub fn note(
        &mut self,
        db: &mut Db,
        learner: &Learner,
        kind: Kind,
        event: Note,
        what: Detail,
    ) -> QueryResult<()> {
        self.make_room(db, learner)?;
        let at = what.at.unwrap_or_else(|| self.instant());
        let step = match event {
            Note::Started | Note::Suspended | Note::Resumed | Note::Reset => None,
            Note::Undone => what.step,
            _ => Some(self.place(kind)?),
        };
        let entry = NewEntry {
            user_id: self.start.user_id,
            solve_id: self.start.id,
            kind,
            event,
            step: step.map(stored_step),
            due_on: what.due_on,
            local_day: learner.days.local_day(*at),
            happened_at: at,
            settings_id: learner.settings.id(),
            review_id: what.review_id,
            seq: self.next_seq(),
            created_at: self.now,
        };
        self.entries.push(store::note(db, &entry)?);
        self.settings.insert(learner.settings.id(), Arc::clone(&learner.settings));
        Ok(())
    }

    /// Records a review, unless it moves the schedule and another has on that day.
    ///
    /// # Errors
    /// When the database fails.
    pub fn record(
        &mut self,
        db: &mut Db,
        learner: &Learner,
        kind: Kind,
        what: Retrieved,
    ) -> QueryResult<Option<ReviewRow>> {
        self.make_room(db, learner)?;
        let review = NewReview {
            user_id: learner.user_id,
            solve_id: self.start.id,
            revision_id: None,
            submission_id: None,
            kind,
            rating: what.rating,
            rating_source: what.rating_source,
            happened_at: what.at,
            local_day: what.day,
            cause: what.cause,
            moves_schedule: what.moves_schedule,
            settings_id: learner.settings.id(),
            seq: self.next_seq(),
            created_at: self.now,
            updated_at: self.now,
        };
        let Some(review) = guards::record_review(db, &review)? else {
            return Ok(None);
        };
        self.settings.insert(learner.settings.id(), Arc::clone(&learner.settings));
        self.recorded.push(review.id);
        self.reviews.push(review.clone());
        self.reviews.sort_by_key(|review| (review.happened_at, review.seq));
        Ok(Some(review))
    }

    /// Chooses the least loaded day for what the last review has planned, where the user wants it.
    ///
    /// # Errors
    /// When the database fails.
    pub fn balance(&mut self, db: &mut Db, learner: &Learner, kind: Kind) -> QueryResult<()> {
        let settings = learner.settings.settings();
        if !settings.load_balance || kind != Kind::Adaptive {
            return Ok(());
        }
        let schedule = self.log(kind)?.derive();
        let at = schedule.current_since.map(At::from);
        let step = schedule.current;
        let from = fuzz::after(step.scheduled_on, step.window.min);
        let until = fuzz::after(step.scheduled_on, step.window.max);
        let load: HashMap<NaiveDate, i64> =
            store::load_between(db, self.start.user_id, from, until)?.into_iter().collect();
        // What is stored of this schedule is about to move, and is no load where it stands.
        let own =
            self.current(kind).filter(|row| row.state == State::Pending).map(|row| row.due_on);
        let load = |day| {
            let due = load.get(&day).copied().unwrap_or(0) - i64::from(own == Some(day));
            u32::try_from(due.max(0)).unwrap_or(u32::MAX)
        };
        let chosen = fuzz::balance(step.window, load, &settings.weekday_weights, step.scheduled_on);
        // At the instant that made the step, so that nothing that arrives late comes between them.
        let detail = Detail { due_on: Some(chosen), at, ..Detail::default() };
        self.note(db, learner, kind, Note::Balanced, detail)
    }
}

fn is_start(entry: &EntryRow, kind: Kind) -> bool {
    entry.kind == kind && entry.event == Note::Started
}

/// What an entry says beside what was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detail {
    /// The date that was chosen.
    pub due_on: Option<NaiveDate>,
    /// The review that was taken back.
    pub review_id: Option<i64>,
    /// The place of the step that it had completed.
    pub step: Option<u32>,
    /// When; now, where nothing is given.
    pub at: Option<At>,
}

/// A review to be recorded.
#[derive(Clone, Debug)]
pub struct Retrieved {
    /// When.
    pub at: At,
    /// On which local day.
    pub day: NaiveDate,
    /// How it was rated.
    pub rating: Rating,
    /// Who rated it.
    pub rating_source: String,
    /// What it is a record of.
    pub cause: Cause,
    /// Whether it completes a revision, as far as that is known.
    pub moves_schedule: bool,
}

/// What a review brings in.
pub(super) fn award(user_id: i64, review: &ReviewRow) -> xp::Award {
    xp::Award {
        user_id,
        reason: Reason::Review,
        subject_id: review.id,
        amount: xp::REVIEW,
        solve_id: Some(review.solve_id),
        local_day: review.local_day,
    }
}

fn stored_step(place: u32) -> i32 {
    i32::try_from(place).unwrap_or(i32::MAX)
}

/// What a review is in the log, if it is anything.
fn retrieval(review: &ReviewRow) -> Option<Event> {
    let (review_id, day, rating) = (review.id, review.local_day, review.rating);
    match review.cause {
        Cause::Solved => Some(Event::Solved { review_id, day, rating }),
        Cause::Completed | Cause::Imported => {
            review.moves_schedule.then_some(Event::Reviewed { review_id, day, rating })
        }
    }
}

/// The log of a solve that has just begun, under the settings in force.
pub(super) fn new_log(start: &Start, learner: &Learner, kind: Kind, events: Vec<Entry>) -> Log {
    Log {
        kind,
        solve_id: start.id,
        first: First {
            day: start.first_day,
            rating: start.rating,
            settings: Arc::clone(&learner.settings),
        },
        history: Vec::new(),
        events,
    }
}

/// A schedule that has just begun: its first revision, of an empty log.
#[must_use]
pub fn first_revision(
    start: &Start,
    learner: &Learner,
    kind: Kind,
    now: At,
) -> (NewRevision, Step) {
    let step = new_log(start, learner, kind, Vec::new()).derive().current;
    (new_revision(start, kind, 1, super::settle::derived(&step), now), step)
}

pub(super) fn new_revision(
    start: &Start,
    kind: Kind,
    revision_number: i32,
    derived: Derived,
    now: At,
) -> NewRevision {
    NewRevision {
        user_id: start.user_id,
        solve_id: start.id,
        revision_number,
        kind,
        derived,
        created_at: now,
        updated_at: now,
    }
}

fn event(entry: &EntryRow) -> Option<Event> {
    let placed = |why| entry.due_on.map(|due_on| Event::Placed { due_on, why });
    match entry.event {
        Note::Started => None,
        Note::Undone => entry.review_id.map(|review_id| Event::Undone { review_id }),
        Note::Postponed => entry.due_on.map(|due_on| Event::Postponed { due_on }),
        Note::Skipped => Some(Event::Skipped { day: entry.local_day }),
        Note::Suspended => Some(Event::Suspended),
        Note::Resumed => Some(Event::Resumed),
        Note::Reset => Some(Event::Reset { day: entry.local_day }),
        Note::ImportSpread => placed(Placement::ImportSpread),
        Note::Balanced => placed(Placement::Balanced),
        Note::PauseSpread => placed(Placement::PauseSpread),
        Note::Rescheduled => placed(Placement::Rescheduled),
    }
}
