//! Dates and times as people and their programs write them.
//!
//! Always true: what can be read in two ways is refused, not guessed, and so is what has a form that
//! is not listed here. A date is
//! - `2025-06-23` (also with `/` or `.`), `20250623`: the year first, then the month;
//! - `23.06.2025`: dots with the year last are day first wherever they are in use (Unicode CLDR);
//! - `23/06/2025`, `06/23/2025`, `23-06-2025`: where only one reading is a date, or by the order
//!   that the caller states; with a stated order also with two digits for the year (20xx);
//! - `June 23, 2025`, `23 Jun 2025`, `Jun/23/2025`, `23-Jun-2025`: English months, also shortened,
//!   also behind a weekday.
//!
//! Behind it may stand `T`, white space, a comma or `at`, a time (`18:58`, `18:58:00`, with a
//! fraction, with AM or PM) and a zone (`Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `GMT+0200 (CEST)`).
//! Digits alone are seconds (9 to 11) or milliseconds (12 to 14) since 1970.

use std::str::FromStr;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;

use crate::days;

use super::item::Precision;
use super::quote::quoted;
use super::rows::Reason;

mod scan;

use self::scan::Scan;

/// The order in which a file writes day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DateOrder {
    /// Day, month, year.
    Dmy,
    /// Month, day, year.
    Mdy,
    /// Year, month, day.
    Ymd,
}

impl DateOrder {
    /// Every order there is.
    pub const ALL: [Self; 3] = [Self::Dmy, Self::Mdy, Self::Ymd];

    /// Its name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dmy => "dmy",
            Self::Mdy => "mdy",
            Self::Ymd => "ymd",
        }
    }
}

/// A name that is no order's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such date order; known are dmy, mdy, ymd")]
pub struct UnknownDateOrder;

impl FromStr for DateOrder {
    type Err = UnknownDateOrder;

    fn from_str(name: &str) -> Result<Self, UnknownDateOrder> {
        Self::ALL.into_iter().find(|order| order.as_str() == name).ok_or(UnknownDateOrder)
    }
}

/// An instant, and how it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// When.
    pub at: DateTime<Utc>,
    /// How exactly that is known.
    pub precision: Precision,
    /// Whether the zone is the caller's, since the text has none.
    pub zone_assumed: bool,
}

/// Reads a date with or without a time. A time without a zone is one of `zone`; a date alone is its
/// noon there.
///
/// # Errors
/// Why it is none, or more than one.
pub fn moment(text: &str, zone: Tz, order: Option<DateOrder>) -> Result<Moment, Reason> {
    let text = text.trim();
    if let Some(epoch) = epoch(text) {
        return Ok(epoch);
    }
    let mut scan = Scan::of(text);
    let date = date(&mut scan, order).map_err(|problem| problem.explain(text))?;
    let known = clock(&mut scan).ok_or_else(|| Problem::Unknown.explain(text))?;
    let Some(Clock { time, precision, offset }) = known else {
        let at = days::instant_of(zone, date, NOON);
        return Ok(Moment { at, precision: Precision::Day, zone_assumed: true });
    };
    let at = match offset {
        None => days::instant_of(zone, date, time),
        Some(offset) => date
            .and_time(time)
            .checked_sub_offset(offset)
            .ok_or_else(|| Problem::NoSuchDay.explain(text))?
            .and_utc(),
    };
    Ok(Moment { at, precision, zone_assumed: offset.is_none() })
}

const NOON: NaiveTime = match NaiveTime::from_hms_opt(12, 0, 0) {
    Some(noon) => noon,
    None => NaiveTime::MIN,
};

/// What is wrong with a date.
enum Problem {
    Unknown,
    Ambiguous,
    ShortYear,
    NoSuchDay,
}

impl Problem {
    fn explain(&self, text: &str) -> Reason {
        let text = quoted(text);
        match self {
            Self::Unknown => format!("the date {text} has no form that is known"),
            Self::Ambiguous => format!(
                "the date {text} is ambiguous, day or month first: state the date order (dmy, mdy)"
            ),
            Self::ShortYear => {
                format!(
                    "the date {text} has a year of two digits: state the date order (dmy, mdy, ymd)"
                )
            }
            Self::NoSuchDay => format!("the date {text} is no day of the calendar"),
        }
        .into()
    }
}

/// `1719878400`, `1719878400000`, `1719878400.25`. Fewer digits are the serial days of a
/// spreadsheet or a date without separators.
fn epoch(text: &str) -> Option<Moment> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i64 = whole.parse().ok()?;
    let at = match whole.len() {
        9..=11 => {
            let nanos = scan::nanoseconds(fraction)?;
            DateTime::from_timestamp(value, nanos)?
        }
        12..=14 if fraction.bytes().all(|byte| byte == b'0') => {
            DateTime::from_timestamp_millis(value)?
        }
        _ => return None,
    };
    Some(Moment { at, precision: Precision::Exact, zone_assumed: false })
}

/// One of the three parts of a date.
#[derive(Clone, Copy)]
enum Part {
    Number { value: u32, digits: usize },
    Month(u32),
}

fn date(scan: &mut Scan<'_>, order: Option<DateOrder>) -> Result<NaiveDate, Problem> {
    if let Some(compact) = scan.digits_exactly(8) {
        return day(compact / 10_000, compact / 100 % 100, compact % 100);
    }
    scan.weekday();
    let first = part(scan)?;
    let separator = scan.separator().ok_or(Problem::Unknown)?;
    let second = part(scan)?;
    let other = scan.separator().ok_or(Problem::Unknown)?;
    let third = part(scan)?;
    match (first, second, third) {
        (Part::Month(month), a, b) | (a, Part::Month(month), b) | (a, b, Part::Month(month)) => {
            named(month, a, b, order)
        }
        (
            Part::Number { value: a, digits: 4 },
            Part::Number { value: b, digits: 1 | 2 },
            Part::Number { value: c, digits: 1 | 2 },
        ) if separator == other => day(a, b, c),
        (
            Part::Number { value: a, digits: 1 | 2 },
            Part::Number { value: b, digits: 1 | 2 },
            Part::Number { value: c, digits: 4 },
        ) if separator == other && separator != ' ' => year_last(a, b, c, separator, order),
        (
            Part::Number { value: a, digits: 1 | 2 },
            Part::Number { value: b, digits: 1 | 2 },
            Part::Number { value: c, digits: 1 | 2 },
        ) if separator == other && separator != ' ' => match order {
            Some(DateOrder::Dmy) => day(2000 + c, b, a),
            Some(DateOrder::Mdy) => day(2000 + c, a, b),
            Some(DateOrder::Ymd) => day(2000 + a, b, c),
            None => Err(Problem::ShortYear),
        },
        _ => Err(Problem::Unknown),
    }
}

fn part(scan: &mut Scan<'_>) -> Result<Part, Problem> {
    if let Some((value, digits)) = scan.number() {
        scan.ordinal();
        return Ok(Part::Number { value, digits });
    }
    scan.month().map(Part::Month).ok_or(Problem::Unknown)
}

/// A date whose month has a name: the two numbers are the day and the year.
fn named(month: u32, a: Part, b: Part, order: Option<DateOrder>) -> Result<NaiveDate, Problem> {
    let (Part::Number { value: a, digits: of_a }, Part::Number { value: b, digits: of_b }) = (a, b)
    else {
        return Err(Problem::Unknown);
    };
    match (of_a, of_b, order) {
        (4, 1 | 2, _) => day(a, month, b),
        (1 | 2, 4, _) => day(b, month, a),
        (1 | 2, 1 | 2, None) => Err(Problem::ShortYear),
        (1 | 2, 1 | 2, Some(DateOrder::Ymd)) => day(2000 + a, month, b),
        (1 | 2, 1 | 2, Some(DateOrder::Dmy | DateOrder::Mdy)) => day(2000 + b, month, a),
        _ => Err(Problem::Unknown),
    }
}

fn year_last(
    a: u32,
    b: u32,
    year: u32,
    separator: char,
    order: Option<DateOrder>,
) -> Result<NaiveDate, Problem> {
    match order {
        Some(DateOrder::Dmy) => day(year, b, a),
        Some(DateOrder::Mdy) => day(year, a, b),
        Some(DateOrder::Ymd) | None => match (a > 12, b > 12) {
            (true, _) => day(year, b, a),
            (false, true) => day(year, a, b),
            (false, false) if separator == '.' || a == b => day(year, b, a),
            (false, false) => Err(Problem::Ambiguous),
        },
    }
}

fn day(year: u32, month: u32, day: u32) -> Result<NaiveDate, Problem> {
    i32::try_from(year)
        .ok()
        .and_then(|year| NaiveDate::from_ymd_opt(year, month, day))
        .ok_or(Problem::NoSuchDay)
}

struct Clock {
    time: NaiveTime,
    precision: Precision,
    offset: Option<FixedOffset>,
}

/// What stands behind a date: nothing, or a time; none if it is something else.
#[expect(clippy::option_option, reason = "nothing there, and something wrong, are two things")]
fn clock(scan: &mut Scan<'_>) -> Option<Option<Clock>> {
    if scan.at_end() {
        return Some(None);
    }
    scan.before_time()?;
    let (mut hour, _) = scan.number().filter(|(_, digits)| *digits <= 2)?;
    let minute = scan.after_colon()??;
    let second = scan.after_colon()?;
    let nanos = if second.is_some() { scan.fraction()? } else { 0 };
    if let Some(afternoon) = scan.half_of_day() {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12 + if afternoon { 12 } else { 0 };
    }
    let offset = scan.zone()?;
    scan.at_end().then_some(())?;
    let time = NaiveTime::from_hms_nano_opt(hour, minute, second.unwrap_or(0), nanos)?;
    let precision = second.map_or(Precision::Minute, |_| Precision::Exact);
    Some(Some(Clock { time, precision, offset }))
}
