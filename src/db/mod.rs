//! The only module that knows there are two databases.
//!
//! [`Db`] runs most statements. [`either`] runs the few it cannot. [`tx`] owns transactions,
//! [`guard`] names the constraints that settle races, [`pool`] is the way in from async code.

#![expect(missing_docs, reason = "`MultiConnection` makes items without any")]

pub mod catalogue;
pub mod clock;
pub mod copy;
pub mod either;
pub mod guard;
pub mod instant;
pub mod list;
mod location;
pub mod migrate;
pub mod news;
mod open;
mod outage;
pub mod pool;
pub mod text;
pub mod tx;
mod writer;

pub use location::{BadLocation, Location};
pub use open::Unopened;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;

/// One open connection to either database.
#[derive(diesel::MultiConnection)]
pub enum Db {
    /// A PostgreSQL server.
    Postgres(PgConnection),
    /// The embedded SQLite.
    Sqlite(SqliteConnection),
}

/// Tables whose number of rows decides how others are looked up.
const COUNTED: &str = "analyze problems, solves, submissions, revisions";

impl Db {
    /// Lets PostgreSQL count what is in its tables now. Left alone, it does so within minutes; until
    /// then it believes a table that has grown by very many rows to be small, and reads all of it to
    /// find some. SQLite goes by the keys.
    pub fn count_rows(&mut self) -> QueryResult<()> {
        match self {
            Self::Postgres(conn) => conn.batch_execute(COUNTED),
            Self::Sqlite(_) => Ok(()),
        }
    }
}
