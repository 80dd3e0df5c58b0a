//! The second and the third look at a file: its rows in batches, the earliest solve of each problem
//! before all others.

use super::file::ImportFile;
use super::formats::{self, Options, Outcome, ProblemRef, Row, Unreadable};
use super::survey::Bits;
use super::titles::Titles;
use std::ops::ControlFlow;

/// How much a batch holds, by [`weight`]: a transaction of some ten milliseconds, so that the
/// requests of others come between two batches.
pub const BATCH: usize = 1000;

/// Which rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The earliest solve of each problem, and what is no solve.
    Firsts,
    /// The other solves, and titles that stand alone.
    Others,
}

/// Hands over the rows of one part, in batches of `size`, until the end or until `take` says no. With the
/// first part, `titles` learns what it wants to know.
pub fn sift(
    file: &ImportFile,
    options: &Options,
    part: Part,
    firsts: &Bits,
    titles: &mut Titles,
    size: usize,
    mut take: impl FnMut(Vec<Row>) -> ControlFlow<()>,
) -> Result<(), Unreadable> {
    let learns = part == Part::Firsts && !titles.is_empty();
    let mut batch = Vec::new();
    let mut held = 0;
    formats::read(file.open()?, options, &mut |row| {
        if let (true, Outcome::Item(item)) = (learns, &row.outcome) {
            titles.learn(item);
        }
        if part_of(&row, firsts) != part {
            return ControlFlow::Continue(());
        }
        held += weight(&row);
        batch.push(row);
        if held < size {
            return ControlFlow::Continue(());
        }
        held = 0;
        take(std::mem::take(&mut batch))
    })?;
    if !batch.is_empty() {
        // It is the last one anyway.
        let _ = take(batch);
    }
    Ok(())
}

fn part_of(row: &Row, firsts: &Bits) -> Part {
    let is_other = match &row.outcome {
        Outcome::Item(item) => match item.problem {
            ProblemRef::Title { .. } => true,
            ProblemRef::At(_) => !firsts.has(row.number),
        },
        _ => false,
    };
    if is_other { Part::Others } else { Part::Firsts }
}

/// How much a row is to hold and to write: 1, and more with reviews and long notes.
fn weight(row: &Row) -> usize {
    match &row.outcome {
        Outcome::Item(item) => {
            let notes = [&item.notes, &item.solve_notes].into_iter().flatten();
            1 + item.reviews.len() + notes.map(|notes| notes.len() / 1000).sum::<usize>()
        }
        _ => 1,
    }
}
