//! What makes one file of a SQLite database: its write-ahead log folded in, or a copy of it.

use super::open::{Unopened, folder_of};
use super::{Db, Location};
use diesel::prelude::*;
use diesel::result::Error;
use diesel::sql_types::{Integer, Text};
use diesel::sqlite::SqliteConnection;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum NotCopied {
    /// PostgreSQL has a program for that.
    #[error("only SQLite is copied so; of a PostgreSQL database `pg_dump` makes a backup")]
    Postgres,
    /// There is nothing to copy.
    #[error("there is no file `{0}`")]
    NothingThere(String),
    /// A copy never takes the place of something.
    #[error("`{}` is there already; the path of a new file is expected", .0.display())]
    Occupied(PathBuf),
    /// The folder, or the disk.
    #[error("`{}` cannot be written: {reason}", path.display())]
    Unwritable {
        /// The copy.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The database.
    #[error(transparent)]
    Unopened(#[from] Unopened),
    /// The database.
    #[error("it cannot be copied: {0}")]
    Database(#[from] Error),
    /// The copy, and so probably what it was made of.
    #[error("the copy is damaged, and so is probably the original: {0}")]
    Damaged(String),
}

impl NotCopied {
    /// Whether the database is at fault, and not where the copy was to be.
    #[must_use]
    pub fn is_of_the_database(&self) -> bool {
        matches!(self, Self::Unopened(_) | Self::Database(_) | Self::Damaged(_))
    }
}

#[derive(QueryableByName)]
struct Checkpoint {
    #[diesel(sql_type = Integer)]
    busy: i32,
}

#[derive(QueryableByName)]
struct Finding {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

/// Moves all that SQLite's write-ahead log holds into the file, so that the file alone is the whole
/// database. `false` where somebody else reads or writes at this moment: then the log stays. On
/// PostgreSQL there is nothing to do.
///
/// # Errors
/// When the database fails.
pub fn fold(db: &mut Db) -> QueryResult<bool> {
    let Db::Sqlite(conn) = db else { return Ok(true) };
    let done: Checkpoint = diesel::sql_query("pragma wal_checkpoint(truncate)").get_result(conn)?;
    Ok(done.busy == 0)
}

/// Copies a SQLite database as it is at one moment to a new file, and checks the copy. Others may
/// read and write meanwhile. Only the user that runs this can read the copy.
///
/// # Errors
/// [`NotCopied`]; then there is no file, or the one that was there before.
pub fn to_file(location: &Location, file: &Path) -> Result<(), NotCopied> {
    let Location::Sqlite(path) = location else { return Err(NotCopied::Postgres) };
    if location.to_be_made().is_some() {
        return Err(NotCopied::NothingThere(path.clone()));
    }
    if file.symlink_metadata().is_ok() {
        return Err(NotCopied::Occupied(file.to_owned()));
    }
    let unwritable = |reason: String| NotCopied::Unwritable { path: file.to_owned(), reason };
    // It gets its name when it is whole.
    let folder = folder_of(file).canonicalize().map_err(|error| unwritable(error.to_string()))?;
    let partial = tempfile::Builder::new()
        .prefix(".traverse-backup-")
        .tempfile_in(folder)
        .map_err(|error| unwritable(error.to_string()))?;
    let name = partial
        .path()
        .to_str()
        .ok_or_else(|| unwritable("its folder has no name in UTF-8".to_owned()))?;
    let mut db = Db::open(location)?;
    if let Db::Sqlite(conn) = &mut db {
        diesel::sql_query("vacuum into ?").bind::<Text, _>(name).execute(conn)?;
    }
    check(name)?;
    partial.as_file().sync_all().map_err(|error| unwritable(error.to_string()))?;
    match partial.persist_noclobber(file) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
            Err(NotCopied::Occupied(file.to_owned()))
        }
        Err(error) => Err(unwritable(error.error.to_string())),
    }
}

fn check(name: &str) -> Result<(), NotCopied> {
    let damaged = |error: String| NotCopied::Damaged(error);
    let mut copy = SqliteConnection::establish(name).map_err(|error| damaged(error.to_string()))?;
    let findings: Vec<Finding> = diesel::sql_query("pragma integrity_check").load(&mut copy)?;
    match findings.as_slice() {
        [only] if only.integrity_check == "ok" => Ok(()),
        others => {
            let first = others.first().map(|finding| finding.integrity_check.clone());
            Err(damaged(first.unwrap_or_default()))
        }
    }
}
