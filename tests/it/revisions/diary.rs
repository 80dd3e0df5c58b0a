//! Logs written as one reads them: a first solve on day 0, and what was done on which day after it.

use std::sync::Arc;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use traverse::revisions::log::{Entry, Event, First, Kind, Log, Placement};
use traverse::revisions::rating::Rating;
use traverse::revisions::schedule::{Schedule, Step};
use traverse::revisions::settings::{Interned, Settings};

/// A log that is written in the order of its days, each entry at noon.
pub struct Diary {
    pub log: Log,
    pub settings: Arc<Interned>,
}

impl Diary {
    pub fn new(kind: Kind, rating: Rating) -> Self {
        Self::with(kind, rating, Settings { fuzz: false, ..Settings::default() })
    }

    pub fn with(kind: Kind, rating: Rating, settings: Settings) -> Self {
        let settings = Arc::new(Interned::new(1, settings));
        let first = First { day: day(0), rating, settings: Arc::clone(&settings) };
        let log = Log { kind, solve_id: 7, first, history: vec![], events: vec![] };
        Self { log, settings }
    }

    pub fn enter(&mut self, on: u64, event: Event) -> &mut Self {
        let seq = i64::try_from(self.log.events.len()).unwrap();
        let settings = Arc::clone(&self.settings);
        self.log.events.push(Entry { at: noon(on), seq, step: None, event, settings });
        self
    }

    pub fn review(&mut self, on: u64, rating: Rating) -> &mut Self {
        let review_id = i64::try_from(self.log.events.len()).unwrap() + 100;
        self.enter(on, Event::Reviewed { review_id, day: day(on), rating })
    }

    pub fn solve(&mut self, on: u64, rating: Rating) -> &mut Self {
        let review_id = i64::try_from(self.log.events.len()).unwrap() + 100;
        self.enter(on, Event::Solved { review_id, day: day(on), rating })
    }

    /// What the last entry was done to.
    pub fn step(&mut self, step: u32) -> &mut Self {
        self.log.events.last_mut().unwrap().step = Some(step);
        self
    }

    pub fn undo(&mut self, on: u64, review_id: i64) -> &mut Self {
        self.enter(on, Event::Undone { review_id })
    }

    pub fn place(&mut self, on: u64, due: u64, why: Placement) -> &mut Self {
        self.enter(on, Event::Placed { due_on: day(due), why })
    }

    pub fn settings(&mut self, id: i64, settings: Settings) -> &mut Self {
        self.settings = Arc::new(Interned::new(id, settings));
        self
    }

    pub fn schedule(&self) -> Schedule {
        self.log.derive()
    }

    pub fn current(&self) -> Step {
        self.schedule().current
    }
}

pub fn day(number: u64) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, 1).unwrap().checked_add_days(Days::new(number)).unwrap()
}

pub fn noon(number: u64) -> DateTime<Utc> {
    day(number).and_time(NaiveTime::from_hms_opt(12, 0, 0).unwrap()).and_utc()
}

pub fn dues(schedule: &Schedule) -> Vec<NaiveDate> {
    schedule.steps().map(|step| step.due_on).collect()
}

pub fn days(numbers: &[u64]) -> Vec<NaiveDate> {
    numbers.iter().copied().map(day).collect()
}
