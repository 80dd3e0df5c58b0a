//! The fixed ladder: how long to wait depends on the step alone. A step is an index into the user's
//! list of days and never points past its end.

use super::rating::Rating;
use super::settings::{INTERVAL_DAYS, Settings};

/// The step after a review rated `rating` on `step`: again → the first, hard → the same, good → the
/// next, easy → one further. The first solve has no step before it and climbs from below the first.
#[must_use]
pub fn next(step: Option<u32>, rating: Rating, settings: &Settings) -> u32 {
    let next = match (rating, step) {
        (Rating::Again, _) | (Rating::Hard | Rating::Good, None) => 0,
        (Rating::Hard, Some(step)) => step,
        (Rating::Good, Some(step)) => step.saturating_add(1),
        (Rating::Easy, None) => 1,
        (Rating::Easy, Some(step)) => step.saturating_add(2),
    };
    within(next, settings)
}

/// The step, or the last where the ladder is shorter.
#[must_use]
pub fn within(step: u32, settings: &Settings) -> u32 {
    let last = settings.ladder_days.len().saturating_sub(1);
    step.min(u32::try_from(last).unwrap_or(u32::MAX))
}

/// The days to wait on a step, at most the user's maximum interval. Past the end the last interval
/// repeats.
#[must_use]
pub fn interval(step: u32, settings: &Settings) -> u32 {
    let place = usize::try_from(within(step, settings)).unwrap_or(usize::MAX);
    let days = settings.ladder_days.get(place).copied().unwrap_or(*INTERVAL_DAYS.start());
    let maximum = settings.maximum_interval.clamp(*INTERVAL_DAYS.start(), *INTERVAL_DAYS.end());
    days.clamp(*INTERVAL_DAYS.start(), maximum)
}
