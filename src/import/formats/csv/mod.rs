//! Tables: CSV as spreadsheets, scripts and people write it.
//!
//! The header says what the columns are (`columns.rs`); its spelling, the separator and the order
//! of columns do not matter. A row is taken as follows.
//!
//! - Solved or not: the status column. Without one every row is taken as solved, unless there is a
//!   column for the day of the solve that is blank, which is ambiguous.
//! - The problem: a URL; else a slug with its platform, LeetCode's where none is given (`slug` is
//!   its word); else the title, which the caller looks up. A number never identifies. What two
//!   columns say must agree.
//! - A time without a zone is one of the caller's zone, a day alone is its noon there.
//! - A value that is a detail (difficulty, rating, minutes, attempts) and has no form that is known
//!   is left out, and the file's remarks say so. One that decides (status, date, problem) is not.

mod cells;
mod columns;
mod header;
mod picked;
mod records;
mod row;
mod slug;

pub(super) use self::header::Header;

use super::format::{Format, Source};
use super::head::Head;
use super::quote::quoted;
use super::rows::{Outcome, Rows};
use super::unreadable::{Halt, Unreadable};
use super::window::{ROW_LIMIT, Window};

use self::columns::Columns;
use self::records::{Found, Records};
use self::row::Table;

pub(super) const SOURCE: Source = Source { recognises, read };

fn recognises(head: &Head) -> bool {
    match head {
        Head::Table(header) => Columns::of(&header.names).name_a_problem(),
        Head::Json(_) => false,
    }
}

fn read(head: &Head, window: &mut Window<'_>, rows: &mut Rows<'_>) -> Result<(), Halt> {
    let Head::Table(header) = head else {
        return Err(not_this("it looks like JSON".to_owned()));
    };
    let columns = Columns::of(&header.names);
    if !columns.name_a_problem() {
        return Err(not_this(format!(
            "no column of its header names a problem (title, slug or url expected), found {}",
            head.describe()
        )));
    }
    let mut records = Records::over(window, header)?;
    rows.detail = format!("a table separated by {}", header.separator());
    for remark in columns.remarks(&header.names) {
        rows.remark(remark);
    }
    let mut table = Table::of(header, columns, rows.options);
    while let Some((line, found)) = records.next()? {
        let outcome = match found {
            Found::Record(cells) => match table.row(&cells) {
                Some(outcome) => outcome,
                // Spreadsheets save the empty rows below a table as well.
                None => continue,
            },
            Found::NotText { cell } => Outcome::rejected(format!(
                "{} is no valid text: save the file as UTF-8",
                table.name_of(cell)
            )),
            Found::TooLong => Outcome::rejected(format!(
                "longer than {ROW_LIMIT} bytes; perhaps a quotation mark is never closed"
            )),
            Found::Unclosed => Outcome::rejected(
                "a quotation mark in this row is never closed, so all that follows it to the end \
                 of the file belongs to one cell",
            ),
        };
        rows.zone_assumed |= table.zone_assumed;
        rows.give(Some(line), outcome)?;
    }
    for remark in table.remarks() {
        rows.remark(remark);
    }
    Ok(())
}

fn not_this(reason: String) -> Halt {
    Unreadable::NotThisFormat { format: Format::Csv, reason: reason.into() }.into()
}

/// The name of a column in a message.
fn column(name: &str) -> String {
    format!("column {}", quoted(name))
}
