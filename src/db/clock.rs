//! The database's own clock, as text of a statement: what several processes decide by.

use super::Db;

/// The present. On PostgreSQL the one at which the transaction began.
#[must_use]
pub fn now(db: &Db) -> &'static str {
    match db {
        Db::Postgres(_) => "now()",
        Db::Sqlite(_) => "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')",
    }
}

/// The present and so many seconds, an expression of type double, such as `$1`.
#[must_use]
pub fn after(db: &Db, seconds: &str) -> String {
    match db {
        Db::Postgres(_) => format!("now() + make_interval(secs => {seconds})"),
        Db::Sqlite(_) => {
            format!("strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', format('%.3f seconds', {seconds}))")
        }
    }
}
