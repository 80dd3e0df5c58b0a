//! What a submission may say, whoever tells of it: a client or a file.

use crate::db::instant::At;
use crate::revisions::complete::AHEAD;
use chrono::{DateTime, Utc};
use std::ops::RangeInclusive;

/// The most characters of a language and of a source.
pub const LONGEST_NAME: usize = 100;

/// The most characters of a judge's number.
pub const LONGEST_NUMBER: usize = 64;

/// How long it may have run, in milliseconds.
pub const RUNTIME_MS: RangeInclusive<f64> = 0.0..=86_400_000.0;

/// How much memory it may have taken, in kibibytes.
pub const MEMORY_KB: RangeInclusive<f64> = 0.0..=1_073_741_824.0;

/// How many tries there may have been until this one, which counts.
pub const ATTEMPTS: RangeInclusive<f64> = 1.0..=10_000.0;

/// How many minutes it may have taken.
pub const MINUTES: RangeInclusive<f64> = 0.0..=100_000.0;

/// Nothing was solved before this year.
const FIRST_YEAR: &str = "2000-01-01T00:00:00Z";

/// What is wrong with a name or a number of at most so many characters, if anything.
#[must_use]
pub fn fault_of_name(text: &str, most: usize) -> Option<String> {
    // Bytes are never fewer than characters, so counting is for the rare long ones.
    let is_long = text.len() > most && text.chars().count() > most;
    (text.is_empty() || is_long || text.contains(char::is_control))
        .then(|| format!("1 to {most} characters, none of them a control character"))
}

/// What is wrong with an amount, if anything.
#[must_use]
pub fn fault_of_amount(amount: f64, range: &RangeInclusive<f64>) -> Option<String> {
    let (least, most) = (range.start(), range.end());
    (!range.contains(&amount)).then(|| format!("a number from {least} to {most} is expected"))
}

/// Why nothing can have happened then, if so.
#[must_use]
pub fn fault_of_instant(at: At, now: At) -> Option<&'static str> {
    let first: DateTime<Utc> = FIRST_YEAR.parse().unwrap_or_default();
    if *at < first {
        Some("before 2000")
    } else if *at > *now + AHEAD {
        Some("more than 24 hours in the future")
    } else {
        None
    }
}
