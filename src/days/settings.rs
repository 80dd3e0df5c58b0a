//! The two settings of a day rule, read from what a client wrote.

use chrono::NaiveTime;
use chrono_tz::Tz;

/// How much of a refused value an error quotes, in characters.
const QUOTED: usize = 40;

/// No time of day at which a day could begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is no start of a day, expected HH:MM from 00:00 to 23:59")]
pub struct BadDayStart {
    /// How the value that was given begins.
    pub given: String,
}

/// No time zone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown time zone {given:?}, expected a name of the IANA time zone database, such as \
     Europe/Berlin or UTC"
)]
pub struct UnknownZone {
    /// How the value that was given begins.
    pub given: String,
}

/// Reads the start of a day, exactly `HH:MM`.
///
/// # Errors
/// [`BadDayStart`] for anything else, also for `4:00`, `24:00` and `04:00:00`.
pub fn day_start(text: &str) -> Result<NaiveTime, BadDayStart> {
    hours_and_minutes(text)
        .ok_or_else(|| BadDayStart { given: text.chars().take(QUOTED).collect() })
}

fn hours_and_minutes(text: &str) -> Option<NaiveTime> {
    let (hours, minutes) = text.split_once(':')?;
    NaiveTime::from_hms_opt(two_digits(hours)?, two_digits(minutes)?, 0)
}

fn two_digits(text: &str) -> Option<u32> {
    // `parse` alone would take `+4`.
    (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

/// Reads the name of a time zone, in the case in which the IANA database writes it.
///
/// # Errors
/// [`UnknownZone`] for a name that the database does not have.
pub fn zone(name: &str) -> Result<Tz, UnknownZone> {
    name.parse().map_err(|_| UnknownZone { given: name.chars().take(QUOTED).collect() })
}
