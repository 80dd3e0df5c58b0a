//! Entries of the ledger.

use crate::db::instant::At;
use crate::db::text::stored_as_text;
use crate::schema::xp_entries;
use chrono::NaiveDate;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::sql_types::Text;
use serde::Serialize;
use utoipa::ToSchema;

/// What XP is awarded or taken back for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, AsExpression, FromSqlRow)]
#[serde(rename_all = "snake_case")]
#[diesel(sql_type = Text)]
pub enum Reason {
    /// A problem was solved for the first time; the subject is the problem.
    FirstSolve,
    /// A revision was completed; the subject is the review.
    Review,
    /// A review was taken back; the subject is the review.
    ReviewUndone,
    /// A review does not complete a revision any more, since something earlier is known by now; the
    /// subject is the review.
    ReviewReplaced,
    /// A solve was deleted; the subject is the solve.
    SolveDeleted,
    /// The rings of a day closed; the subject is the ring day.
    RingClosed,
}

stored_as_text! {
    Reason, "reason":
    FirstSolve => "first_solve",
    Review => "review",
    ReviewUndone => "review_undone",
    ReviewReplaced => "review_replaced",
    SolveDeleted => "solve_deleted",
    RingClosed => "ring_closed",
}

/// An entry of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Serialize, ToSchema)]
#[schema(as = XpEntry)]
pub struct Entry {
    /// Its number.
    pub id: i64,
    /// What for.
    pub reason: Reason,
    /// What exactly for: the problem of a first solve, the review, the deleted solve, the ring day.
    pub subject_id: i64,
    /// How much; an entry that takes back is negative.
    pub amount: i32,
    /// The local day that it counts for.
    pub local_day: NaiveDate,
    /// When it was written.
    pub created_at: At,
}

/// An entry to be written.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = xp_entries, treat_none_as_default_value = false)]
pub struct NewEntry {
    /// Whose it is.
    pub user_id: i64,
    /// What for.
    pub reason: Reason,
    /// What exactly for.
    pub subject_id: i64,
    /// How often it was awarded or taken back for that reason before.
    pub turn: i32,
    /// How much.
    pub amount: i32,
    /// The solve that it came from, if from one.
    pub solve_id: Option<i64>,
    /// The local day that it counts for.
    pub local_day: NaiveDate,
    /// Now.
    pub created_at: At,
}
