//! The rows of the queue.

use crate::db::instant::{At, Instant};
use crate::db::text::stored_as_text;
use crate::schema::jobs;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Text};
use serde::Serialize;
use utoipa::ToSchema;

/// What an id means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromSqlRow, AsExpression)]
#[diesel(sql_type = Text)]
pub enum Mode {
    /// One run for this id, for ever.
    Once,
    /// One waiting run for this id; what happens during a run makes one more.
    Coalesce,
}

stored_as_text! {
    Mode, "mode of a job":
    Once => "once",
    Coalesce => "coalesce",
}

/// Where a job is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    FromSqlRow,
    AsExpression,
    Serialize,
    serde::Deserialize,
    ToSchema,
)]
#[diesel(sql_type = Text)]
#[serde(rename_all = "snake_case")]
#[schema(as = JobState)]
pub enum State {
    /// It waits for its time, or for a worker.
    Pending,
    /// A worker has it.
    Running,
    /// It has had its effect.
    Done,
    /// It failed as often as it may, and waits for an admin.
    Dead,
    /// An admin stopped it.
    Cancelled,
    /// It failed while another run of its id waited, which does its work too.
    Absorbed,
}

stored_as_text! {
    State, "state of a job":
    Pending => "pending",
    Running => "running",
    Done => "done",
    Dead => "dead",
    Cancelled => "cancelled",
    Absorbed => "absorbed",
}

/// A job that goes into the queue.
#[derive(Clone, Copy, Debug)]
pub struct NewJob<'a> {
    /// What names it.
    pub job_id: &'a str,
    /// Which handler runs it.
    pub kind: &'a str,
    /// What the handler gets, as JSON.
    pub payload: &'a str,
    /// What the id means.
    pub mode: Mode,
    /// The higher goes first.
    pub priority: i32,
    /// Attempts before it is dead.
    pub max_attempts: i32,
}

/// A job that this process holds the lease of.
#[derive(Clone, Debug, QueryableByName)]
pub struct Claimed {
    /// The row.
    #[diesel(sql_type = BigInt)]
    pub id: i64,
    /// What names it.
    #[diesel(sql_type = Text)]
    pub job_id: String,
    /// Which handler runs it.
    #[diesel(sql_type = Text)]
    pub kind: String,
    /// What the handler gets, as JSON.
    #[diesel(sql_type = Text)]
    pub payload: String,
    /// The number of this attempt, from 1.
    #[diesel(sql_type = Integer)]
    pub attempts: i32,
    /// Attempts before it is dead.
    #[diesel(sql_type = Integer)]
    pub max_attempts: i32,
    /// What proves that the lease is this process's.
    #[diesel(sql_type = Text)]
    pub lease_token: String,
    /// The higher goes first.
    #[diesel(sql_type = Integer)]
    pub priority: i32,
    /// When it became due.
    #[diesel(sql_type = Instant)]
    pub run_at: At,
}

/// A place in the queue. Within a priority, jobs go by when they became due, then by their rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The priority.
    pub priority: i32,
    /// When the job became due.
    pub run_at: At,
    /// The row.
    pub id: i64,
}

/// What proves that a job is this process's: no other claim has had this token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    /// The row.
    pub id: i64,
    /// The token of the claim.
    pub token: String,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It had its effect.
    Done,
    /// It did not.
    Failed {
        /// Why, in the words of the log.
        error: String,
        /// Seconds until the next attempt; `None`: there is none.
        wait: Option<f64>,
    },
}

/// A job as an admin sees it.
#[derive(Clone, Debug, PartialEq, Queryable, Selectable)]
#[diesel(table_name = jobs)]
pub struct JobRow {
    /// The row.
    pub id: i64,
    /// What names it.
    pub job_id: String,
    /// Which handler runs it.
    pub kind: String,
    /// What the handler gets, as JSON.
    pub payload: String,
    /// What the id means.
    pub mode: Mode,
    /// Where it is.
    pub state: State,
    /// The higher goes first.
    pub priority: i32,
    /// Attempts so far.
    pub attempts: i32,
    /// Attempts before it is dead.
    pub max_attempts: i32,
    /// Before this instant it does not run.
    pub run_at: At,
    /// Until then a worker holds it.
    pub lease_until: Option<At>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// When it was enqueued.
    pub created_at: At,
    /// When it ended.
    pub finished_at: Option<At>,
}
