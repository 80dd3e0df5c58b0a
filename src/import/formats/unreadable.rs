//! Why a whole file cannot be taken.

use std::io;

use super::format::Format;
use super::rows::Reason;

/// Why a file was not read, or not to its end. Rows may have been given before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// No bytes, or white space only.
    #[error("the file is empty")]
    Empty,
    /// A known format without a single row.
    #[error("the file was recognised as {0}, but it has no rows")]
    NoRows(String),
    /// A compressed file.
    #[error("the file is compressed ({0}): unpack it first")]
    Compressed(&'static str),
    /// HTML or XML.
    #[error(
        "the file is a web page, not an export: the site has probably answered with its login page"
    )]
    WebPage,
    /// Not text at all.
    #[error("the file is not text in UTF-8, nor in UTF-16 with a byte order mark")]
    NotText,
    /// `auto` knows no such structure.
    #[error("{found}, which is no format known here; known are {}", Format::list())]
    Unknown {
        /// What the file looks like.
        found: Reason,
    },
    /// The caller named a format that this file is not.
    #[error("the file is not in the format {}: {reason}", format.as_str())]
    NotThisFormat {
        /// The format that was asked for or detected.
        format: Format,
        /// What is against it.
        reason: Reason,
    },
    /// The file is the answer of a service that refused its caller.
    #[error("the file holds a refusal instead of rows: {0}")]
    Refused(String),
    /// Written by a later version of Traverse.
    #[error("the file is of version {found} of its format; the newest one known here is {known}")]
    Newer {
        /// The file's version.
        found: u64,
        /// The newest one that can be read.
        known: u64,
    },
    /// Not JSON.
    #[error("no valid JSON at byte {offset}, after {rows} rows: {expected} expected")]
    Malformed {
        /// Where, counted from 0 in the file as UTF-8 without a byte order mark.
        offset: u64,
        /// How many rows came before.
        rows: u64,
        /// What should stand there.
        expected: &'static str,
    },
    /// The file ends in the middle.
    #[error("the file breaks off after {rows} rows: it was not saved or sent whole")]
    BrokenOff {
        /// How many rows came before.
        rows: u64,
    },
    /// The bytes could not be had.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

/// Why a reader stopped before the end of its file.
pub(super) enum Halt {
    /// The sink wants no more rows.
    Enough,
    /// There is no going on.
    Unreadable(Unreadable),
}

impl From<Unreadable> for Halt {
    fn from(unreadable: Unreadable) -> Self {
        Self::Unreadable(unreadable)
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(Unreadable::Io(error))
    }
}
