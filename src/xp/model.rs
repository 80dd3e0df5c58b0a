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
use std::str::FromStr;
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
    /// A solve was deleted; the subject is the solve.
    SolveDeleted,
}

/// A reason that does not exist here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown reason {0:?}")]
pub struct UnknownReason(String);

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 4] =
        [Self::FirstSolve, Self::Review, Self::ReviewUndone, Self::SolveDeleted];

    /// The name in JSON and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstSolve => "first_solve",
            Self::Review => "review",
            Self::ReviewUndone => "review_undone",
            Self::SolveDeleted => "solve_deleted",
        }
    }
}

impl FromStr for Reason {
    type Err = UnknownReason;

    fn from_str(name: &str) -> Result<Self, UnknownReason> {
        Self::ALL
            .into_iter()
            .find(|reason| reason.as_str() == name)
            .ok_or_else(|| UnknownReason(name.to_owned()))
    }
}

stored_as_text!(Reason);

/// An entry of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Serialize, ToSchema)]
#[schema(as = XpEntry)]
pub struct Entry {
    /// Its number.
    pub id: i64,
    /// What for.
    pub reason: Reason,
    /// What exactly for: the problem of a first solve, the review, the deleted solve.
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
    /// How much.
    pub amount: i32,
    /// The solve that it came from.
    pub solve_id: Option<i64>,
    /// The local day that it counts for.
    pub local_day: NaiveDate,
    /// Now.
    pub created_at: At,
}
