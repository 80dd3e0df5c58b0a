//! Plain reads and writes. Nothing here settles a race.

use crate::db::Db;
use crate::schema::{scheduler_settings, users};
use diesel::prelude::*;

/// Changes what a user prefers. `None` leaves a column as it is.
#[derive(Clone, Debug, Default, AsChangeset)]
#[diesel(table_name = users)]
pub struct Change {
    /// See [`super::model::PreferenceRow`], as for all below.
    pub time_zone: Option<String>,
    /// `HH:MM`.
    pub day_starts_at: Option<String>,
    /// The rules of days before, as JSON.
    pub past_day_rules: Option<Option<String>>,
    /// The name of the scheduler.
    pub scheduler: Option<super::model::Scheduler>,
    /// The settings in force.
    pub settings_id: Option<i64>,
    /// Solves a day.
    pub goal_solves: Option<i32>,
    /// Revisions a day.
    pub goal_revisions: Option<i32>,
    /// Revisions a day beyond which `today` flags.
    pub daily_cap: Option<i32>,
    /// The hour of the digest.
    pub digest_hour: Option<i32>,
    /// When the next digest is looked at; null: at once.
    pub digest_due_at: Option<Option<crate::db::instant::At>>,
    /// `HH:MM`.
    pub quiet_from: Option<Option<String>>,
    /// `HH:MM`.
    pub quiet_until: Option<Option<String>>,
    /// `HH:MM`.
    pub calendar_time: Option<Option<String>>,
    /// What is shown instead of the handle.
    pub display_name: Option<Option<String>>,
}

/// Writes a change.
pub fn update(
    db: &mut Db,
    user_id: i64,
    change: &Change,
    now: crate::db::instant::At,
) -> QueryResult<usize> {
    diesel::update(users::table.find(user_id)).set((change, users::updated_at.eq(now))).execute(db)
}

/// Counts that the events of the user's calendar have moved.
pub fn count_calendar_change(
    db: &mut Db,
    user_id: i64,
    now: crate::db::instant::At,
) -> QueryResult<usize> {
    diesel::update(users::table.find(user_id))
        .set((
            users::calendar_changes.eq(users::calendar_changes + 1),
            users::calendar_changed_at.eq(now),
        ))
        .execute(db)
}

/// The number under which settings are kept.
pub fn settings_id(db: &mut Db, user_id: i64, content: &str) -> QueryResult<i64> {
    scheduler_settings::table
        .filter(scheduler_settings::user_id.eq(user_id))
        .filter(scheduler_settings::content.eq(content))
        .select(scheduler_settings::id)
        .first(db)
}

/// The preferences of a user as they are now, and the settings in force.
pub fn current(
    db: &mut Db,
    user_id: i64,
) -> QueryResult<Option<(super::model::PreferenceRow, String)>> {
    users::table
        .inner_join(
            scheduler_settings::table.on(users::settings_id.eq(scheduler_settings::id.nullable())),
        )
        .filter(users::id.eq(user_id))
        .select((super::model::PREFERENCES, scheduler_settings::content))
        .first(db)
        .optional()
}
