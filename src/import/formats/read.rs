//! The one door: from a file's bytes to its rows.

use std::io::Read;
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::dates::DateOrder;
use super::encoding;
use super::format::Format;
use super::head::Head;
use super::rows::{Row, Rows};
use super::unreadable::{Halt, Unreadable};
use super::window::Window;

/// What the caller knows about a file.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its format; none to detect it (`auto`).
    pub format: Option<Format>,
    /// The zone of times that have none of their own.
    pub time_zone: Tz,
    /// The order of day, month and year, for dates that can be read in two ways.
    pub date_order: Option<DateOrder>,
    /// What counts as the future.
    pub now: DateTime<Utc>,
}

/// What a file was taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its format.
    pub format: Format,
    /// How it was understood, for a person: the variant, the encoding, the columns.
    pub detail: String,
    /// How many rows were given.
    pub rows: u64,
    /// The zone that was assumed, where a row's time had none of its own.
    pub zone_assumed: Option<Tz>,
    /// What else a person should know about the file as a whole.
    pub remarks: Vec<String>,
}

/// Gives the rows of a file, in its order, until its end or until the sink breaks off.
///
/// # Errors
///
/// When the file as a whole is not what it should be; rows may have been given before. A row that
/// is not what it should be is no error but an [`Outcome`](super::Outcome).
pub fn read<'r>(
    input: impl Read + 'r,
    options: &Options,
    sink: &mut dyn FnMut(Row) -> ControlFlow<()>,
) -> Result<Taken, Unreadable> {
    let (input, encoding) = encoding::utf8(input)?;
    let mut window = Window::over(input);
    let head = Head::of(&mut window)?;
    let format = match options.format {
        Some(format) => format,
        None => head.format()?,
    };
    let mut rows = Rows::new(options, sink);
    match (format.source().read)(&head, &mut window, &mut rows) {
        Ok(()) if rows.given() == 0 => return Err(Unreadable::NoRows(rows.detail)),
        Ok(()) | Err(Halt::Enough) => {}
        Err(Halt::Unreadable(unreadable)) => return Err(unreadable),
    }
    let encoding = encoding.map_or_else(String::new, |name| format!(", in {name}"));
    Ok(Taken {
        format,
        detail: format!("{}{encoding}", rows.detail),
        rows: rows.given(),
        zone_assumed: rows.zone_assumed.then_some(options.time_zone),
        remarks: rows.into_remarks(),
    })
}
