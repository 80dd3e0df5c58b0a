//! The schedule of a solve: revisions done and the one that is to come, as a function of the log
//! and nothing else. It is total: any log, also one that no user could write, gives a schedule.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::adaptive::Recall;
use super::fuzz::Window;
use super::log::{Kind, Log};
use super::rating::Rating;
use super::replay;
use super::settings::Interned;

/// This many lapses mark a solve as a leech.
pub const LEECH_LAPSES: u32 = 6;

/// A schedule: what was, and the one revision that is to come.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// The completed and skipped steps, the oldest first.
    pub closed: Vec<Step>,
    /// The step to come: pending, or suspended.
    pub current: Step,
    /// When the current step took the place of another; `None` where it is the first.
    pub current_since: Option<DateTime<Utc>>,
    /// How many reviews since the last reset were rated again.
    pub lapses: u32,
    /// The place of the current step since the first solve or the last reset, from 1.
    pub place: u32,
}

impl Schedule {
    /// All steps, the oldest first; the last is the current one.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.closed.iter().chain(std::iter::once(&self.current))
    }

    /// The place, as [`Self::place`] counts, of the step that a review has completed since the last
    /// reset.
    #[must_use]
    pub fn place_of(&self, review: i64) -> Option<u32> {
        let since = self.closed.iter().rev().position(|step| {
            matches!(step.state, StepState::Completed { review_id, .. } if review_id == review)
        })?;
        self.place.checked_sub(u32::try_from(since).ok()?.checked_add(1)?)
    }

    /// Whether the problem keeps being forgotten. A leech stays in the schedule.
    #[must_use]
    pub const fn is_leech(&self) -> bool {
        self.lapses >= LEECH_LAPSES
    }
}

/// One revision.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The place in the schedule, from 1. An undo takes the step away and its number with it; the
    /// number that the user sees, which only grows, is another.
    pub ordinal: u32,
    /// What became of it.
    pub state: StepState,
    /// The local day that its interval counts from: of the retrieval, skip or reset that made it.
    pub scheduled_on: NaiveDate,
    /// The local day that it is due on.
    pub due_on: NaiveDate,
    /// The interval as planned, in days: after fuzz or balancing, before any other move.
    pub interval_days: u32,
    /// The interval before fuzz, in days, within 1 and the maximum.
    pub raw_interval: u32,
    /// The intervals that load balancing may choose from. A ladder leaves no choice.
    pub window: Window,
    /// The memory when the step was made.
    pub memory: Memory,
    /// The settings that the step was planned with.
    pub settings_id: i64,
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// It falls due on its date.
    Pending,
    /// It does not fall due.
    Suspended,
    /// A review completed it.
    Completed {
        /// The review.
        review_id: i64,
        /// How it was rated.
        rating: Rating,
        /// Its local day.
        day: NaiveDate,
    },
    /// It was left out.
    Skipped {
        /// The entry that did it.
        seq: i64,
        /// The local day.
        day: NaiveDate,
    },
}

/// What a schedule knows of the memory of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Memory {
    /// A place on the ladder.
    Ladder {
        /// The step, from 0.
        step: u32,
    },
    /// The state of FSRS.
    Adaptive {
        /// Days after which the probability of recall has fallen to 90 %.
        stability: f32,
        /// How hard stability is to gain: 1 to 10.
        difficulty: f32,
    },
}

impl Memory {
    /// The kind of schedule that the memory belongs to.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::Ladder { .. } => Kind::Ladder,
            Self::Adaptive { .. } => Kind::Adaptive,
        }
    }

    /// The place on the ladder, from 0.
    #[must_use]
    pub const fn step(self) -> Option<u32> {
        match self {
            Self::Ladder { step } => Some(step),
            Self::Adaptive { .. } => None,
        }
    }

    /// The state of FSRS.
    #[must_use]
    pub const fn recall(self) -> Option<Recall> {
        match self {
            Self::Ladder { .. } => None,
            Self::Adaptive { stability, difficulty } => Some(Recall { stability, difficulty }),
        }
    }
}

impl From<Recall> for Memory {
    fn from(recall: Recall) -> Self {
        Self::Adaptive { stability: recall.stability, difficulty: recall.difficulty }
    }
}

impl Log {
    /// The schedule that the log means.
    #[must_use]
    pub fn derive(&self) -> Schedule {
        replay::whole(self).into_schedule()
    }

    /// The current step as [`Rescheduled`](super::log::Placement::Rescheduled) would plan it under
    /// other settings: its memory, interval and due date.
    #[must_use]
    pub fn reschedule(&self, settings: &Interned) -> Step {
        let mut replay = replay::whole(self);
        replay.reschedule(settings);
        replay.into_schedule().current
    }
}
