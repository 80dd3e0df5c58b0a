//! The only module that knows there are two databases.
//!
//! [`Db`] runs most statements. [`either`] runs the few it cannot. [`tx`] owns transactions,
//! [`guard`] names the constraints that settle races, [`pool`] is the way in from async code.

#![expect(missing_docs, reason = "`MultiConnection` makes items without any")]

pub mod catalogue;
pub mod clock;
pub mod either;
pub mod guard;
pub mod instant;
pub mod migrate;
pub mod news;
pub mod pool;
pub mod text;
pub mod tx;
mod writer;

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

/// Which database a URL names, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A libpq connection URL.
    Postgres(String),
    /// The path of a file.
    Sqlite(String),
}

/// A database URL that names neither database.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the database URL must begin with `sqlite:` or `postgres:`")]
pub struct UnknownDatabase;

impl Location {
    /// Reads `postgres://…`, `postgresql://…` or `sqlite:path` (also `sqlite://path`).
    ///
    /// # Errors
    /// [`UnknownDatabase`] for anything else, and for `sqlite:` without a path.
    pub fn parse(url: &str) -> Result<Self, UnknownDatabase> {
        if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            return Ok(Self::Postgres(url.to_owned()));
        }
        let path = url.strip_prefix("sqlite:").ok_or(UnknownDatabase)?;
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() || path.contains(":memory:") {
            return Err(UnknownDatabase);
        }
        Ok(Self::Sqlite(path.to_owned()))
    }
}

/// What every SQLite connection is told. `FULL`: an answered write survives a power loss.
const PRAGMAS: &str = "pragma busy_timeout = 10000; pragma journal_mode = wal; \
                       pragma synchronous = full; pragma foreign_keys = on; \
                       pragma cache_size = -16000; pragma temp_store = memory;";

/// What every PostgreSQL session is told: nothing waits for ever, and no plan or text depends on
/// the settings of the server. What a user reads is mostly in memory: at the usual cost of 4 for a
/// page out of order, a page of the inbox scanned all problems instead of looking up its fifty.
const SESSION: &str = "set time zone 'UTC'; set lock_timeout = '20s'; \
                       set random_page_cost = 1.1; \
                       set idle_in_transaction_session_timeout = '60s'; \
                       set application_name = 'traverse'";

impl Db {
    /// Opens a connection and prepares it.
    ///
    /// # Errors
    /// When the server does not answer, or the file cannot be opened.
    pub fn open(location: &Location) -> ConnectionResult<Self> {
        let mut db = match location {
            Location::Postgres(url) => Self::Postgres(PgConnection::establish(url)?),
            Location::Sqlite(path) => Self::Sqlite(SqliteConnection::establish(path)?),
        };
        let settings = match &db {
            Self::Postgres(_) => SESSION,
            Self::Sqlite(_) => PRAGMAS,
        };
        db.batch_execute(settings).map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(db)
    }
}
