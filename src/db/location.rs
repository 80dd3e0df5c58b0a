//! Where the data is. What is shown of it never holds a password.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Which database a URL names, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A libpq connection URL.
    Postgres(String),
    /// The path of a file.
    Sqlite(String),
}

/// A URL that names no database which can be used.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadLocation {
    /// Neither database.
    #[error("`sqlite:` and a path, or a `postgres://` URL, is expected")]
    Unknown,
    /// Neither database, but something else. Only how it begins is shown: the rest may hold a
    /// password.
    #[error("it begins with `{0}:`; `sqlite:` and a path, or a `postgres://` URL, is expected")]
    OtherScheme(String),
    /// SQLite without a file.
    #[error("behind `sqlite:` the path of a file is expected, such as `sqlite:traverse.db`")]
    NoPath,
    /// SQLite without a file, on purpose.
    #[error(
        "a database in memory is not supported, since every connection would have one of its \
         own: behind `sqlite:` the path of a file is expected"
    )]
    InMemory,
    /// SQLite with what other programs add to a path.
    #[error("behind `sqlite:` a plain path is expected, no `file:` and no `?` with parameters")]
    NoPlainPath,
    /// PostgreSQL would take a part of the password for the name of a host, and show it.
    #[error(
        "in a user name and a password `/`, `@`, `?` and `#` are expected as `%2F`, `%40`, `%3F` \
         and `%23`"
    )]
    Unescaped,
}

impl Location {
    /// Reads `postgres://…`, `postgresql://…` or `sqlite:path` (also `sqlite://path`).
    ///
    /// # Errors
    /// [`BadLocation`] for anything else.
    pub fn parse(url: &str) -> Result<Self, BadLocation> {
        if let Some(rest) = after_postgres(url) {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
            // One `@` ends the password. A further one, before the first parameter, tells that the
            // password was cut too early.
            let ahead = rest.split('=').next().unwrap_or(rest);
            if ahead.matches('@').count() > authority.matches('@').count().min(1) {
                return Err(BadLocation::Unescaped);
            }
            return Ok(Self::Postgres(url.to_owned()));
        }
        let path = url.strip_prefix("sqlite:").ok_or_else(|| unknown(url))?;
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            Err(BadLocation::NoPath)
        } else if path.contains(":memory:") || path.contains("mode=memory") {
            Err(BadLocation::InMemory)
        } else if path.starts_with("file:") || path.contains('?') {
            Err(BadLocation::NoPlainPath)
        } else {
            Ok(Self::Sqlite(path.to_owned()))
        }
    }

    /// The path of a file that is not there yet; the first that writes makes it.
    #[must_use]
    pub fn to_be_made(&self) -> Option<&str> {
        match self {
            Self::Sqlite(path) if !Path::new(path).exists() => Some(path),
            _ => None,
        }
    }

    /// The files that others than their owner can read or write, with their modes: SQLite's own, and
    /// those beside it.
    #[must_use]
    pub fn open_to_others(&self) -> Vec<(String, u32)> {
        let Self::Sqlite(path) = self else { return Vec::new() };
        let files = ["", "-wal", "-shm"].map(|ending| format!("{path}{ending}"));
        let modes = files.into_iter().filter_map(|file| {
            let mode = std::fs::metadata(&file).ok()?.permissions().mode() & 0o777;
            Some((file, mode))
        });
        modes.filter(|(_, mode)| mode & 0o066 != 0).collect()
    }

    /// A message about this database, without its password.
    pub(super) fn without_password(&self, message: &str) -> String {
        let password = match self {
            Self::Postgres(url) => after_postgres(url).and_then(parts).and_then(|parts| parts.1),
            Self::Sqlite(_) => None,
        };
        match password.filter(|password| !password.is_empty()) {
            Some(password) => message.replace(password, "…"),
            None => message.to_owned(),
        }
    }
}

fn unknown(url: &str) -> BadLocation {
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    match url.split_once(':') {
        Some((scheme, _)) if is_scheme(scheme) => BadLocation::OtherScheme(scheme.to_owned()),
        _ => BadLocation::Unknown,
    }
}

fn after_postgres(url: &str) -> Option<&str> {
    url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"))
}

/// The user, the password and the rest of what follows `postgres://`.
fn parts(rest: &str) -> Option<(&str, Option<&str>, &str)> {
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let at = rest.get(..end)?.rfind('@')?;
    let (who, rest) = (rest.get(..at)?, rest.get(at + 1..)?);
    Some(match who.split_once(':') {
        Some((user, password)) => (user, Some(password), rest),
        None => (who, None, rest),
    })
}

/// As it is configured, but for the password.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = match self {
            Self::Sqlite(path) => return write!(f, "sqlite:{path}"),
            Self::Postgres(url) => url,
        };
        let rest = after_postgres(url).unwrap_or_default();
        let (user, rest) = match parts(rest) {
            Some((user, _, rest)) => (format!("{user}@"), rest),
            None => (String::new(), rest),
        };
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let query: Vec<&str> = query
            .split('&')
            .filter(|pair| !pair.is_empty() && !pair.to_lowercase().contains("password"))
            .collect();
        let mark = if query.is_empty() { "" } else { "?" };
        write!(f, "postgres://{user}{place}{mark}{}", query.join("&"))
    }
}
