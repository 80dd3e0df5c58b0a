//! What is told of each row.

use super::model::{NewRow, RowReport, Tally, Verdict};
use std::borrow::Cow;

/// What became of a row, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its number in the file.
    pub row: i64,
    /// The line on which it begins.
    pub line: Option<i64>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why; an import needs no reason.
    pub reason: Option<Cow<'static, str>>,
    /// What it changed of what was there.
    pub note: Option<String>,
    /// The problem, where it is known.
    pub problem_id: Option<i64>,
}

impl Told {
    /// As a row to be stored.
    pub fn stored(&self, import_id: i64) -> NewRow<'_> {
        NewRow {
            import_id,
            row_number: self.row,
            line: self.line,
            verdict: self.verdict,
            reason: self.reason.as_deref(),
            note: self.note.as_deref(),
            problem_id: self.problem_id,
        }
    }
}

impl From<Told> for RowReport {
    fn from(told: Told) -> Self {
        Self {
            row: told.row,
            line: told.line,
            verdict: told.verdict,
            reason: told.reason.map(Cow::into_owned),
            note: told.note,
            problem_id: told.problem_id,
        }
    }
}

impl From<RowReport> for Told {
    fn from(row: RowReport) -> Self {
        Self {
            row: row.row,
            line: row.line,
            verdict: row.verdict,
            reason: row.reason.map(Cow::Owned),
            note: row.note,
            problem_id: row.problem_id,
        }
    }
}

/// Counts what was told.
pub fn tally(told: &[Told]) -> Tally {
    let mut tally = Tally::default();
    for told in told {
        tally.count(told.verdict);
    }
    tally
}
