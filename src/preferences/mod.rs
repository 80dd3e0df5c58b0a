//! What a user prefers: their days, their scheduler, their goals.
//!
//! Settings of the scheduler are kept once for each user and content, under a number that every
//! state refers to; changing one makes another row and changes no state.

pub mod change;
pub mod guards;
pub mod model;
pub mod routes;
pub mod store;

use crate::days::{self, DayHistory, DayRule};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::pauses;
use crate::revisions::Learner;
use crate::revisions::settings::{Interned, Settings};
use chrono::{DateTime, Utc};
use diesel::QueryResult;
use model::{DailyGoal, PreferenceRow, QuietHours, Scheduler};
use std::sync::Arc;

/// When a new user's day starts.
pub const DAY_STARTS_AT: &str = "04:00";
/// Which schedules a new user's solves get.
pub const SCHEDULER: Scheduler = Scheduler::Adaptive;
/// Solves a day that close a new user's ring.
pub const GOAL_SOLVES: i32 = 1;
/// Revisions a day that close a new user's ring.
pub const GOAL_REVISIONS: i32 = 3;
/// Revisions a day beyond which a new user's `today` flags.
pub const DAILY_CAP: i32 = 20;
/// The hour of a new user's digest.
pub const DIGEST_HOUR: i32 = 8;

/// What a user prefers.
#[derive(Clone, Debug)]
pub struct Preferences {
    /// How their days are cut.
    pub days: DayHistory,
    /// Which schedules a solve gets.
    pub scheduler: Scheduler,
    /// How they are scheduled.
    pub settings: Arc<Interned>,
    /// What closes the rings of a day.
    pub daily_goal: DailyGoal,
    /// Revisions a day beyond which `today` flags.
    pub daily_cap: i32,
    /// The local hour of the digest.
    pub digest_hour: i32,
    /// When nothing is sent: what comes then is sent afterwards.
    pub quiet_hours: Option<QuietHours>,
    /// `HH:MM` of calendar events; all-day events without.
    pub calendar_time: Option<String>,
}

/// A row that this program did not write.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The time zone.
    #[error(transparent)]
    Zone(#[from] days::UnknownZone),
    /// The start of the day.
    #[error(transparent)]
    DayStart(#[from] days::BadDayStart),
    /// The settings, or the rules of days before.
    #[error("the settings cannot be read: {0}")]
    Settings(#[from] serde_json::Error),
    /// There are none.
    #[error("the account has no settings")]
    NoSettings,
}

/// How a user's days are cut.
///
/// # Errors
/// [`Unreadable`], which means that somebody else wrote the row.
pub fn days(row: &PreferenceRow) -> Result<DayHistory, Unreadable> {
    let rule = |zone: &str, start: &str| -> Result<DayRule, Unreadable> {
        Ok(DayRule { zone: days::zone(zone)?, day_starts_at: days::day_start(start)? })
    };
    let stored: Vec<PastRule> = match &row.past_day_rules {
        Some(json) => serde_json::from_str(json)?,
        None => Vec::new(),
    };
    let past = stored
        .iter()
        .map(|(zone, start, until)| Ok((rule(zone, start)?, **until)))
        .collect::<Result<Vec<_>, Unreadable>>()?;
    Ok(DayHistory::new(rule(&row.time_zone, &row.day_starts_at)?, &past))
}

/// A rule of days that held before, as it is stored: its zone, its start of the day, and until when.
type PastRule = (String, String, At);

fn stored_rules(past: &[(DayRule, DateTime<Utc>)]) -> Option<String> {
    let stored: Vec<PastRule> = past
        .iter()
        .map(|(rule, until)| {
            let (zone, start) = texts(*rule);
            (zone, start, At::from(*until))
        })
        .collect();
    (!stored.is_empty()).then(|| serde_json::json!(stored).to_string())
}

fn texts(rule: DayRule) -> (String, String) {
    (rule.zone.name().to_owned(), rule.day_starts_at.format("%H:%M").to_string())
}

/// Reads what is stored.
///
/// # Errors
/// [`Unreadable`], which means that somebody else wrote the row.
pub fn read(row: PreferenceRow, settings: &str) -> Result<Preferences, Unreadable> {
    let settings: Settings = serde_json::from_str(settings)?;
    Ok(Preferences {
        days: days(&row)?,
        scheduler: row.scheduler,
        settings: Arc::new(Interned::new(row.settings_id.ok_or(Unreadable::NoSettings)?, settings)),
        daily_goal: DailyGoal { solves: row.goal_solves, revisions: row.goal_revisions },
        daily_cap: row.daily_cap,
        digest_hour: row.digest_hour,
        quiet_hours: row
            .quiet_from
            .zip(row.quiet_until)
            .map(|(from, until)| QuietHours { from, until }),
        calendar_time: row.calendar_time,
    })
}

impl Preferences {
    /// The user as the schedules know them.
    #[must_use]
    pub fn learner(&self, user_id: i64) -> Learner {
        Learner {
            user_id,
            days: self.days.clone(),
            adaptive: self.scheduler != Scheduler::Ladder,
            ladder: self.scheduler != Scheduler::Adaptive,
            settings: Arc::clone(&self.settings),
            daily_cap: self.daily_cap,
            goal_solves: self.daily_goal.solves,
            goal_revisions: self.daily_goal.revisions,
        }
    }
}

/// Gives a new account its first settings.
///
/// # Errors
/// When the database fails.
pub fn begin(db: &mut Db, user_id: i64, now: At) -> QueryResult<()> {
    let settings_id = intern(db, user_id, &Settings::default())?;
    let change = store::Change { settings_id: Some(settings_id), ..store::Change::default() };
    store::update(db, user_id, &change, now)?;
    Ok(())
}

/// The number of these settings, which are kept if they were not.
///
/// # Errors
/// When the database fails, or a number in the settings is not finite.
pub fn intern(db: &mut Db, user_id: i64, settings: &Settings) -> QueryResult<i64> {
    let content = settings
        .to_canonical_json()
        .map_err(|error| diesel::result::Error::SerializationError(Box::new(error)))?;
    match guards::keep_settings(db, user_id, &content)? {
        Some(id) => Ok(id),
        None => store::settings_id(db, user_id, &content),
    }
}

/// What a user prefers now. `None`: there is no such user.
///
/// # Errors
/// When the database fails, or somebody else wrote the row.
pub fn of_user(db: &mut Db, user_id: i64) -> QueryResult<Option<Preferences>> {
    store::current(db, user_id)?
        .map(|(row, settings)| read(row, &settings))
        .transpose()
        .map_err(unreadable)
}

/// A user as the schedules know them; `None` where there is no such user.
///
/// # Errors
/// When the database fails.
pub fn learner_of(db: &mut Db, user_id: i64) -> QueryResult<Option<Learner>> {
    Ok(of_user(db, user_id)?.map(|preferences| preferences.learner(user_id)))
}

/// Whether the local day that it is for a user is paused: nothing is sent on such a day.
///
/// # Errors
/// When the database fails.
pub fn is_paused(db: &mut Db, user_id: i64, now: At) -> QueryResult<bool> {
    // No zone is farther from UTC than these days, also while a change of zone takes effect.
    let today = now.date_naive();
    let (from, until) = (days::days_later(today, -2), days::days_later(today, 2));
    let paused = pauses::days_between(db, user_id, from, until)?;
    if paused.is_empty() {
        return Ok(false);
    }
    let learner = learner_of(db, user_id)?;
    Ok(learner.is_some_and(|learner| paused.contains(&learner.days.local_day(*now))))
}

/// What became of a change.
#[derive(Clone, Debug)]
pub enum Changed {
    /// The preferences as they are now.
    To(Box<Preferences>),
    /// All that is wrong with it; nothing was changed.
    Refused(Vec<change::Fault>),
    /// The account is gone.
    Gone,
}

/// Changes what a user prefers. Two changes at once take effect one after the other.
///
/// # Errors
/// When the database fails.
pub fn change(db: &mut Db, user_id: i64, patch: change::Patch, now: At) -> Work<Changed> {
    if !guards::hold_preferences(db, user_id, now)? {
        return Ok(Changed::Gone);
    }
    let Some((row, settings)) = store::current(db, user_id)? else {
        return Ok(Changed::Gone);
    };
    let before = (row.time_zone.clone(), row.calendar_time.clone());
    let current = read(row, &settings).map_err(unreadable)?;
    let mut checked = match patch.check(now, &current) {
        Ok(checked) => checked,
        Err(faults) => return Ok(Changed::Refused(faults)),
    };
    if let Some(settings) = &checked.settings {
        checked.change.settings_id = Some(intern(db, user_id, settings)?);
    }
    store::update(db, user_id, &checked.change, now)?;
    let Some((row, settings)) = store::current(db, user_id)? else {
        return Ok(Changed::Gone);
    };
    let (zone, time) = before;
    // Events of whole days are the same in every zone.
    if time != row.calendar_time || time.is_some() && zone != row.time_zone {
        store::count_calendar_change(db, user_id, now)?;
    }
    Ok(Changed::To(Box::new(read(row, &settings).map_err(unreadable)?)))
}

fn unreadable(error: Unreadable) -> diesel::result::Error {
    diesel::result::Error::DeserializationError(Box::new(error))
}
