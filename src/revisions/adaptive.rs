//! The adaptive schedule: FSRS-6 by the crate `fsrs`, without learning steps.
//!
//! The crate checks nothing (a retention of 1 gives 0 days, 0 an infinity), so everything is
//! brought into bounds on the way in and again on the way out: a memory is always finite, an
//! interval always a whole number of days from 1 to the maximum.

use std::ops::RangeInclusive;

use fsrs::{FSRS, MemoryState};

use super::rating::Rating;
use super::settings::{INTERVAL_DAYS, RETENTION, Settings};

/// The stability that a memory may have, in days.
pub const STABILITY: RangeInclusive<f32> = 0.001..=36_500.0;

/// The difficulty that a memory may have.
pub const DIFFICULTY: RangeInclusive<f32> = 1.0..=10.0;

/// What FSRS knows of one problem's memory after a retrieval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recall {
    /// Days after which the probability of recall has fallen to 90 %.
    pub stability: f32,
    /// How hard stability is to gain: 1 to 10.
    pub difficulty: f32,
}

impl Recall {
    fn within_bounds(state: MemoryState) -> Self {
        Self {
            stability: state.stability.clamp(*STABILITY.start(), *STABILITY.end()),
            difficulty: state.difficulty.clamp(*DIFFICULTY.start(), *DIFFICULTY.end()),
        }
    }
}

impl From<Recall> for MemoryState {
    fn from(recall: Recall) -> Self {
        Self { stability: recall.stability, difficulty: recall.difficulty }
    }
}

/// FSRS-6 with one user's weights, retention and maximum.
#[derive(Debug, Clone)]
pub struct Model {
    fsrs: FSRS,
    retention: f32,
    maximum: u32,
}

impl Model {
    /// The model of the settings. Settings that never passed
    /// [`validate`](Settings::validate) are brought into bounds; weights that are none are the
    /// default ones. The crate clips each weight to the range that training keeps to.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let own = settings.parameters.as_deref().unwrap_or_default();
        let retention = settings.desired_retention.clamp(*RETENTION.start(), *RETENTION.end());
        Self {
            fsrs: FSRS::new(own).unwrap_or_default(),
            retention: to_f32(retention),
            maximum: settings.maximum_interval.clamp(*INTERVAL_DAYS.start(), *INTERVAL_DAYS.end()),
        }
    }

    /// The memory after the first solve.
    #[must_use]
    pub fn first(&self, rating: Rating) -> Recall {
        // The crate fails only on a number that is not finite, which finite weights cannot give.
        self.step(None, 0, rating)
            .unwrap_or(Recall { stability: *STABILITY.start(), difficulty: *DIFFICULTY.end() })
    }

    /// The memory after a retrieval `elapsed_days` after the last one. The same day (0) takes the
    /// short-term formula of FSRS-6.
    #[must_use]
    pub fn next(&self, recall: Recall, elapsed_days: u32, rating: Rating) -> Recall {
        self.step(Some(recall.into()), elapsed_days, rating).unwrap_or(recall)
    }

    /// Days until the probability of recall falls to the desired retention: whole, at least 1, at
    /// most the maximum, without fuzz.
    #[must_use]
    pub fn interval(&self, recall: Recall) -> u32 {
        // The crate reads the rating for new cards only.
        let days = self.fsrs.next_interval(Some(recall.stability), self.retention, 3).round();
        to_days(days).clamp(*INTERVAL_DAYS.start(), self.maximum)
    }

    /// The longest interval that the model gives, in days.
    #[must_use]
    pub const fn maximum(&self) -> u32 {
        self.maximum
    }

    fn step(&self, state: Option<MemoryState>, elapsed: u32, rating: Rating) -> Option<Recall> {
        let states = self.fsrs.next_states(state, self.retention, elapsed).ok()?;
        let next = match rating {
            Rating::Again => states.again,
            Rating::Hard => states.hard,
            Rating::Good => states.good,
            Rating::Easy => states.easy,
        };
        Some(Recall::within_bounds(next.memory))
    }
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "the crate computes in f32; rounding to the nearest f32 is meant"
)]
const fn to_f32(number: f64) -> f32 {
    number as f32
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and the caller clamps; there is no TryFrom for floats"
)]
const fn to_days(days: f32) -> u32 {
    days as u32
}
