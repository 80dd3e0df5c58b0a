//! The first look at a file: whether it can be read to its end, and where each problem is solved
//! first. Nothing is created.

use super::file::ImportFile;
use super::formats::{self, Item, Options, Outcome, ProblemRef, Row, Taken, Unreadable};
use super::standing::{Key, Look, Standings};
use super::titles::Titles;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// The most rows that a file may have.
pub const ROWS: u64 = 2_000_000;

/// What is known of a file before anything of it is taken in.
#[derive(Debug)]
pub struct Survey {
    /// What it was taken for.
    pub taken: Taken,
    /// Which rows are the earliest ones of their problems.
    pub firsts: Bits,
    /// Whether there are other accepted solves.
    pub has_more: bool,
    /// The problems.
    pub standings: Standings,
    /// The numbers that problems have in columns of their own.
    pub numbers: HashMap<Key, u32>,
    /// The titles that stand alone, and what other rows say of them.
    pub titles: Titles,
    /// The sites that number the submissions.
    pub judges: BTreeSet<&'static str>,
}

/// Why a file is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is not what it should be.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It has too many rows.
    #[error("the file has more than {ROWS} rows; split it")]
    TooManyRows,
    /// Too many rows name their problem by a title alone.
    #[error("too many rows name their problem by a title alone, without a URL or a slug; split it")]
    TooManyTitles,
}

/// A bit for each row.
#[derive(Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Whether the bit of a row is set.
    #[must_use]
    pub fn has(&self, row: u64) -> bool {
        let (word, bit) = place(row);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    fn flip(&mut self, row: u64) {
        let (word, bit) = place(row);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(bits) = self.0.get_mut(word) {
            *bits ^= bit;
        }
    }
}

fn place(row: u64) -> (usize, u64) {
    (usize::try_from(row / 64).unwrap_or(usize::MAX), 1 << (row % 64))
}

impl Survey {
    /// Looks at all of a file.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn of(file: &ImportFile, options: &Options) -> Result<Self, Refused> {
        let mut looked = Looked::default();
        let mut too_many = None;
        let taken = formats::read(file.open().map_err(Unreadable::Io)?, options, &mut |row| {
            if row.number > ROWS {
                too_many = Some(Refused::TooManyRows);
                return ControlFlow::Break(());
            }
            looked.at(&row);
            if looked.titles.are_too_many() {
                too_many = Some(Refused::TooManyTitles);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        if let Some(refused) = too_many {
            return Err(refused);
        }
        let Looked { firsts, has_more, standings, numbers, titles, judges } = looked;
        Ok(Self { taken, firsts, has_more, standings, numbers, titles, judges })
    }
}

#[derive(Default)]
struct Looked {
    firsts: Bits,
    has_more: bool,
    standings: Standings,
    numbers: HashMap<Key, u32>,
    titles: Titles,
    judges: BTreeSet<&'static str>,
}

impl Looked {
    fn at(&mut self, row: &Row) {
        let Outcome::Item(item) = &row.outcome else {
            return;
        };
        self.judges.extend(item.judge);
        match &item.problem {
            ProblemRef::Title { title, .. } => {
                self.has_more = true;
                self.titles.want(title);
            }
            ProblemRef::At(identity) => {
                let key = self.standings.key(identity);
                self.solved(key, item, row.number);
            }
        }
    }

    fn solved(&mut self, key: Key, item: &Item, row: u64) {
        if let Some(number) = item.number
            && *self.numbers.entry(key).or_insert(number) != number
        {
            // Ambiguous, as the second reading will tell: it opens nothing.
            self.has_more = true;
            return;
        }
        let (at, _) = item.solved();
        match self.standings.look(key, at, u32::try_from(row).unwrap_or(u32::MAX)) {
            Look::First => self.firsts.flip(row),
            Look::Earlier(before) => {
                self.firsts.flip(u64::from(before));
                self.firsts.flip(row);
                self.has_more = true;
            }
            Look::Further => self.has_more = true,
        }
    }
}
