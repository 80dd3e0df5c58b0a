//! The fold behind [`derive`](super::log::Log::derive): one entry after the other, in the order of
//! events. What happened before an entry depends on nothing after it, undos excepted, and those are
//! taken out of the log before the fold begins.

use std::collections::HashSet;

use chrono::{DateTime, NaiveDate, Utc};

use super::adaptive::Recall;
use super::fuzz::{self, LAST_DAY, Previous, Window};
use super::ladder;
use super::log::{Entry, Event, Kind, Log, Placement};
use super::rating::Rating;
use super::schedule::{Memory, Schedule, Step, StepState};
use super::settings::Interned;
use super::undone;

/// The schedule after some of the entries.
pub(super) struct Replay<'a> {
    log: &'a Log,
    closed: Vec<Step>,
    current: Step,
    current_since: Option<DateTime<Utc>>,
    lapses: u32,
    /// The place of the current step since the first solve or the last reset, from 1.
    place: u32,
    /// The days that have their review: those of reviews that count in any case, also later ones,
    /// and of solves that have completed a step.
    taken: HashSet<NaiveDate>,
    basis: Basis<'a>,
}

/// What the memory of the current step rests on, so that it can be computed again under other
/// settings.
struct Basis<'a> {
    /// The settings that the memory and the interval were computed with.
    settings: &'a Interned,
    /// The retrievals that made the memory. Never empty: the first solve, or the reset, is one.
    retrievals: Vec<(NaiveDate, Rating)>,
    /// The interval before the last retrieval, the settings it was planned with, and how that
    /// retrieval was rated; `None` after the first.
    previous: Option<(u32, &'a Interned, Rating)>,
    /// The step that the interval was planned for, which fuzz depends on: a skip plans nothing.
    planned_for: u32,
}

/// The log in full.
pub(super) fn whole(log: &Log) -> Replay<'_> {
    let entries = undone::live(&log.events);
    let mut replay = Replay::start(log);
    replay.taken.extend(entries.iter().filter_map(|entry| match entry.event {
        Event::Reviewed { day, .. } => Some(day),
        _ => None,
    }));
    for entry in entries {
        replay.apply(entry);
    }
    replay
}

impl<'a> Replay<'a> {
    fn start(log: &'a Log) -> Self {
        let first = (log.first.day, log.first.rating);
        let basis = Basis {
            settings: &log.first.settings,
            retrievals: std::iter::once(first).chain(log.history.iter().copied()).collect(),
            previous: None,
            planned_for: 1,
        };
        let memory = basis.memory_under(log.kind, basis.settings);
        let current = basis.plan(log.solve_id, memory, basis.last_day());
        Self {
            log,
            closed: Vec::new(),
            current,
            current_since: None,
            lapses: 0,
            place: 1,
            taken: HashSet::new(),
            basis,
        }
    }

    pub(super) fn into_schedule(self) -> Schedule {
        let Self { closed, current, current_since, lapses, place, .. } = self;
        Schedule { closed, current, current_since, lapses, place }
    }

    fn apply(&mut self, entry: &'a Entry) {
        if entry.step.is_some_and(|step| step != self.place) {
            return;
        }
        match entry.event {
            Event::Reviewed { review_id, day, rating } => {
                self.review(entry.at, review_id, day, rating, &entry.settings);
            }
            Event::Solved { review_id, day, rating } => {
                if self.is_due(day) && self.taken.insert(day) {
                    self.review(entry.at, review_id, day, rating, &entry.settings);
                }
            }
            Event::Postponed { due_on } => self.delay(due_on),
            Event::Skipped { day } => self.skip(entry.at, entry.seq, day),
            Event::Suspended => self.current.state = StepState::Suspended,
            Event::Resumed => self.current.state = StepState::Pending,
            Event::Reset { day } => self.reset(entry.at, day, &entry.settings),
            Event::Placed { due_on, why } => match why {
                Placement::ImportSpread | Placement::PauseSpread => self.delay(due_on),
                Placement::Balanced => self.balance(due_on),
                Placement::Rescheduled => {
                    self.reschedule(&entry.settings);
                    self.delay(due_on);
                }
            },
            // `undone::live` has taken these out, with all that they concern.
            Event::Undone { .. } => {}
        }
    }

    fn is_due(&self, day: NaiveDate) -> bool {
        self.current.state == StepState::Pending && self.current.due_on <= day
    }

    /// Completes the current step and plans the next, which stays suspended where that one was: a
    /// review that an import holds is no wish to be asked again.
    fn review(
        &mut self,
        at: DateTime<Utc>,
        review_id: i64,
        day: NaiveDate,
        rating: Rating,
        settings: &'a Interned,
    ) {
        let kind = self.log.kind;
        let before = self.basis.memory_now(kind, self.current.memory, settings);
        let elapsed = days_between(self.basis.last_day(), day);
        let memory = remember(kind, Some(before), elapsed, rating, settings);

        let ordinal = self.current.ordinal.saturating_add(1);
        self.basis.previous = Some((self.current.interval_days, self.basis.settings, rating));
        self.basis.settings = settings;
        self.basis.retrievals.push((day, rating));
        self.basis.planned_for = ordinal;
        if rating == Rating::Again {
            self.lapses = self.lapses.saturating_add(1);
        }
        let state = self.current.state;
        let next = Step { state, ..self.basis.plan(self.log.solve_id, memory, day) };
        self.close(at, StepState::Completed { review_id, rating, day }, next);
    }

    /// Leaves the current step out: the next has its plan, counted from another day.
    fn skip(&mut self, at: DateTime<Utc>, seq: i64, day: NaiveDate) {
        let next = Step {
            ordinal: self.current.ordinal.saturating_add(1),
            scheduled_on: day,
            due_on: fuzz::after(day, self.current.interval_days),
            ..self.current.clone()
        };
        self.close(at, StepState::Skipped { seq, day }, next);
    }

    /// Puts a step as after the first solve in the place of the current one.
    fn reset(&mut self, at: DateTime<Utc>, day: NaiveDate, settings: &'a Interned) {
        let Step { ordinal, state, .. } = self.current;
        self.basis = Basis {
            settings,
            retrievals: vec![(day, self.log.first.rating)],
            previous: None,
            planned_for: ordinal,
        };
        let memory = self.basis.memory_under(self.log.kind, settings);
        self.current = Step { state, ..self.basis.plan(self.log.solve_id, memory, day) };
        self.lapses = 0;
        self.place = 1;
        self.current_since = Some(at);
    }

    /// Moves the due date later, never earlier: a date that was chosen for the step as it was
    /// planned then must not pull it forward after a late arrival or a corrected rating.
    fn delay(&mut self, due_on: NaiveDate) {
        self.current.due_on = self.current.due_on.max(due_on.min(LAST_DAY));
    }

    fn balance(&mut self, due_on: NaiveDate) {
        let days = days_between(self.current.scheduled_on, due_on);
        if self.current.window.contains(days) {
            self.current.interval_days = days;
            self.current.due_on = fuzz::after(self.current.scheduled_on, days);
        }
    }

    /// Plans the current step again under `settings`, from the day that its interval counts from.
    pub(super) fn reschedule(&mut self, settings: &'a Interned) {
        let Step { ordinal, state, scheduled_on, memory, .. } = self.current;
        let memory = self.basis.memory_now(self.log.kind, memory, settings);
        self.basis.settings = settings;
        let planned = self.basis.plan(self.log.solve_id, memory, scheduled_on);
        self.current = Step { ordinal, state, ..planned };
    }

    fn close(&mut self, at: DateTime<Utc>, state: StepState, next: Step) {
        self.place = self.place.saturating_add(1);
        self.current_since = Some(at);
        let closed = std::mem::replace(&mut self.current, next);
        self.closed.push(Step { state, ..closed });
    }
}

impl Basis<'_> {
    /// The day of the last retrieval.
    fn last_day(&self) -> NaiveDate {
        self.retrievals.last().map_or(LAST_DAY, |(day, _)| *day)
    }

    /// The current memory as it is under `settings`. A stability and a difficulty mean something
    /// under the weights that they were computed with only, so that other weights start over from
    /// the first retrieval.
    fn memory_now(&self, kind: Kind, memory: Memory, settings: &Interned) -> Memory {
        match memory {
            Memory::Ladder { step } => {
                Memory::Ladder { step: ladder::within(step, settings.settings()) }
            }
            Memory::Adaptive { .. } => {
                if settings.settings().remembers_like(self.settings.settings()) {
                    memory
                } else {
                    self.memory_under(kind, settings)
                }
            }
        }
    }

    /// The memory after all retrievals under `settings`.
    fn memory_under(&self, kind: Kind, settings: &Interned) -> Memory {
        let (first_day, first_rating) =
            self.retrievals.first().copied().unwrap_or((LAST_DAY, Rating::Good));
        let first = remember(kind, None, 0, first_rating, settings);
        let (_, memory) = self.retrievals.iter().skip(1).fold(
            (first_day, first),
            |(last, memory), &(day, rating)| {
                let elapsed = days_between(last, day);
                (day, remember(kind, Some(memory), elapsed, rating, settings))
            },
        );
        memory
    }

    /// A pending step with this memory, its interval counted from `base`.
    fn plan(&self, solve_id: i64, memory: Memory, base: NaiveDate) -> Step {
        let settings = self.settings.settings();
        let (raw, window, interval) = match memory {
            Memory::Ladder { step } => {
                let days = ladder::interval(step, settings);
                (days, Window::only(days), days)
            }
            Memory::Adaptive { stability, difficulty } => {
                let model = self.settings.model();
                let raw = model.interval(Recall { stability, difficulty });
                let previous = self.previous.map(|(interval, planned_with, rating)| Previous {
                    interval,
                    rating,
                    comparable: planned_with.settings().recalls_like(settings),
                });
                let window = fuzz::window(raw, previous, model.maximum());
                let weights = &settings.weekday_weights;
                let seed = (solve_id, self.planned_for);
                (raw, window, fuzz::pick(window, base, weights, settings.fuzz.then_some(seed)))
            }
        };
        Step {
            ordinal: self.planned_for,
            state: StepState::Pending,
            scheduled_on: base,
            due_on: fuzz::after(base, interval),
            interval_days: interval,
            raw_interval: raw,
            window,
            memory,
            settings_id: self.settings.id(),
        }
    }
}

/// The memory after a retrieval, `before` being the one that it met; `None` is the first solve.
fn remember(
    kind: Kind,
    before: Option<Memory>,
    elapsed_days: u32,
    rating: Rating,
    settings: &Interned,
) -> Memory {
    match kind {
        Kind::Ladder => {
            let step = before.and_then(Memory::step);
            Memory::Ladder { step: ladder::next(step, rating, settings.settings()) }
        }
        Kind::Adaptive => {
            let model = settings.model();
            before
                .and_then(Memory::recall)
                .map_or_else(
                    || model.first(rating),
                    |recall| model.next(recall, elapsed_days, rating),
                )
                .into()
        }
    }
}

/// Local days from one to another. A change of zone can put a later event on an earlier day, which
/// counts as the same day.
fn days_between(from: NaiveDate, to: NaiveDate) -> u32 {
    u32::try_from((to - from).num_days().max(0)).unwrap_or(u32::MAX)
}
