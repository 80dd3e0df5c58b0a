//! The log of one solve, opened for writing, and the schedules that follow from it.
//!
//! Whoever holds a [`Journal`] holds the lock of its solve until the transaction ends. What is in
//! `revisions` is what [`Journal::settle`] derived from the log and nothing else: it compares, and
//! writes where they differ. Revisions that an undo or a reset took out of the schedule stay as
//! they are, so that numbers only grow.

use super::fuzz;
use super::guards;
use super::learner::Learner;
use super::log::{Entry, Event, First, Kind, Log, Placement};
use super::model::{EntryRow, NewEntry, NewRevision, Note, ReviewRow, RevisionRow, Start, State};
use super::schedule::{Memory, Schedule, Step, StepState};
use super::settings::{Interned, Settings};
use super::store::{self, Derived};
use crate::db::Db;
use crate::db::instant::At;
use chrono::{NaiveDate, TimeDelta};
use diesel::QueryResult;
use diesel::result::Error;
use std::collections::HashMap;
use std::sync::Arc;

/// Entries that one opening of a log may write.
pub(super) const ENTRIES: i64 = 16;

/// The log of a solve, opened for writing.
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
    written: i64,
    now: At,
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
            written: 0,
            now,
        };
        if !journal.knows_its_settings() {
            for (id, content) in store::settings_of(db, learner.user_id)? {
                let settings: Settings = serde_json::from_str(&content)
                    .map_err(|error| Error::DeserializationError(Box::new(error)))?;
                journal.settings.insert(id, Arc::new(Interned::new(id, settings)));
            }
        }
        Ok(journal)
    }

    fn knows_its_settings(&self) -> bool {
        let known = |id: i64| self.settings.contains_key(&id);
        known(self.start.settings_id)
            && self.reviews.iter().all(|review| known(review.settings_id))
            && self.entries.iter().all(|entry| known(entry.settings_id))
    }

    fn settings(&self, id: i64) -> QueryResult<Arc<Interned>> {
        // A foreign key keeps every row's settings.
        self.settings.get(&id).cloned().ok_or(Error::NotFound)
    }

    /// The place of the next entry in the order of the log.
    pub fn next_seq(&mut self) -> i64 {
        let seq = self.start.version * ENTRIES + self.written;
        self.written += 1;
        seq
    }

    /// Opens the log once more where this opening has no room for a further entry.
    ///
    /// # Errors
    /// When the database fails.
    pub fn make_room(&mut self, db: &mut Db, learner: &Learner) -> QueryResult<()> {
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
    /// When settings are missing, which a foreign key forbids.
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
        self.reviews.iter().filter(move |review| {
            review.kind == kind && review.moves_schedule && review.undone_at.is_none()
        })
    }

    /// Whether the memory was forgotten after `seq`.
    #[must_use]
    pub fn was_reset_after(&self, kind: Kind, seq: i64) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.kind == kind && entry.event == Note::Reset && entry.seq > seq)
    }

    /// The log of one schedule.
    ///
    /// # Errors
    /// When settings are missing, which a foreign key forbids.
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
        for review in &self.reviews {
            if review.kind == kind && review.moves_schedule {
                events.push(Entry {
                    at: review.happened_at.into(),
                    seq: review.seq,
                    event: Event::Reviewed {
                        review_id: review.id,
                        day: review.local_day,
                        rating: review.rating,
                    },
                    settings: self.settings(review.settings_id)?,
                });
            }
        }
        for entry in self.entries.iter().filter(|entry| entry.kind == kind) {
            if let Some(event) = event(entry) {
                events.push(Entry {
                    at: entry.happened_at.into(),
                    seq: entry.seq,
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
                seed: None,
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
        let at = what.at.unwrap_or_else(|| self.instant());
        let entry = NewEntry {
            user_id: self.start.user_id,
            solve_id: self.start.id,
            kind,
            event,
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

    /// Puts a review that was just recorded into the log.
    pub fn add(&mut self, learner: &Learner, review: ReviewRow) {
        self.settings.insert(learner.settings.id(), Arc::clone(&learner.settings));
        self.reviews.push(review);
        self.reviews.sort_by_key(|review| (review.happened_at, review.seq));
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
        let step = self.log(kind)?.derive().current;
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
        // At the instant of its review, so that nothing that arrives late comes between them.
        let at = self.last_review(kind).map(|review| review.happened_at);
        let detail = Detail { due_on: Some(chosen), at, ..Detail::default() };
        self.note(db, learner, kind, Note::Balanced, detail)
    }

    /// Derives a schedule from the log and writes what differs from what is stored.
    ///
    /// # Errors
    /// When the database fails.
    pub fn settle(&mut self, db: &mut Db, kind: Kind) -> QueryResult<Schedule> {
        let schedule = self.log(kind)?.derive();
        let live: Vec<usize> = self
            .revisions
            .iter()
            .enumerate()
            .filter(|(_, revision)| revision.kind == kind && revision.state.is_live())
            .map(|(place, _)| place)
            .collect();
        let mut places = live.into_iter();
        for step in schedule.steps() {
            let derived = derived(step);
            let row = match places.next() {
                None => self.append(db, kind, &derived)?,
                Some(place) => self.rewrite(db, place, &derived)?,
            };
            if let StepState::Completed { review_id, .. } = step.state {
                self.tie(db, review_id, row)?;
            }
        }
        for place in places {
            if let Some(revision) = self.revisions.get_mut(place) {
                let moved = guards::move_revision(
                    db,
                    revision.id,
                    revision.state,
                    State::Withdrawn,
                    self.now,
                )?;
                *revision = moved.ok_or(Error::NotFound)?;
            }
        }
        Ok(schedule)
    }

    fn append(&mut self, db: &mut Db, kind: Kind, derived: &Derived) -> QueryResult<i64> {
        let last = self
            .revisions
            .iter()
            .filter(|revision| revision.kind == kind)
            .map(|revision| revision.revision_number)
            .max();
        let new = new_revision(&self.start, kind, last.unwrap_or(0) + 1, derived, self.now);
        // Nobody else can have taken the number while this one holds the lock.
        let row = guards::schedule_revision(db, &new)?.ok_or(Error::NotFound)?;
        let id = row.id;
        self.revisions.push(row);
        Ok(id)
    }

    fn rewrite(&mut self, db: &mut Db, place: usize, derived: &Derived) -> QueryResult<i64> {
        let now = self.now;
        let revision = self.revisions.get_mut(place).ok_or(Error::NotFound)?;
        if !agrees(revision, derived) {
            *revision = store::rewrite(db, revision.id, derived, now)?;
        }
        Ok(revision.id)
    }

    fn tie(&mut self, db: &mut Db, review_id: i64, revision_id: i64) -> QueryResult<()> {
        let now = self.now;
        let review = self.reviews.iter_mut().find(|review| review.id == review_id);
        if let Some(review) = review
            && review.revision_id != Some(revision_id)
        {
            store::tie(db, review.id, revision_id, now)?;
            review.revision_id = Some(revision_id);
        }
        Ok(())
    }

    /// Settles every schedule of the solve, and marks it where it is a leech.
    ///
    /// # Errors
    /// When the database fails.
    pub fn settle_all(&mut self, db: &mut Db) -> QueryResult<()> {
        let mut lapses = 0;
        for kind in self.kinds() {
            lapses = lapses.max(self.settle(db, kind)?.lapses);
        }
        let counted = i32::try_from(lapses).unwrap_or(i32::MAX);
        if counted != self.start.lapses {
            store::mark(db, self.start.id, counted, lapses >= super::schedule::LEECH_LAPSES)?;
            self.start.lapses = counted;
        }
        Ok(())
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
    /// When; now, where nothing is given.
    pub at: Option<At>,
}

/// A schedule that has just begun: its first revision, of an empty log.
#[must_use]
pub fn first_revision(
    start: &Start,
    learner: &Learner,
    kind: Kind,
    now: At,
) -> (NewRevision, Step) {
    let log = Log {
        kind,
        solve_id: start.id,
        first: First {
            day: start.first_day,
            rating: start.rating,
            seed: None,
            settings: Arc::clone(&learner.settings),
        },
        history: Vec::new(),
        events: Vec::new(),
    };
    let step = log.derive().current;
    (new_revision(start, kind, 1, &derived(&step), now), step)
}

pub(super) fn new_revision(
    start: &Start,
    kind: Kind,
    revision_number: i32,
    derived: &Derived,
    now: At,
) -> NewRevision {
    NewRevision {
        user_id: start.user_id,
        solve_id: start.id,
        revision_number,
        kind,
        state: derived.state,
        scheduled_on: derived.scheduled_on,
        due_on: derived.due_on,
        interval_days: derived.interval_days,
        ladder_step: derived.ladder_step,
        stability: derived.stability,
        difficulty: derived.difficulty,
        settings_id: derived.settings_id,
        rating: derived.rating,
        completed_on: derived.completed_on,
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

pub(super) fn derived(step: &Step) -> Derived {
    let (state, rating, completed_on) = match step.state {
        StepState::Pending => (State::Pending, None, None),
        StepState::Suspended => (State::Suspended, None, None),
        StepState::Completed { rating, day, .. } => (State::Completed, Some(rating), Some(day)),
        StepState::Skipped { day, .. } => (State::Skipped, None, Some(day)),
    };
    let (ladder_step, stability, difficulty) = match step.memory {
        Memory::Ladder { step } => (Some(i32::try_from(step).unwrap_or(i32::MAX)), None, None),
        Memory::Adaptive { stability, difficulty } => {
            (None, Some(f64::from(stability)), Some(f64::from(difficulty)))
        }
    };
    Derived {
        state,
        scheduled_on: step.scheduled_on,
        due_on: step.due_on,
        interval_days: i32::try_from(step.interval_days).unwrap_or(i32::MAX),
        ladder_step,
        stability,
        difficulty,
        settings_id: step.settings_id,
        rating,
        completed_on,
    }
}

fn agrees(row: &RevisionRow, derived: &Derived) -> bool {
    *derived
        == Derived {
            state: row.state,
            scheduled_on: row.scheduled_on,
            due_on: row.due_on,
            interval_days: row.interval_days,
            ladder_step: row.ladder_step,
            stability: row.stability,
            difficulty: row.difficulty,
            settings_id: row.settings_id,
            rating: row.rating,
            completed_on: row.completed_on,
        }
}

/// A day so far ahead that no schedule reaches it.
#[must_use]
pub fn days_later(day: NaiveDate, days: i64) -> NaiveDate {
    day.checked_add_signed(TimeDelta::days(days)).unwrap_or(fuzz::LAST_DAY)
}
