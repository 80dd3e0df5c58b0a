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
use utoipa::ToSchema;

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
    /// Whether the revision is a step of the schedule as it is now.
    #[must_use]
    pub const fn is_live(self) -> bool {
        !matches!(self, Self::Undone | Self::Withdrawn)
    }
}

stored_as_text! {
    State, "state":
    Pending => "pending",
    Completed => "completed",
    Skipped => "skipped",
    Suspended => "suspended",
    Undone => "undone",
    Withdrawn => "withdrawn",
}

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

/// What of a revision follows from the log: all that is not its name or a time of writing.
#[derive(Clone, Debug, PartialEq, Insertable, AsChangeset)]
#[diesel(table_name = revisions, treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Derived {
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
    /// What follows from the log.
    #[diesel(embed)]
    pub derived: Derived,
    /// Now.
    pub created_at: At,
    /// Now.
    pub updated_at: At,
}

/// What a review is a record of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub enum Cause {
    /// The user completed a revision by hand: it moves the schedule.
    Completed,
    /// An accepted submission: it moves the schedule where something is due then, by what the log
    /// says now.
    Solved,
    /// An import brought it: whether it moves the schedule was decided then.
    Imported,
}

stored_as_text! {
    Cause, "cause of a review":
    Completed => "completed",
    Solved => "solved",
    Imported => "imported",
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
    /// What it is a record of.
    #[serde(skip, default = "by_hand")]
    pub cause: Cause,
    /// Whether it completes a revision.
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

impl ReviewRow {
    /// Whether it is an accepted submission that completes nothing: there is nothing to be seen of
    /// it but the submission.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.cause == Cause::Solved && !self.moves_schedule
    }

    /// Whether it completes a revision, and was not taken back.
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.moves_schedule && self.undone_at.is_none()
    }
}

const fn by_hand() -> Cause {
    Cause::Completed
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
    /// What it is a record of.
    pub cause: Cause,
    /// Whether it completes a revision.
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

stored_as_text! {
    Note, "entry of a schedule":
    Started => "started",
    Undone => "undone",
    Postponed => "postponed",
    Skipped => "skipped",
    Suspended => "suspended",
    Resumed => "resumed",
    Reset => "reset",
    ImportSpread => "import_spread",
    Balanced => "balanced",
    PauseSpread => "pause_spread",
    Rescheduled => "rescheduled",
}

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
    /// The step that it was done to, counted from 1 since the first solve or the last reset; of an
    /// undo the step that the review had completed. None where it is about the solve.
    pub step: Option<i32>,
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
    /// The step that it was done to, counted from 1 since the first solve or the last reset; of an
    /// undo the step that the review had completed. None where it is about the solve.
    pub step: Option<i32>,
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
    schedule_entries::step,
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
    schedule_entries::step,
    schedule_entries::due_on,
    schedule_entries::local_day,
    schedule_entries::happened_at,
    schedule_entries::settings_id,
    schedule_entries::review_id,
    schedule_entries::seq,
);
