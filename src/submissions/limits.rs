//! What a submission may say, whoever tells of it: a client or a file.

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
