//! Jobs that come back: a schedule names instants, each of them gives one job.
//!
//! A tick is a row, written in the transaction of its job: of many processes that see it, one makes
//! the job, and a restart neither repeats nor forgets it. Ticks come from the schedule, not from
//! when somebody looked: one that was missed while nobody ran gives one job when somebody does, and
//! of several missed ones the last alone does.

use super::{guards, store};
use crate::db::Db;
use crate::db::instant::At;
use chrono::{DateTime, Utc};
use diesel::QueryResult;
use std::collections::HashMap;
use std::str::FromStr;
use std::time::Duration;

/// A schedule: a name, the instants, and how to enqueue its job.
#[derive(Clone, Copy)]
pub struct Schedule {
    /// What names it for ever.
    pub name: &'static str,
    /// When: seconds, minutes, hours, days of month, months, days of week, in UTC, as the crate
    /// `cron` reads them.
    pub when: &'static str,
    /// Enqueues the job of a tick.
    pub enqueue: fn(&mut Db, At) -> QueryResult<bool>,
}

/// The last tick of a schedule at or before an instant. Pure.
///
/// # Errors
/// Where `when` is no schedule.
pub fn last_tick(when: &str, now: At) -> Result<Option<At>, cron::error::Error> {
    let schedule = cron::Schedule::from_str(when)?;
    let now: DateTime<Utc> = now.into();
    // `after` is exclusive, and so is going back from it.
    let later = now + chrono::TimeDelta::microseconds(1);
    Ok(schedule.after(&later).next_back().map(At::from))
}

/// The first tick of a schedule after an instant. Pure.
///
/// # Errors
/// Where `when` is no schedule.
pub fn next_tick(when: &str, now: At) -> Result<Option<At>, cron::error::Error> {
    let now: DateTime<Utc> = now.into();
    Ok(cron::Schedule::from_str(when)?.after(&now).next().map(At::from))
}

/// The longest wait before the schedules are looked at again, for a clock that was changed.
const LONGEST: Duration = Duration::from_mins(1);

/// Which of the schedules have a tick without a job, and how long until the next tick of any.
///
/// # Errors
/// When the database fails.
pub fn due(
    db: &mut Db,
    schedules: &'static [Schedule],
) -> QueryResult<(Vec<&'static Schedule>, Duration)> {
    let now = store::clock(db)?;
    let last: HashMap<String, At> = store::last_ticks(db)?.into_iter().collect();
    let mut due = Vec::new();
    let mut wait = LONGEST;
    for schedule in schedules {
        let tick = last_tick(schedule.when, now).map_err(unreadable)?;
        // A clock that was set back sees ticks that are behind the last one.
        if tick.is_some_and(|tick| last.get(schedule.name).is_none_or(|last| *last < tick)) {
            due.push(schedule);
        }
        if let Some(next) = next_tick(schedule.when, now).map_err(unreadable)? {
            wait = wait.min((*next - *now).to_std().unwrap_or_default());
        }
    }
    Ok((due, wait))
}

/// Makes the job of the last tick of a schedule, where it has none, in the caller's transaction:
/// whether it did. A schedule that is new begins with the next tick.
///
/// # Errors
/// When the database fails.
pub fn keep(db: &mut Db, schedule: &Schedule) -> QueryResult<bool> {
    let now = store::clock(db)?;
    let Some(tick) = last_tick(schedule.when, now).map_err(unreadable)? else { return Ok(false) };
    let is_known = store::last_ticks(db)?.iter().any(|(name, _)| name == schedule.name);
    if !guards::record_tick(db, schedule.name, tick)? {
        return Ok(false);
    }
    // The first of all says only since when there is the schedule.
    if !is_known {
        return Ok(false);
    }
    (schedule.enqueue)(db, tick)
}

fn unreadable(error: cron::error::Error) -> diesel::result::Error {
    diesel::result::Error::QueryBuilderError(Box::new(error))
}
