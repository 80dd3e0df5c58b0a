//! Tables of files and what they come to, and properties over any bytes.

mod any_bytes;
mod auto;
mod codeforces;
mod csv;
mod dates;
mod large;
mod own;

use std::fmt::Write as _;
use std::io::{self, Read};
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use traverse::import::formats::{
    Format, Item, Options, Outcome, ProblemRef, Row, Taken, Unreadable, read,
};

/// The history of a person, with ids and handle replaced.
const HISTORY: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/data/codeforces-user-status.json"
));

fn options(format: Option<Format>) -> Options {
    Options {
        format,
        time_zone: Tz::Europe__Berlin,
        date_order: None,
        now: at("2026-01-01T00:00:00Z"),
    }
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn read_with(bytes: &[u8], options: &Options) -> (Vec<Row>, Result<Taken, Unreadable>) {
    let mut rows = Vec::new();
    let taken = read(bytes, options, &mut |row| {
        rows.push(row);
        ControlFlow::Continue(())
    });
    (rows, taken)
}

/// Reads with detection; every file here that is read is read without an error.
fn auto(text: &str) -> (Vec<Row>, Taken) {
    let (rows, taken) = read_with(text.as_bytes(), &options(None));
    (rows, taken.unwrap())
}

/// The error of a file that is refused.
fn refusal(bytes: &[u8], format: Option<Format>) -> String {
    read_with(bytes, &options(format)).1.unwrap_err().to_string()
}

fn only_item(rows: &[Row]) -> &Item {
    match rows {
        [Row { outcome: Outcome::Item(item), .. }] => item,
        other => panic!("one item expected, got {other:?}"),
    }
}

/// A row in few words, for tables: what it is, of which problem and when, or why not.
fn told(row: &Row) -> String {
    match &row.outcome {
        Outcome::Item(item) => {
            let mut told = match &item.problem {
                ProblemRef::At(identity) => format!("{}:{}", identity.platform, identity.slug),
                ProblemRef::Title { title, .. } => format!("“{title}”"),
            };
            if let Some(at) = item.happened_at {
                write!(told, " {at:?} {:?}", item.precision).unwrap();
            }
            told
        }
        Outcome::Ignored(reason) => format!("ignored: {reason}"),
        Outcome::Ambiguous(reason) => format!("ambiguous: {reason}"),
        Outcome::Rejected(reason) => format!("rejected: {reason}"),
    }
}

fn all_told(rows: &[Row]) -> Vec<String> {
    rows.iter().map(told).collect()
}

/// A file that comes in small pieces, as from a slow network.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = into.len().min(7).min(self.0.len());
        self.0.read(&mut into[..count])
    }
}

/// A file whose reading fails behind these bytes.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 => Err(io::Error::other("the line is dead")),
            count => Ok(count),
        }
    }
}
