//! Pauses: vacations from the schedule. On a paused day nothing is due and nothing is sent, and a
//! streak passes over it.
//!
//! A pause is its days, and a day of a user is in one pause at most: the database sees to it. Days
//! that have passed stay paused, whatever becomes of the pause. Nothing here calls another domain,
//! so that all may ask whether a day is paused.

pub mod guards;
pub mod model;
pub mod routes;
pub mod store;

use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use chrono::NaiveDate;
use diesel::QueryResult;
use model::{NewPausedDay, Pause, Span};
pub use store::Unspread;

/// Whether a local day of a user is paused.
///
/// # Errors
/// When the database fails.
pub fn is_paused(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<bool> {
    on(db, user_id, day).map(|pause| pause.is_some())
}

/// The pause that a local day of a user is in.
///
/// # Errors
/// When the database fails.
pub fn on(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<Option<Pause>> {
    store::on(db, user_id, day)
}

/// The paused days of a user from `from` to `until`, in order.
///
/// # Errors
/// When the database fails.
pub fn days_between(
    db: &mut Db,
    user_id: i64,
    from: NaiveDate,
    until: NaiveDate,
) -> QueryResult<Vec<NaiveDate>> {
    store::days_between(db, user_id, from, until)
}

/// A day of the pause is in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlaps;

/// Begins a pause.
///
/// # Errors
/// [`Overlaps`]; then nothing is stored.
pub fn begin(db: &mut Db, user_id: i64, span: Span, now: At) -> Work<Pause, Overlaps> {
    let pause = store::add(db, user_id, span, now)?;
    let days: Vec<NewPausedDay> =
        span.days().map(|day| NewPausedDay { user_id, day, pause_id: pause.id }).collect();
    if guards::pause_days(db, &days)? != days.len() {
        return Err(Stopped::Because(Overlaps));
    }
    Ok(pause)
}

/// The first pause of a user that has a day in common with these.
///
/// # Errors
/// When the database fails.
pub fn overlapping(db: &mut Db, user_id: i64, span: Span) -> QueryResult<Option<Pause>> {
    store::overlapping(db, user_id, span)
}

/// What became of a pause that a user ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It had not begun before today: it is gone.
    Gone,
    /// It ended yesterday, or earlier.
    Over,
}

/// Ends a pause: from today on its days are as any other; those that have passed stay paused. The
/// same again changes nothing. `None` where there is no such pause of theirs.
///
/// # Errors
/// When the database fails.
pub fn end(db: &mut Db, user_id: i64, id: i64, today: NaiveDate) -> QueryResult<Option<Ended>> {
    let Some(pause) = store::get(db, user_id, id)? else {
        return Ok(None);
    };
    if pause.from >= today {
        store::remove(db, user_id, id)?;
        return Ok(Some(Ended::Gone));
    }
    if guards::shorten_pause(db, user_id, id, today)? {
        store::free_days(db, id, today)?;
    }
    Ok(Some(Ended::Over))
}

/// The pauses of a user, the newest first, before the one with this number.
///
/// # Errors
/// When the database fails.
pub fn list(db: &mut Db, user_id: i64, before: Option<i64>, limit: i64) -> QueryResult<Vec<Pause>> {
    store::list(db, user_id, before, limit)
}

/// Pauses that ended before a day and whose dues were not spread yet, by their last day and number,
/// after the one with these.
///
/// # Errors
/// When the database fails.
pub fn unspread(
    db: &mut Db,
    before: NaiveDate,
    after: (NaiveDate, i64),
    limit: i64,
) -> QueryResult<Vec<Unspread>> {
    store::unspread(db, before, after, limit)
}

/// Lets the caller, and nobody else until the transaction ends, spread what fell due in a pause that
/// was over before `today`. `false` where all of it is spread, or the pause is not over.
///
/// # Errors
/// When the database fails.
pub fn take_over(db: &mut Db, user_id: i64, id: i64, today: NaiveDate) -> QueryResult<bool> {
    guards::spread_pause(db, user_id, id, today)
}

/// Notes that all is spread, for whoever has taken the pause over.
///
/// # Errors
/// When the database fails.
pub fn spread(db: &mut Db, id: i64, now: At) -> QueryResult<()> {
    store::set_spread(db, id, now).map(drop)
}
