//! The races of pauses. One race class is one [`Guard`] or one conditional update, one function, and
//! one test of the same name in `tests/it/races/`.

use super::model::NewPausedDay;
use crate::db::either::BATCH;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::{paused_days, pauses};
use chrono::NaiveDate;
use diesel::prelude::*;

/// A day of a user is in one pause.
pub const PAUSED_DAY: Guard = Guard {
    name: "paused_days_user_id_day",
    table: "paused_days",
    columns: &["user_id", "day"],
    target: "(user_id, day)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[PAUSED_DAY];

/// Pauses days, in their order, less those that are paused already: how many it paused.
pub fn pause_days(db: &mut Db, days: &[NewPausedDay]) -> QueryResult<usize> {
    let mut paused = 0;
    for days in days.chunks(BATCH) {
        paused += diesel::insert_into(paused_days::table)
            .values(days)
            .on_conflict(PAUSED_DAY.target())
            .do_nothing()
            .execute_batch_on(db)?;
    }
    Ok(paused)
}

/// Lets a pause that is not over end on the day before `today`. One caller does, the others find it
/// over.
pub fn shorten_pause(db: &mut Db, user_id: i64, id: i64, today: NaiveDate) -> QueryResult<bool> {
    let yesterday = today.pred_opt().unwrap_or(today);
    let shortened = diesel::update(
        pauses::table
            .find(id)
            .filter(pauses::user_id.eq(user_id))
            .filter(pauses::until_day.ge(today)),
    )
    .set(pauses::until_day.eq(yesterday))
    .execute(db)?;
    Ok(shortened == 1)
}

/// Takes a pause that was over before `today`, to spread what fell due in it: whoever else wants to
/// waits until the transaction ends, and gets `false` once all is spread.
pub fn spread_pause(db: &mut Db, user_id: i64, id: i64, today: NaiveDate) -> QueryResult<bool> {
    let taken = diesel::update(
        pauses::table
            .find(id)
            .filter(pauses::user_id.eq(user_id))
            .filter(pauses::until_day.lt(today))
            .filter(pauses::spread_at.is_null()),
    )
    .set(pauses::passes.eq(pauses::passes + 1))
    .execute(db)?;
    Ok(taken == 1)
}
