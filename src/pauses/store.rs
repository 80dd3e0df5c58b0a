//! Plain reads and writes. Nothing here settles a race.

use super::model::{PAUSE, Pause, Span};
use crate::db::Db;
use crate::db::either::OnEither;
use crate::db::instant::At;
use crate::schema::{paused_days, pauses};
use chrono::NaiveDate;
use diesel::prelude::*;

/// Stores a pause, without its days.
pub fn add(db: &mut Db, user_id: i64, span: Span, now: At) -> QueryResult<Pause> {
    diesel::insert_into(pauses::table)
        .values((
            pauses::user_id.eq(user_id),
            pauses::from_day.eq(span.from()),
            pauses::until_day.eq(span.until()),
            pauses::created_at.eq(now),
        ))
        .returning(PAUSE)
        .get_result_on(db)
}

/// A pause of a user.
pub fn get(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<Pause>> {
    pauses::table.find(id).filter(pauses::user_id.eq(user_id)).select(PAUSE).first(db).optional()
}

/// The pause that a day of a user is in.
pub fn on(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<Option<Pause>> {
    paused_days::table
        .inner_join(pauses::table)
        .filter(paused_days::user_id.eq(user_id))
        .filter(paused_days::day.eq(day))
        .select(PAUSE)
        .first(db)
        .optional()
}

/// The first pause of a user that has one of these days.
pub fn overlapping(db: &mut Db, user_id: i64, span: Span) -> QueryResult<Option<Pause>> {
    paused_days::table
        .inner_join(pauses::table)
        .filter(paused_days::user_id.eq(user_id))
        .filter(paused_days::day.between(span.from(), span.until()))
        .order(paused_days::day)
        .select(PAUSE)
        .first(db)
        .optional()
}

/// The paused days of a user from `from` to `until`, in order.
pub fn days_between(
    db: &mut Db,
    user_id: i64,
    from: NaiveDate,
    until: NaiveDate,
) -> QueryResult<Vec<NaiveDate>> {
    paused_days::table
        .filter(paused_days::user_id.eq(user_id))
        .filter(paused_days::day.between(from, until))
        .order(paused_days::day)
        .select(paused_days::day)
        .load(db)
}

/// The pauses of a user, the newest first, before the one with this number.
pub fn list(db: &mut Db, user_id: i64, before: Option<i64>, limit: i64) -> QueryResult<Vec<Pause>> {
    pauses::table
        .filter(pauses::user_id.eq(user_id))
        .filter(pauses::id.lt(before.unwrap_or(i64::MAX)))
        .order(pauses::id.desc())
        .limit(limit)
        .select(PAUSE)
        .load(db)
}

/// Takes a pause away, and its days with it.
pub fn remove(db: &mut Db, user_id: i64, id: i64) -> QueryResult<usize> {
    diesel::delete(pauses::table.find(id).filter(pauses::user_id.eq(user_id))).execute(db)
}

/// Takes the days of a pause away from `from` on.
pub fn free_days(db: &mut Db, pause_id: i64, from: NaiveDate) -> QueryResult<usize> {
    diesel::delete(
        paused_days::table
            .filter(paused_days::pause_id.eq(pause_id))
            .filter(paused_days::day.ge(from)),
    )
    .execute(db)
}

/// A pause whose dues were not spread: its last day, its number, its user.
pub type Unspread = (NaiveDate, i64, i64);

/// Pauses that ended before a day and were not spread, by their last day and number, after the one with
/// these.
pub fn unspread(
    db: &mut Db,
    before: NaiveDate,
    after: (NaiveDate, i64),
    limit: i64,
) -> QueryResult<Vec<Unspread>> {
    let (until_day, id) = after;
    pauses::table
        .filter(pauses::spread_at.is_null())
        .filter(pauses::until_day.lt(before))
        // Alone it is where a database begins to read its index.
        .filter(pauses::until_day.ge(until_day))
        .filter(pauses::until_day.gt(until_day).or(pauses::id.gt(id)))
        .order((pauses::until_day, pauses::id))
        .limit(limit)
        .select((pauses::until_day, pauses::id, pauses::user_id))
        .load(db)
}

/// Notes that all that fell due in a pause is spread.
pub fn set_spread(db: &mut Db, id: i64, now: At) -> QueryResult<usize> {
    diesel::update(pauses::table.find(id)).set(pauses::spread_at.eq(now)).execute(db)
}
