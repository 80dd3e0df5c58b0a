//! The records of a table, one after another, in bounded memory.
//!
//! The rules for cells and quotes are those of the crate `csv` (its core is used directly, since the
//! crate itself would hold a record of any length). Lines are counted here because a record may
//! have several.

use csv_core::{ReadRecordResult, Reader};
use memchr::memchr_iter;

use super::super::unreadable::Halt;
use super::super::window::{ROW_LIMIT, Window};
use super::header::Header;

/// Cells that a record may have.
const CELLS_LIMIT: usize = 16_384;

pub(super) struct Records<'w, 'r> {
    window: &'w mut Window<'r>,
    reader: Reader,
    line: u64,
    text: Vec<u8>,
    ends: Vec<usize>,
}

/// What was found in place of a record.
pub(super) enum Found<'t> {
    Record(Cells<'t>),
    /// A cell, counted from 0, has bytes that are no UTF-8.
    NotText {
        cell: usize,
    },
    TooLong,
    /// The file ended inside of quotation marks.
    Unclosed,
}

/// The cells of a record.
pub(super) struct Cells<'t> {
    text: &'t str,
    ends: &'t [usize],
}

impl<'t> Cells<'t> {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A cell without the white space around it; blank where the record has no such cell.
    pub(super) fn get(&self, index: usize) -> &'t str {
        let start = match index.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        let cell = start.zip(self.ends.get(index)).and_then(|(start, end)| {
            // The separators themselves are not part of the text.
            self.text.get(start..*end)
        });
        cell.unwrap_or_default().trim()
    }
}

enum Step {
    Record,
    TooLong,
    Unclosed,
}

impl<'w, 'r> Records<'w, 'r> {
    /// The records behind the header.
    pub(super) fn over(window: &'w mut Window<'r>, header: &Header) -> Result<Self, Halt> {
        let line = 1 + u64::from(header.preamble > 0);
        window.advance(header.preamble);
        let mut records = Self {
            window,
            reader: header.reader(),
            line,
            text: vec![0; 4 << 10],
            ends: vec![0; 64],
        };
        records.next()?;
        Ok(records)
    }

    /// The next record and the line on which it begins.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Found<'_>)>, Halt> {
        if !self.pass_line_ends()? {
            return Ok(None);
        }
        let line = self.line;
        let (step, length, count) = self.step()?;
        let found = match step {
            Step::TooLong => Found::TooLong,
            Step::Unclosed => Found::Unclosed,
            Step::Record => {
                let bytes = self.text.get(..length).unwrap_or_default();
                let ends = self.ends.get(..count).unwrap_or_default();
                cells(bytes, ends)
            }
        };
        Ok(Some((line, found)))
    }

    fn step(&mut self) -> Result<(Step, usize, usize), Halt> {
        let mut length = 0;
        let mut count = 0;
        let mut too_long = false;
        loop {
            if self.window.bytes().is_empty() && !self.window.more()? {
                break;
            }
            let input = self.window.bytes();
            let (result, read, written, ended) = self.reader.read_record(
                input,
                self.text.get_mut(length..).unwrap_or_default(),
                self.ends.get_mut(count..).unwrap_or_default(),
            );
            let seen = input.get(..read).unwrap_or_default();
            self.line += u64::try_from(memchr_iter(b'\n', seen).count()).unwrap_or(0);
            self.window.advance(read);
            length += written;
            count += ended;
            match result {
                ReadRecordResult::Record if too_long => return Ok((Step::TooLong, 0, 0)),
                ReadRecordResult::Record => return Ok((Step::Record, length, count)),
                ReadRecordResult::End => break,
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.text.len() < ROW_LIMIT => {
                    self.text.resize((self.text.len() * 2).min(ROW_LIMIT), 0);
                }
                ReadRecordResult::OutputEndsFull if self.ends.len() < CELLS_LIMIT => {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    // The rest of the record is passed over, on top of what is held.
                    too_long = true;
                    length = 0;
                    count = 0;
                }
            }
        }
        Ok(self.last(length, count, too_long))
    }

    /// The record that the end of the file ends. A line end tells whether it is inside of quotation
    /// marks: there it is part of a cell, elsewhere it ends the record.
    fn last(&mut self, length: usize, count: usize, too_long: bool) -> (Step, usize, usize) {
        self.text.resize(length + 2, 0);
        self.ends.resize(count + 1, 0);
        let (result, _, written, ended) = self.reader.read_record(
            b"\n",
            self.text.get_mut(length..).unwrap_or_default(),
            self.ends.get_mut(count..).unwrap_or_default(),
        );
        let step = match result {
            _ if too_long => Step::TooLong,
            ReadRecordResult::Record => Step::Record,
            _ => Step::Unclosed,
        };
        (step, length + written, count + ended)
    }

    /// Passes over blank lines; false at the end of the file.
    fn pass_line_ends(&mut self) -> Result<bool, Halt> {
        loop {
            let held = self.window.bytes();
            let blank = held.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let seen = held.get(..blank).unwrap_or_default();
            self.line += u64::try_from(memchr_iter(b'\n', seen).count()).unwrap_or(0);
            self.window.advance(blank);
            if !self.window.bytes().is_empty() {
                return Ok(true);
            }
            if !self.window.more()? {
                return Ok(false);
            }
        }
    }
}

fn cells<'t>(bytes: &'t [u8], ends: &'t [usize]) -> Found<'t> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && ends.iter().all(|end| text.is_char_boundary(*end))
    {
        return Found::Record(Cells { text, ends });
    }
    let mut start = 0;
    for (cell, end) in ends.iter().enumerate() {
        if std::str::from_utf8(bytes.get(start..*end).unwrap_or_default()).is_err() {
            return Found::NotText { cell };
        }
        start = *end;
    }
    Found::NotText { cell: ends.len() }
}
