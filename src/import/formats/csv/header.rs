//! The first record of a table: its separator and the names of its columns.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::columns;

/// What may separate cells; the first one where several do equally well.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// Columns that a table may have.
const COLUMNS_LIMIT: usize = 4_096;

/// What the header of a table says.
pub(crate) struct Header {
    /// What separates the cells.
    pub(crate) delimiter: u8,
    /// The names of the columns, as they are spelled.
    pub(crate) names: Vec<String>,
    /// Bytes of a line before the header that says only what the separator is.
    pub(super) preamble: usize,
}

impl Header {
    /// From the beginning of a file. It finds something in any text.
    pub(crate) fn of(text: &[u8]) -> Self {
        if let Some((delimiter, preamble)) = stated(text) {
            let names = names(text.get(preamble..).unwrap_or_default(), delimiter);
            return Self { delimiter, names, preamble };
        }
        let mut best = Self { delimiter: b',', names: names(text, b','), preamble: 0 };
        for delimiter in SEPARATORS {
            let other = names(text, delimiter);
            if worth(&other) > worth(&best.names) {
                best = Self { delimiter, names: other, preamble: 0 };
            }
        }
        best
    }

    /// The separator, for a person.
    pub(super) fn separator(&self) -> String {
        match self.delimiter {
            b',' => "commas".to_owned(),
            b';' => "semicolons".to_owned(),
            b'\t' => "tabs".to_owned(),
            other => format!("“{}”", char::from(other)),
        }
    }

    /// A reader for the table.
    pub(super) fn reader(&self) -> Reader {
        ReaderBuilder::new().delimiter(self.delimiter).build()
    }
}

/// A name that is known weighs more than any number of cells: titles and tags hold commas, too.
fn worth(names: &[String]) -> (usize, usize) {
    (names.iter().filter(|name| columns::is_known(name)).count(), names.len())
}

/// `sep=;`, with which Excel is told the separator.
fn stated(text: &[u8]) -> Option<(u8, usize)> {
    let line = text.split(|byte| *byte == b'\n').next()?;
    let length = line.len() + 1;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] if delimiter.is_ascii() => {
            Some((*delimiter, length))
        }
        _ => None,
    }
}

fn names(text: &[u8], delimiter: u8) -> Vec<String> {
    let text = text.trim_ascii_start();
    let mut reader = ReaderBuilder::new().delimiter(delimiter).build();
    let mut cells = vec![0; text.len()];
    let mut ends = vec![0; COLUMNS_LIMIT];
    let (mut result, _, mut written, mut count) = reader.read_record(text, &mut cells, &mut ends);
    if matches!(result, ReadRecordResult::InputEmpty) {
        // The header may be all there is, without an end of line.
        let rest = cells.get_mut(written..).unwrap_or_default();
        let more_ends = ends.get_mut(count..).unwrap_or_default();
        let (last, _, more, more_count) = reader.read_record(&[], rest, more_ends);
        result = last;
        written += more;
        count += more_count;
    }
    if !matches!(result, ReadRecordResult::Record) {
        return Vec::new();
    }
    let mut start = 0;
    ends.iter()
        .take(count)
        .map(|end| {
            let name = cells.get(start..(*end).min(written)).unwrap_or_default();
            start = *end;
            String::from_utf8_lossy(name).trim().to_owned()
        })
        .collect()
}
