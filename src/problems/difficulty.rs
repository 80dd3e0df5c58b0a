//! How hard a problem is said to be.

use crate::db::text::stored_as_text;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// How hard the judge says that a problem is.
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
pub enum Difficulty {
    /// Expected within minutes.
    Easy,
    /// The usual problem; also what an unknown difficulty counts as.
    Medium,
    /// Expected to take an hour.
    Hard,
}

impl fmt::Display for Difficulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

stored_as_text! {
    Difficulty, "difficulty":
    Easy => "easy",
    Medium => "medium",
    Hard => "hard",
}
