//! Opening a connection, and saying why that failed: which path, and what was expected there.

use super::{Db, Location};
use diesel::ConnectionError;
use diesel::connection::SimpleConnection;
use diesel::pg::PgConnection;
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What every SQLite connection is told. `FULL`: an answered write survives a power loss.
const PRAGMAS: &str = "pragma busy_timeout = 10000; pragma journal_mode = wal; \
                       pragma synchronous = full; pragma foreign_keys = on; \
                       pragma cache_size = -16000; pragma temp_store = memory;";

/// What a SQLite connection is told that only looks: it must not even change the journal's mode.
const LOOKING: &str = "pragma busy_timeout = 10000; pragma query_only = on; \
                       select count(*) from sqlite_schema";

/// What every PostgreSQL session is told: nothing waits for ever, and no plan or text depends on
/// the settings of the server (`docs/adr/0006`). `docs/operations.md` tells operators the limits.
const SESSION: &str = "set time zone 'UTC'; set random_page_cost = 1.1; \
                       set lock_timeout = '5s'; set statement_timeout = '35s'; \
                       set idle_in_transaction_session_timeout = '60s'; \
                       set application_name = 'traverse'";

/// What a connection to PostgreSQL is told where its URL says nothing else: a server that cannot be
/// reached, or that is gone without a word, is given up after 5 and after 30 seconds.
const CONNECTION: [(&str, &str); 2] = [("connect_timeout", "5"), ("tcp_user_timeout", "30000")];

/// The URL with what it lacks of [`CONNECTION`].
fn bounded(url: &str) -> String {
    let mut bounded = url.to_owned();
    for (name, value) in CONNECTION {
        let query = bounded.split_once('?').map(|(_, query)| query);
        let is_said = |query: &str| {
            query.split('&').any(|part| part.split_once('=').is_some_and(|(said, _)| said == name))
        };
        if !query.is_some_and(is_said) {
            bounded.push(if query.is_some() { '&' } else { '?' });
            bounded.extend([name, "=", value]);
        }
    }
    bounded
}

/// Why a connection was not opened, in words that hold no password.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Unopened(String);

/// What a new connection was told, and refused.
impl From<diesel::result::Error> for Unopened {
    fn from(error: diesel::result::Error) -> Self {
        Self(error.to_string())
    }
}

impl Db {
    /// Opens a connection and prepares it.
    ///
    /// # Errors
    /// When the server does not answer, or the file cannot be opened.
    pub fn open(location: &Location) -> Result<Self, Unopened> {
        if let Some(path) = location.to_be_made() {
            check_place(path)?;
            make_private(path);
        }
        Self::prepared(location, PRAGMAS)
    }

    /// Opens a connection that changes nothing, to a database that may be anybody's. Where there is
    /// no file it would make an empty one: ask [`Location::to_be_made`] first.
    ///
    /// # Errors
    /// As those of [`Self::open`].
    pub fn open_to_look(location: &Location) -> Result<Self, Unopened> {
        Self::prepared(location, LOOKING)
    }

    fn prepared(location: &Location, on_sqlite: &str) -> Result<Self, Unopened> {
        let opened = match location {
            Location::Postgres(url) => PgConnection::establish(&bounded(url)).map(Self::Postgres),
            Location::Sqlite(path) => {
                check_place(path)?;
                SqliteConnection::establish(path).map(Self::Sqlite)
            }
        };
        let prepared = opened.and_then(|mut db| {
            let settings = if matches!(db, Self::Postgres(_)) { SESSION } else { on_sqlite };
            db.batch_execute(settings).map_err(ConnectionError::CouldntSetupConfiguration)?;
            Ok(db)
        });
        prepared.map_err(|error| because(location, &error))
    }
}

/// Makes an empty file that only its owner can read, before SQLite makes one for everybody; what
/// SQLite puts beside it has the same mode. Where it cannot, SQLite cannot either, and says why.
fn make_private(path: &str) {
    let private =
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
    drop(private);
}

/// Refuses the path of a file that cannot be, so that the refusal tells why. It opens nothing: to
/// close a file of SQLite's behind its back would end the locks that this process has on it.
pub(super) fn check_place(path: &str) -> Result<(), Unopened> {
    let path = Path::new(path);
    match path.metadata() {
        Ok(found) if found.is_dir() => {
            let wanted = "is a folder; the path of a database file is expected";
            return Err(Unopened(format!("`{}` {wanted}", path.display())));
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Unopened(format!("`{}` cannot be reached: {error}", path.display())));
        }
        Ok(_) | Err(_) => {}
    }
    let folder = folder_of(path);
    match folder.metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Unopened(format!("`{}` is expected to be a folder", folder.display()))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let wanted = "does not exist, and is not made; make it, or name another path";
            Err(Unopened(format!("the folder `{}` {wanted}", folder.display())))
        }
        Err(error) => {
            Err(Unopened(format!("the folder `{}` cannot be reached: {error}", folder.display())))
        }
    }
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn because(location: &Location, error: &ConnectionError) -> Unopened {
    let message = match error {
        ConnectionError::BadConnection(message) => message.trim().to_owned(),
        ConnectionError::CouldntSetupConfiguration(error) => error.to_string(),
        other => other.to_string(),
    };
    let Location::Sqlite(path) = location else {
        return Unopened(location.without_password(&message));
    };
    Unopened(if message.contains("not a database") {
        format!("`{path}` is no SQLite database; the path of one, or of no file yet, is expected")
    } else if ["unable to open", "readonly", "read-only"].iter().any(|it| message.contains(it)) {
        let folder = folder_of(Path::new(path)).display();
        format!(
            "{message}; the user that runs this must be able to read and write `{path}` and its \
             folder `{folder}`"
        )
    } else {
        message
    })
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn a_url_says_how_long_to_wait() {
        for (url, expected) in [
            ("postgres://h/d", "postgres://h/d?connect_timeout=5&tcp_user_timeout=30000"),
            (
                "postgres://h/d?sslmode=require",
                "postgres://h/d?sslmode=require&connect_timeout=5&tcp_user_timeout=30000",
            ),
            (
                "postgres:///d?tcp_user_timeout=1&host=/run",
                "postgres:///d?tcp_user_timeout=1&host=/run&connect_timeout=5",
            ),
        ] {
            assert_eq!(bounded(url), expected);
        }
    }
}
