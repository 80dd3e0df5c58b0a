//! What a schedule is derived from: the first solve and everything that was done since, each with
//! the settings in force then. A log holds decisions (ratings, chosen dates), never results.

use crate::db::text::stored_as_text;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::sql_types::Text;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rating::Rating;
use super::settings::Interned;

/// The two schedules that a solve may have at once.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    FromSqlRow,
    AsExpression,
)]
#[serde(rename_all = "snake_case")]
#[diesel(sql_type = Text)]
pub enum Kind {
    /// Fixed intervals, one a step.
    Ladder,
    /// FSRS-6.
    Adaptive,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Everything that one schedule of one solve depends on.
#[derive(Debug, Clone)]
pub struct Log {
    /// Which schedule.
    pub kind: Kind,
    /// The solve, which the fuzz depends on.
    pub solve_id: i64,
    /// The first solve.
    pub first: First,
    /// Retrievals between the first solve and the start of this schedule, in order, where it was
    /// started later: they feed the memory, and the schedule begins with the last of them.
    pub history: Vec<(NaiveDate, Rating)>,
    /// What was done since. The order does not matter: it is read by [`Entry::at`], then
    /// [`Entry::seq`].
    pub events: Vec<Entry>,
}

/// The first solve of a problem. It is no review.
#[derive(Debug, Clone)]
pub struct First {
    /// Its local day.
    pub day: NaiveDate,
    /// How it was rated.
    pub rating: Rating,
    /// The settings in force when the schedule was started.
    pub settings: Arc<Interned>,
}

/// One thing that was done.
#[derive(Debug, Clone)]
pub struct Entry {
    /// When it happened, which for a late arrival is not when it was written.
    pub at: DateTime<Utc>,
    /// The order of entries of one instant.
    pub seq: i64,
    /// The step that it was done to, counted from 1 since the first solve or the last reset, where it
    /// was done to one: done to another, it changes nothing. Of an undo the step that the review had
    /// completed.
    pub step: Option<u32>,
    /// What was done.
    pub event: Event,
    /// The settings in force.
    pub settings: Arc<Interned>,
}

/// What can be done to a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The revision was completed by hand, or by an import: early, on time or late.
    Reviewed {
        /// The review.
        review_id: i64,
        /// Its local day.
        day: NaiveDate,
        /// How it was rated, as corrected since.
        rating: Rating,
    },
    /// The problem was solved again: completes the revision if it is due then and pending, and no
    /// other review completes one on that day.
    Solved {
        /// The review.
        review_id: i64,
        /// Its local day.
        day: NaiveDate,
        /// How it was rated, as corrected since.
        rating: Rating,
    },
    /// That review was taken back: it counts at no time, nor does what was done to the revisions
    /// that came after the one it had completed (postponed, skipped, placed). Suspending and
    /// resetting are about the solve and stay. What was solved between the review and the undo
    /// does not step into its place: the revision is pending again.
    Undone {
        /// The review.
        review_id: i64,
    },
    /// The user chose a later date. An earlier one than the revision has changes nothing.
    Postponed {
        /// The date.
        due_on: NaiveDate,
    },
    /// The user left this revision out; the next is due after the same interval.
    Skipped {
        /// The local day.
        day: NaiveDate,
    },
    /// Nothing falls due until resumed.
    Suspended,
    /// The pending revision falls due again, on the date that it had.
    Resumed,
    /// The memory is forgotten, as if the problem had been solved first on that day.
    Reset {
        /// The local day.
        day: NaiveDate,
    },
    /// The application chose a date for the pending revision.
    Placed {
        /// The date.
        due_on: NaiveDate,
        /// Why.
        why: Placement,
    },
}

/// Why a date was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// So that imported solves do not fall due on one day. Never earlier than the revision is due.
    ImportSpread,
    /// The least loaded day of the fuzz window, in place of the fuzz. It stands while it lies in
    /// the window, which changes when an earlier rating is corrected.
    Balanced,
    /// So that what fell due in a pause does not wait on its last day. Never earlier than the
    /// revision is due.
    PauseSpread,
    /// The revision is planned again under the entry's settings, then put on the date. Never earlier
    /// than it is planned.
    Rescheduled,
}

stored_as_text! {
    Kind, "kind":
    Ladder => "ladder",
    Adaptive => "adaptive",
}
