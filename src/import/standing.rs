//! Where each problem of a file is solved first, and how it stands with the user.
//!
//! This is what is kept of a file beyond one batch: 41 bytes a problem, and what a hash table leaves
//! free; for a million problems below 100 MB. Beside it there are only the numbers that stand in a
//! column of their own, and the titles that stand alone, which are bounded (see [`super::titles`]).

use crate::problems::identity::Identity;
use crate::solves::imported::Lacks;
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// A problem, by 128 bits that nobody can choose. Two of a million problems have the same with a
/// probability of 1 to 10^27.
pub type Key = [u64; 2];

/// How a problem stands with the user who imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No row of it was taken in.
    Unseen {
        /// When its earliest row says that it was solved, in microseconds since 1970; the end of
        /// time where it does not say when.
        at: i64,
        /// That row.
        row: u32,
    },
    /// This import made its first solve, of the earliest row.
    Opened {
        /// The problem.
        problem_id: i64,
        /// The solve.
        solve_id: i64,
        /// What nobody has said of it.
        lacks: Lacks,
    },
    /// This import made its first solve, of another row than the earliest.
    Made,
    /// It was solved before.
    Existing,
}

impl Standing {
    /// Whether a row is the earliest of a problem of which none was taken in.
    #[must_use]
    pub fn begins_with(self, number: i64) -> bool {
        matches!(self, Self::Unseen { row, .. } if i64::from(row) == number)
    }
}

/// The problems of a file.
#[derive(Debug, Default)]
pub struct Standings {
    hashers: [RandomState; 2],
    problems: HashMap<Key, Standing>,
}

impl Standings {
    /// The key of a problem.
    #[must_use]
    pub fn key(&self, identity: &Identity) -> Key {
        self.hashers.each_ref().map(|hasher| hasher.hash_one(identity))
    }

    /// Looks at a row, in the order of the file. Tells whether it is the earliest of its problem so
    /// far, and which row was that before.
    pub fn look(&mut self, key: Key, at: Option<DateTime<Utc>>, row: u32) -> Look {
        let at = at.map_or(i64::MAX, |at| at.timestamp_micros());
        let new = Standing::Unseen { at, row };
        match self.problems.get_mut(&key) {
            None => {
                self.problems.insert(key, new);
                Look::First
            }
            Some(first) => match *first {
                Standing::Unseen { at: before, row } if at < before => {
                    *first = new;
                    Look::Earlier(row)
                }
                _ => Look::Further,
            },
        }
    }

    /// How a problem stands, also one that the file names otherwise.
    #[must_use]
    pub fn of(&self, key: Key) -> Standing {
        self.problems.get(&key).copied().unwrap_or(Standing::Unseen { at: i64::MAX, row: 0 })
    }

    /// Notes how a problem stands.
    pub fn set(&mut self, key: Key, standing: Standing) {
        self.problems.insert(key, standing);
    }
}

/// What a look at a row found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The first row of its problem.
    First,
    /// It is earlier than the row that was the earliest.
    Earlier(u32),
    /// There is an earlier one.
    Further,
}
