//! The races of rings. One race class is one [`Guard`] or one conditional update, one function, and
//! one test of the same name in `tests/it/races/`.

use super::model::{NewDeed, NewFreeze, RingRow};
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::{ring_days, streak_freezes};
use chrono::NaiveDate;
use diesel::dsl::{case_when, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Date, Integer};

/// A local day of a user has one row.
pub const DAY: Guard = Guard {
    name: "ring_days_user_id_day",
    table: "ring_days",
    columns: &["user_id", "day"],
    target: "(user_id, day)",
    predicate: None,
};

/// A day of a user is frozen once.
pub const FROZEN_DAY: Guard = Guard {
    name: "streak_freezes_user_id_day",
    table: "streak_freezes",
    columns: &["user_id", "day"],
    target: "(user_id, day)",
    predicate: None,
};

/// Each of the two freezes of a calendar month is there once; a check of the table knows no third.
pub const FREEZE_SLOT: Guard = Guard {
    name: "streak_freezes_user_id_month_slot",
    table: "streak_freezes",
    columns: &["user_id", "month", "slot"],
    target: "(user_id, month, slot)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[DAY, FROZEN_DAY, FREEZE_SLOT];

/// Counts something done on a day, and begins the day where it is the first: its revisions are then
/// the user's goal, or what is due, if that is less, and none where the day is paused; its solves are
/// the goal too, but one where there would be nothing to do. Whoever else
/// counts something there waits until the transaction ends, and then counts further.
pub fn count_deed(db: &mut Db, new: &NewDeed) -> QueryResult<RingRow> {
    let deed = new.deed;
    let done = deed.of_due.clamp(0, new.goal_revisions);
    // Looks at no more than it wants to know; only a row that is new gets it.
    let goal_revisions = || {
        sql::<Integer>(
            "(case when exists (select 1 from paused_days as paused where paused.user_id = ",
        )
        .bind::<BigInt, _>(new.user_id)
        .sql(" and paused.day = ")
        .bind::<Date, _>(new.day)
        .sql(") then 0 else ")
        .bind::<Integer, _>(done)
        .sql(" + (select count(*) from (select 1 from revisions where revisions.user_id = ")
        .bind::<BigInt, _>(new.user_id)
        .sql(" and revisions.state = 'pending' and revisions.due_on <= ")
        .bind::<Date, _>(new.day)
        .sql(" limit ")
        .bind::<BigInt, _>(i64::from(new.goal_revisions - done))
        .sql(") as due) end)")
    };
    // Whoever wants revisions only, and has none due, has something to do all the same. In the same
    // statement: what is due may change between two.
    let number = |number: i32| number.into_sql::<Integer>();
    let goal_solves = case_when(number(new.goal_solves).gt(0), number(new.goal_solves))
        .when(goal_revisions().eq(0), number(1))
        .otherwise(number(0));
    diesel::insert_into(ring_days::table)
        .values((
            ring_days::user_id.eq(new.user_id),
            ring_days::day.eq(new.day),
            ring_days::goal_solves.eq(goal_solves),
            ring_days::goal_revisions.eq(goal_revisions()),
            ring_days::solves.eq(deed.solves),
            ring_days::revisions.eq(deed.revisions),
        ))
        .on_conflict(DAY.target())
        .do_update()
        .set((
            ring_days::solves.eq(ring_days::solves + deed.solves),
            ring_days::revisions.eq(ring_days::revisions + deed.revisions),
        ))
        .returning(ring_days::all_columns)
        .get_result_on(db)
}

/// Closes a day whose goals are reached. One caller does, the others find it closed.
pub fn close_day(db: &mut Db, id: i64, now: At) -> QueryResult<bool> {
    let closed = diesel::update(
        ring_days::table
            .find(id)
            .filter(ring_days::closed_at.is_null())
            .filter(ring_days::solves.ge(ring_days::goal_solves))
            .filter(ring_days::revisions.ge(ring_days::goal_revisions)),
    )
    .set(ring_days::closed_at.eq(now))
    .execute(db)?;
    Ok(closed == 1)
}

/// Counts a revision no more that was taken back; never below zero. The day stays closed if it is.
pub fn discount_revision(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<bool> {
    let discounted = diesel::update(
        ring_days::table
            .filter(ring_days::user_id.eq(user_id))
            .filter(ring_days::day.eq(day))
            .filter(ring_days::revisions.gt(0)),
    )
    .set(ring_days::revisions.eq(ring_days::revisions - 1))
    .execute(db)?;
    Ok(discounted == 1)
}

/// Freezes a day with one of its month's two freezes, unless the day is frozen, or that one is spent.
pub fn freeze_day(db: &mut Db, freeze: &NewFreeze) -> QueryResult<bool> {
    let frozen: Option<i64> = diesel::insert_into(streak_freezes::table)
        .values(freeze)
        .on_conflict_do_nothing()
        .returning(streak_freezes::id)
        .get_result_on(db)
        .optional()?;
    Ok(frozen.is_some())
}
