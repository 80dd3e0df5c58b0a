//! Plain reads and writes. Nothing here settles a race.

use super::model::{Freeze, RingRow};
use crate::db::Db;
use crate::schema::{revisions, ring_days, streak_freezes};
use chrono::NaiveDate;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;

/// The row of a day of a user.
pub fn ring(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<Option<RingRow>> {
    ring_days::table
        .filter(ring_days::user_id.eq(user_id))
        .filter(ring_days::day.eq(day))
        .select(ring_days::all_columns)
        .first(db)
        .optional()
}

/// The rows of a user from `from` to `until`, in order.
pub fn between(
    db: &mut Db,
    user_id: i64,
    from: NaiveDate,
    until: NaiveDate,
    limit: i64,
) -> QueryResult<Vec<RingRow>> {
    ring_days::table
        .filter(ring_days::user_id.eq(user_id))
        .filter(ring_days::day.between(from, until))
        .order(ring_days::day)
        .limit(limit)
        .select(ring_days::all_columns)
        .load(db)
}

/// The closed days of a user up to `last`, in order.
pub fn closed_until(db: &mut Db, user_id: i64, last: NaiveDate) -> QueryResult<Vec<NaiveDate>> {
    ring_days::table
        .filter(ring_days::user_id.eq(user_id))
        .filter(ring_days::closed_at.is_not_null())
        .filter(ring_days::day.le(last))
        .order(ring_days::day)
        .select(ring_days::day)
        .load(db)
}

/// How many revisions of a user are due by a day; more than `most` are not looked at.
pub fn due(db: &mut Db, user_id: i64, day: NaiveDate, most: i32) -> QueryResult<i32> {
    let found: Vec<i64> = revisions::table
        .filter(revisions::user_id.eq(user_id))
        .filter(sql::<Bool>("revisions.state = 'pending'"))
        .filter(revisions::due_on.le(day))
        .limit(i64::from(most))
        .select(revisions::id)
        .load(db)?;
    Ok(i32::try_from(found.len()).unwrap_or(most))
}

/// Whether a day of a user is frozen.
pub fn is_frozen(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<bool> {
    freeze(db, user_id, day).map(|freeze| freeze.is_some())
}

/// The freeze of a day of a user.
pub fn freeze(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<Option<Freeze>> {
    streak_freezes::table
        .filter(streak_freezes::user_id.eq(user_id))
        .filter(streak_freezes::day.eq(day))
        .select((streak_freezes::day, streak_freezes::created_at))
        .first(db)
        .optional()
}

/// The frozen days of a user from `from` to `until`, in order.
pub fn frozen_between(
    db: &mut Db,
    user_id: i64,
    from: NaiveDate,
    until: NaiveDate,
) -> QueryResult<Vec<NaiveDate>> {
    streak_freezes::table
        .filter(streak_freezes::user_id.eq(user_id))
        .filter(streak_freezes::day.between(from, until))
        .order(streak_freezes::day)
        .select(streak_freezes::day)
        .load(db)
}

/// Takes the freeze of a day away.
pub fn thaw(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<usize> {
    diesel::delete(
        streak_freezes::table
            .filter(streak_freezes::user_id.eq(user_id))
            .filter(streak_freezes::day.eq(day)),
    )
    .execute(db)
}
