//! The streak (pure): days kept one after the other.
//!
//! A day is kept that closed, or that was frozen. A paused day, and a date that a change of zone
//! skipped, neither counts nor breaks a streak, and today does not break it before it is over. A
//! streak begins with a closed day: there is nothing for a freeze to keep before it.

use chrono::NaiveDate;
use std::collections::BTreeSet;

/// What is known of a user's days.
#[derive(Clone, Copy, Debug)]
pub struct Days<'a> {
    /// Their rings closed.
    pub closed: &'a BTreeSet<NaiveDate>,
    /// They count as kept.
    pub frozen: &'a BTreeSet<NaiveDate>,
    /// They are passed over.
    pub paused: &'a BTreeSet<NaiveDate>,
}

/// A streak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Streak {
    /// Days kept up to today.
    pub current: u32,
    /// The most that `current` was on any day up to today.
    pub longest: u32,
    /// The first day of the current streak.
    pub since: Option<NaiveDate>,
}

/// The streak on the day `today`. What lies after it does not count.
#[must_use]
pub fn streak(days: &Days<'_>, is_skipped: impl Fn(NaiveDate) -> bool, today: NaiveDate) -> Streak {
    let mut streak = Streak::default();
    let Some(first) = days.closed.first() else {
        return streak;
    };
    for day in first.iter_days().take_while(|day| *day <= today) {
        let is_closed = days.closed.contains(&day);
        if is_closed || (streak.current > 0 && days.frozen.contains(&day)) {
            streak.current += 1;
            streak.since.get_or_insert(day);
            streak.longest = streak.longest.max(streak.current);
        } else if day != today && !days.paused.contains(&day) && !is_skipped(day) {
            streak.current = 0;
            streak.since = None;
        }
    }
    streak
}
