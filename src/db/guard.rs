//! The constraints that settle races, and how each database reports them.

use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::result::{DatabaseErrorKind as Kind, Error};
use diesel::sql_types::Text;

/// One unique index that settles one race class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The name of the index, the same on both databases.
    pub name: &'static str,
    /// The table it is on.
    pub table: &'static str,
    /// Its columns, in order.
    pub columns: &'static [&'static str],
    /// The `ON CONFLICT` target: the columns, and word for word the predicate of the migration.
    pub target: &'static str,
    /// The predicate as SQLite's and as PostgreSQL's catalogue give it back.
    pub predicate: Option<(&'static str, &'static str)>,
}

impl Guard {
    /// The `ON CONFLICT` target of this guard.
    pub fn target(self) -> SqlLiteral<Text> {
        sql(self.target)
    }

    /// The same for a statement that is written as text.
    #[must_use]
    pub fn target_text(self) -> &'static str {
        self.target
    }

    /// Whether `error` is a violation of this guard.
    #[must_use]
    pub fn stopped(self, error: &Error) -> bool {
        let Error::DatabaseError(Kind::UniqueViolation, info) = error else {
            return false;
        };
        match info.constraint_name() {
            Some(name) => name == self.name,
            // SQLite names the columns instead: `…: solves.user_id, solves.problem_id`.
            None => {
                let columns: Vec<_> =
                    self.columns.iter().map(|column| format!("{}.{column}", self.table)).collect();
                info.message().ends_with(&format!(": {}", columns.join(", ")))
            }
        }
    }
}
