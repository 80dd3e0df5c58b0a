//! Rows of the schedule and of its log.

use super::log::Kind;
use super::rating::Rating;
use crate::db::instant::At;
use crate::db::text::stored_as_text;
use crate::schema::{reviews, revisions, schedule_entries, solves};
use chrono::NaiveDate;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use utoipa::ToSchema;

/// A name in the database that this program does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}")]
pub struct Unknown {
    what: &'static str,
    name: String,
}

/// What became of a revision.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, AsExpression, FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[diesel(sql_type = Text)]
pub enum State {
    /// It falls due on its date.
    Pending,
    /// A review completed it.
    Completed,
    /// It was left out.
    Skipped,
    /// It does not fall due until the solve is resumed.
    Suspended,
    /// It was completed, and the review was taken back.
    Undone,
    /// It was to come, and something took its place.
    Withdrawn,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Completed,
        Self::Skipped,
        Self::Suspended,
        Self::Undone,
        Self::Withdrawn,
    ];

    /// The name in JSON and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Completed => "completed",
            Self::Skipped => "skipped",
            Self::Suspended => "suspended",
            Self::Undone => "undone",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Whether the revision is a step of the schedule as it is now.
    #[must_use]
    pub const fn is_live(self) -> bool {
        !matches!(self, Self::Undone | Self::Withdrawn)
    }
}

impl FromStr for State {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == name)
            .ok_or_else(|| Unknown { what: "state", name: name.to_owned() })
    }
}

stored_as_text!(State);

/// A row of `revisions`: one step of a schedule, and what became of it.
#[derive(Clone, Debug, PartialEq, Queryable, Serialize, Deserialize, ToSchema)]
#[schema(as = Revision)]
pub struct RevisionRow {
    /// Its number in the database.
    pub id: i64,
    /// Whose it is.
    #[serde(skip, default)]
    pub user_id: i64,
    /// The solve that it revises.
    pub solve_id: i64,
    /// Its number in the schedule, from 1; numbers only grow.
    #[schema(minimum = 1)]
    pub revision_number: i32,
    /// Which schedule.
    pub kind: Kind,
    /// What became of it.
    pub state: State,
    /// The local day that its interval counts from.
    pub scheduled_on: NaiveDate,
    /// The local day that it is due on.
    pub due_on: NaiveDate,
    /// The interval as planned, in days.
    #[schema(minimum = 1)]
    pub interval_days: i32,
    /// The place on the ladder, from 0.
    #[schema(required = true)]
    pub ladder_step: Option<i32>,
    /// Days after which the probability of recall has fallen to 90 %.
    #[schema(required = true)]
    pub stability: Option<f64>,
    /// How hard stability is to gain: 1 to 10.
    #[schema(required = true)]
    pub difficulty: Option<f64>,
    /// The settings that it was planned with.
    #[serde(skip, default)]
    pub settings_id: i64,
    /// How it was completed.
    #[schema(required = true)]
    pub rating: Option<Rating>,
    /// The local day that it was completed or left out on.
    #[schema(required = true)]
    pub completed_on: Option<NaiveDate>,
    /// Grows with each visible change.
    #[serde(skip, default)]
    pub sequence: i32,
    /// When it was planned.
    pub created_at: At,
    /// When it last changed.
    pub updated_at: At,
}

/// A revision to be stored.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = revisions, treat_none_as_default_value = false)]
pub struct NewRevision {
    /// Whose it is.
    pub user_id: i64,
    /// The solve that it revises.
    pub solve_id: i64,
    /// Its number in the schedule.
    pub revision_number: i32,
    /// Which schedule.
    pub kind: Kind,
    /// As all below, see [`RevisionRow`].
    pub state: State,
    /// The local day that its interval counts from.
    pub scheduled_on: NaiveDate,
    /// The local day that it is due on.
    pub due_on: NaiveDate,
    /// The interval as planned.
    pub interval_days: i32,
    /// The place on the ladder.
    pub ladder_step: Option<i32>,
    /// The stability.
    pub stability: Option<f64>,
    /// The difficulty.
    pub difficulty: Option<f64>,
    /// The settings that it was planned with.
    pub settings_id: i64,
    /// How it was completed.
    pub rating: Option<Rating>,
    /// When it was completed.
    pub completed_on: Option<NaiveDate>,
    /// Now.
    pub created_at: At,
    /// Now.
    pub updated_at: At,
}

/// A row of `reviews`: one retrieval, and whether it moves the schedule.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Serialize, Deserialize, ToSchema)]
#[schema(as = Review)]
pub struct ReviewRow {
    /// Its number.
    pub id: i64,
    /// Whose it is.
    #[serde(skip, default)]
    pub user_id: i64,
    /// The solve.
    pub solve_id: i64,
    /// The revision that it completed.
    #[schema(required = true)]
    pub revision_id: Option<i64>,
    /// The submission that it came with.
    #[schema(required = true)]
    pub submission_id: Option<i64>,
    /// Which schedule it moves.
    pub kind: Kind,
    /// How it was rated, as corrected since.
    pub rating: Rating,
    /// `given`, or the rule that made the rating of facts, such as `rule-1`.
    pub rating_source: String,
    /// When.
    pub happened_at: At,
    /// On which local day.
    pub local_day: NaiveDate,
    /// Whether the schedule depends on it.
    pub moves_schedule: bool,
    /// The settings in force.
    #[serde(skip, default)]
    pub settings_id: i64,
    /// When it was taken back, if it was.
    #[schema(required = true)]
    pub undone_at: Option<At>,
    /// The order in the log of the solve.
    #[serde(skip, default)]
    pub seq: i64,
    /// When it was written.
    pub created_at: At,
    /// When it last changed.
    pub updated_at: At,
}

/// A review to be stored.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = reviews, treat_none_as_default_value = false)]
pub struct NewReview {
    /// Whose it is.
    pub user_id: i64,
    /// The solve.
    pub solve_id: i64,
    /// The revision that it completes, where that is known.
    pub revision_id: Option<i64>,
    /// The submission that it came with.
    pub submission_id: Option<i64>,
    /// Which schedule it moves.
    pub kind: Kind,
    /// How it was rated.
    pub rating: Rating,
    /// Who rated it.
    pub rating_source: String,
    /// When.
    pub happened_at: At,
    /// On which local day.
    pub local_day: NaiveDate,
    /// Whether the schedule depends on it.
    pub moves_schedule: bool,
    /// The settings in force.
    pub settings_id: i64,
    /// The order in the log of the solve.
    pub seq: i64,
    /// Now.
    pub created_at: At,
    /// Now.
    pub updated_at: At,
}

/// What, beside reviews, is written to the log of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub enum Note {
    /// The schedule was started later than the solve.
    Started,
    /// A review was taken back.
    Undone,
    /// The user chose a later date.
    Postponed,
    /// The user left a revision out.
    Skipped,
    /// Nothing falls due until resumed.
    Suspended,
    /// It falls due again.
    Resumed,
    /// The memory was forgotten.
    Reset,
    /// A date was chosen to spread an import.
    ImportSpread,
    /// A date was chosen for the load of its day.
    Balanced,
    /// A date was chosen to spread what a pause left.
    PauseSpread,
    /// The revision was planned again under other settings.
    Rescheduled,
}

impl Note {
    const ALL: [Self; 11] = [
        Self::Started,
        Self::Undone,
        Self::Postponed,
        Self::Skipped,
        Self::Suspended,
        Self::Resumed,
        Self::Reset,
        Self::ImportSpread,
        Self::Balanced,
        Self::PauseSpread,
        Self::Rescheduled,
    ];

    /// The name in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Undone => "undone",
            Self::Postponed => "postponed",
            Self::Skipped => "skipped",
            Self::Suspended => "suspended",
            Self::Resumed => "resumed",
            Self::Reset => "reset",
            Self::ImportSpread => "import_spread",
            Self::Balanced => "balanced",
            Self::PauseSpread => "pause_spread",
            Self::Rescheduled => "rescheduled",
        }
    }
}

impl FromStr for Note {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        Self::ALL
            .into_iter()
            .find(|note| note.as_str() == name)
            .ok_or_else(|| Unknown { what: "entry of a schedule", name: name.to_owned() })
    }
}

stored_as_text!(Note);

/// A row of `schedule_entries`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct EntryRow {
    /// Its number.
    pub id: i64,
    /// The solve.
    pub solve_id: i64,
    /// Which schedule.
    pub kind: Kind,
    /// What was done.
    pub event: Note,
    /// The date that was chosen, where one was.
    pub due_on: Option<NaiveDate>,
    /// On which local day.
    pub local_day: NaiveDate,
    /// When.
    pub happened_at: At,
    /// The settings in force.
    pub settings_id: i64,
    /// The review that was taken back, where one was.
    pub review_id: Option<i64>,
    /// The order in the log of the solve.
    pub seq: i64,
}

/// An entry to be written.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = schedule_entries, treat_none_as_default_value = false)]
pub struct NewEntry {
    /// Whose it is.
    pub user_id: i64,
    /// The solve.
    pub solve_id: i64,
    /// Which schedule.
    pub kind: Kind,
    /// What was done.
    pub event: Note,
    /// The date that was chosen.
    pub due_on: Option<NaiveDate>,
    /// On which local day.
    pub local_day: NaiveDate,
    /// When.
    pub happened_at: At,
    /// The settings in force.
    pub settings_id: i64,
    /// The review that was taken back.
    pub review_id: Option<i64>,
    /// The order in the log of the solve.
    pub seq: i64,
    /// Now.
    pub created_at: At,
}

/// What of a solve its schedules begin with.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct Start {
    /// The solve.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// When it was solved first, where that is known.
    pub first_solved_at: Option<At>,
    /// On which local day.
    pub first_day: NaiveDate,
    /// How that was rated.
    pub rating: Rating,
    /// Who rated it.
    pub rating_source: String,
    /// The settings in force then.
    pub settings_id: i64,
    /// Lapses since the last reset.
    pub lapses: i32,
    /// Whether nothing falls due.
    pub suspended: bool,
    /// How often its log was written to.
    pub version: i64,
    /// The import that its first solve is from.
    pub import_id: Option<i64>,
}

/// The columns of [`Start`].
pub type StartColumns = (
    solves::id,
    solves::user_id,
    solves::first_solved_at,
    solves::first_day,
    solves::rating,
    solves::rating_source,
    solves::settings_id,
    solves::lapses,
    solves::suspended,
    solves::version,
    solves::import_id,
);

/// The columns of [`Start`].
pub const START: StartColumns = (
    solves::id,
    solves::user_id,
    solves::first_solved_at,
    solves::first_day,
    solves::rating,
    solves::rating_source,
    solves::settings_id,
    solves::lapses,
    solves::suspended,
    solves::version,
    solves::import_id,
);

/// The columns of [`EntryRow`].
pub const ENTRY: (
    schedule_entries::id,
    schedule_entries::solve_id,
    schedule_entries::kind,
    schedule_entries::event,
    schedule_entries::due_on,
    schedule_entries::local_day,
    schedule_entries::happened_at,
    schedule_entries::settings_id,
    schedule_entries::review_id,
    schedule_entries::seq,
) = (
    schedule_entries::id,
    schedule_entries::solve_id,
    schedule_entries::kind,
    schedule_entries::event,
    schedule_entries::due_on,
    schedule_entries::local_day,
    schedule_entries::happened_at,
    schedule_entries::settings_id,
    schedule_entries::review_id,
    schedule_entries::seq,
);
