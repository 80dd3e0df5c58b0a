//! Freezes: days that count as kept although nothing closed them, two in a calendar month.
//!
//! The month is that of the day. Each of its freezes has a slot, and the database keeps each slot
//! once, so that no two calls at once make three.

use super::model::{Freeze, NewFreeze};
use super::{guards, store};
use crate::days::days_later;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use chrono::{Datelike, Months, NaiveDate};
use diesel::result::Error;

/// Freezes of a calendar month.
pub const A_MONTH: usize = 2;
/// Days back that can be frozen: a month, so that nobody mends a streak of long ago.
pub const BACK: i64 = 31;
/// Days ahead that can be frozen.
pub const AHEAD: i64 = 366;

/// Why a day was not frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is too far away: the first and the last day that can be frozen.
    TooFar(NaiveDate, NaiveDate),
    /// Its rings have closed, so that it is kept anyway.
    Closed,
    /// Both freezes of its month are spent.
    NoneLeft,
}

/// The first of a day's calendar month.
#[must_use]
pub fn month_of(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}

/// The last of a day's calendar month.
#[must_use]
pub fn last_of_month(day: NaiveDate) -> NaiveDate {
    let next = month_of(day).checked_add_months(Months::new(1));
    next.and_then(|next| next.pred_opt()).unwrap_or(day)
}

/// Freezes a day. Returns the freeze, and whether this call made it: a frozen day stays as it is.
///
/// # Errors
/// [`Refusal`]; then nothing is changed.
pub fn freeze(
    db: &mut Db,
    user_id: i64,
    day: NaiveDate,
    today: NaiveDate,
    now: At,
) -> Work<(Freeze, bool), Refusal> {
    if let Some(freeze) = store::freeze(db, user_id, day)? {
        return Ok((freeze, false));
    }
    let (first, last) = (days_later(today, -BACK), days_later(today, AHEAD));
    if day < first || day > last {
        return Err(Stopped::Because(Refusal::TooFar(first, last)));
    }
    if store::ring(db, user_id, day)?.is_some_and(|ring| ring.closed_at.is_some()) {
        return Err(Stopped::Because(Refusal::Closed));
    }
    let slots = i32::try_from(A_MONTH).unwrap_or(i32::MAX);
    for slot in 1..=slots {
        let new = NewFreeze { user_id, day, month: month_of(day), slot, created_at: now };
        let is_made = guards::freeze_day(db, &new)?;
        // Whoever was faster has committed, so a statement of its own sees it.
        if let Some(freeze) = store::freeze(db, user_id, day)? {
            return Ok((freeze, is_made));
        }
        if is_made {
            return Err(Error::NotFound.into());
        }
    }
    Err(Stopped::Because(Refusal::NoneLeft))
}

/// Takes the freeze of a day back, if it has one.
///
/// # Errors
/// When the database fails.
pub fn thaw(db: &mut Db, user_id: i64, day: NaiveDate) -> diesel::QueryResult<()> {
    store::thaw(db, user_id, day).map(drop)
}
