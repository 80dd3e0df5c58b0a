//! The formats that are known: one list.

use std::str::FromStr;

use super::head::Head;
use super::rows::Rows;
use super::unreadable::{Halt, Unreadable};
use super::window::Window;
use super::{codeforces, csv, traverse};

/// A format of files. `auto` is no format: it is asking for detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Traverse's own, as JSON or NDJSON.
    Traverse,
    /// A table with a header, as spreadsheets save it.
    Csv,
    /// The answer of Codeforces' API method `user.status`.
    Codeforces,
}

/// What a format's own file has to offer.
pub(super) struct Source {
    /// Whether a file that begins so is of this format. No two formats may claim the same file.
    pub(super) recognises: fn(&Head) -> bool,
    /// Gives the rows of a file, or says why it is not of this format.
    pub(super) read: fn(&Head, &mut Window<'_>, &mut Rows<'_>) -> Result<(), Halt>,
}

impl Format {
    /// Every format there is.
    pub const ALL: [Self; 3] = [Self::Traverse, Self::Csv, Self::Codeforces];

    /// Its name in the API, on the command line and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Traverse => "traverse",
            Self::Csv => "csv",
            Self::Codeforces => "codeforces",
        }
    }

    pub(super) const fn source(self) -> &'static Source {
        match self {
            Self::Traverse => &traverse::SOURCE,
            Self::Csv => &csv::SOURCE,
            Self::Codeforces => &codeforces::SOURCE,
        }
    }

    /// The formats that a file which begins so is of: one, or none.
    ///
    /// # Errors
    /// When it is no text, or empty.
    pub fn of(beginning: &[u8]) -> Result<Vec<Self>, Unreadable> {
        let head = Head::of(&mut Window::over(Box::new(beginning)))?;
        Ok(Self::claiming(&head).collect())
    }

    /// The formats that claim a file with this head.
    pub(super) fn claiming(head: &Head) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|format| (format.source().recognises)(head))
    }

    /// The names of all, for a message.
    pub(super) fn list() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }
}

/// A name that is no format's.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no such format; known are {}", Format::list())]
pub struct UnknownFormat;

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|format| format.as_str() == name).ok_or(UnknownFormat)
    }
}
