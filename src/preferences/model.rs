//! What a user prefers, as it is stored and as the API shows it.

use crate::db::instant::At;
use crate::db::text::stored_as_text;
use crate::schema::users;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which schedules a solve gets.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, AsExpression, FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[diesel(sql_type = Text)]
pub enum Scheduler {
    /// FSRS-6.
    Adaptive,
    /// Fixed intervals.
    Ladder,
    /// One of each.
    Both,
}

stored_as_text! {
    Scheduler, "scheduler":
    Adaptive => "adaptive",
    Ladder => "ladder",
    Both => "both",
}

/// The columns of `users` that hold preferences.
#[derive(Clone, Debug, Queryable)]
pub struct PreferenceRow {
    /// An IANA name.
    pub time_zone: String,
    /// `HH:MM`.
    pub day_starts_at: String,
    /// The rules of days before, as JSON; none where there were no others.
    pub past_day_rules: Option<String>,
    /// Which schedules a solve gets.
    pub scheduler: Scheduler,
    /// The settings in force, in `scheduler_settings`.
    pub settings_id: Option<i64>,
    /// Solves a day that close the ring.
    pub goal_solves: i32,
    /// Revisions a day that close the ring.
    pub goal_revisions: i32,
    /// Revisions a day beyond which `today` flags.
    pub daily_cap: i32,
    /// The hour of the digest.
    pub digest_hour: i32,
    /// `HH:MM`; with `quiet_until`, or not at all.
    pub quiet_from: Option<String>,
    /// `HH:MM`.
    pub quiet_until: Option<String>,
    /// `HH:MM`; none for all-day events.
    pub calendar_time: Option<String>,
    /// How often the user has moved all events of their calendar at once.
    pub calendar_changes: i32,
    /// When they last did.
    pub calendar_changed_at: Option<At>,
}

/// The columns of [`PreferenceRow`].
pub type PreferenceColumns = (
    users::time_zone,
    users::day_starts_at,
    users::past_day_rules,
    users::scheduler,
    users::settings_id,
    users::goal_solves,
    users::goal_revisions,
    users::daily_cap,
    users::digest_hour,
    users::quiet_from,
    users::quiet_until,
    users::calendar_time,
    users::calendar_changes,
    users::calendar_changed_at,
);

/// The columns of [`PreferenceRow`].
pub const PREFERENCES: PreferenceColumns = (
    users::time_zone,
    users::day_starts_at,
    users::past_day_rules,
    users::scheduler,
    users::settings_id,
    users::goal_solves,
    users::goal_revisions,
    users::daily_cap,
    users::digest_hour,
    users::quiet_from,
    users::quiet_until,
    users::calendar_time,
    users::calendar_changes,
    users::calendar_changed_at,
);

/// What is done in a day that closes its ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DailyGoal {
    /// Problems solved, 0 to 100.
    #[schema(minimum = 0, maximum = 100)]
    pub solves: i32,
    /// Revisions completed, 0 to 1000; at least one of the two is above 0.
    #[schema(minimum = 0, maximum = 1000)]
    pub revisions: i32,
}

/// Local hours in which nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuietHours {
    /// `HH:MM`.
    #[schema(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "22:00")]
    pub from: String,
    /// `HH:MM`; before `from` means the next morning.
    #[schema(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", example = "07:00")]
    pub until: String,
}
