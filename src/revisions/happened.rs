//! When something can have happened that a client reports.

use crate::db::instant::At;
use chrono::{DateTime, TimeDelta, Utc};

/// How far ahead a client's clock may be.
const AHEAD: TimeDelta = TimeDelta::hours(24);

/// Nothing was solved before this year.
const FIRST_YEAR: &str = "2000-01-01T00:00:00Z";

/// Whether something can have happened then.
///
/// # Errors
/// Why not.
pub fn check_instant(at: At, now: At) -> Result<(), String> {
    let first: DateTime<Utc> = FIRST_YEAR.parse().unwrap_or_default();
    if *at < first {
        return Err("before 2000".to_owned());
    }
    if *at > *now + AHEAD {
        return Err("more than 24 hours in the future".to_owned());
    }
    Ok(())
}
