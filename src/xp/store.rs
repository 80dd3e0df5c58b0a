//! Plain reads. Nothing here settles a race.

use super::model::{Entry, Reason};
use crate::db::Db;
use crate::schema::xp_entries;
use chrono::NaiveDate;
use diesel::dsl::{case_when, sql, sum};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use std::collections::HashMap;

/// The reasons whose subject is a review.
const OF_REVIEWS: [Reason; 3] = [Reason::Review, Reason::ReviewUndone, Reason::ReviewReplaced];

/// What a solve has brought in, what was taken back already counted.
pub fn of_solve(db: &mut Db, user_id: i64, solve_id: i64) -> QueryResult<i32> {
    let brought: Option<i64> = xp_entries::table
        .filter(xp_entries::user_id.eq(user_id))
        .filter(xp_entries::solve_id.eq(solve_id))
        .select(sum(xp_entries::amount))
        .first(db)?;
    Ok(i32::try_from(brought.unwrap_or(0)).unwrap_or(i32::MAX))
}

/// The entries of a review: what for, and how much.
pub fn of_review(db: &mut Db, user_id: i64, review_id: i64) -> QueryResult<Vec<(Reason, i32)>> {
    let mut found = Vec::new();
    // One look into each of the two indexes, whose conditions these are, word for word.
    for turn in ["turn = 0", "turn > 0"] {
        let entries = xp_entries::table
            .filter(xp_entries::user_id.eq(user_id))
            .filter(xp_entries::reason.eq_any(OF_REVIEWS))
            .filter(xp_entries::subject_id.eq(review_id))
            .filter(sql::<Bool>(turn))
            .select((xp_entries::reason, xp_entries::amount))
            .load(db)?;
        found.extend::<Vec<(Reason, i32)>>(entries);
    }
    Ok(found)
}

/// What a user has in all.
pub fn total(db: &mut Db, user_id: i64) -> QueryResult<i64> {
    let total: Option<i64> = xp_entries::table
        .filter(xp_entries::user_id.eq(user_id))
        .select(sum(xp_entries::amount))
        .first(db)?;
    Ok(total.unwrap_or(0))
}

/// What a user has in all, and what of it they got on a local day: the ledger is added up once.
pub fn total_and_on_day(db: &mut Db, user_id: i64, day: NaiveDate) -> QueryResult<(i64, i64)> {
    let of_day = case_when(xp_entries::local_day.eq(day), xp_entries::amount).otherwise(0);
    let (total, of_day): (Option<i64>, Option<i64>) = xp_entries::table
        .filter(xp_entries::user_id.eq(user_id))
        .select((sum(xp_entries::amount), sum(of_day)))
        .first(db)?;
    Ok((total.unwrap_or(0), of_day.unwrap_or(0)))
}

/// The entries of a user, newest first, before the one with this number.
pub fn entries(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<Entry>> {
    xp_entries::table
        .filter(xp_entries::user_id.eq(user_id))
        .filter(xp_entries::id.lt(before.unwrap_or(i64::MAX)))
        .order(xp_entries::id.desc())
        .limit(limit)
        .select((
            xp_entries::id,
            xp_entries::reason,
            xp_entries::subject_id,
            xp_entries::amount,
            xp_entries::local_day,
            xp_entries::created_at,
        ))
        .load(db)
}

/// What several users have in all; who has no entry is left out.
pub fn totals(db: &mut Db, user_ids: &[i64]) -> QueryResult<HashMap<i64, i64>> {
    let sums: Vec<(i64, Option<i64>)> = xp_entries::table
        .filter(xp_entries::user_id.eq_any(user_ids.to_vec()))
        .group_by(xp_entries::user_id)
        .select((xp_entries::user_id, sum(xp_entries::amount)))
        .load(db)?;
    Ok(sums.into_iter().map(|(user_id, sum)| (user_id, sum.unwrap_or(0))).collect())
}

/// As [`totals`], of the local days from one to another.
pub fn between(
    db: &mut Db,
    user_ids: &[i64],
    from: NaiveDate,
    to: NaiveDate,
) -> QueryResult<HashMap<i64, i64>> {
    let sums: Vec<(i64, Option<i64>)> = xp_entries::table
        .filter(xp_entries::user_id.eq_any(user_ids.to_vec()))
        .filter(xp_entries::local_day.between(from, to))
        .group_by(xp_entries::user_id)
        .select((xp_entries::user_id, sum(xp_entries::amount)))
        .load(db)?;
    Ok(sums.into_iter().map(|(user_id, sum)| (user_id, sum.unwrap_or(0))).collect())
}
