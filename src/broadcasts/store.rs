//! Plain reads and writes. Nothing here settles a race.

use super::model::{BROADCAST, BroadcastRow};
use crate::db::Db;
use crate::db::either::OnEither;
use crate::db::instant::{At, Instant};
use crate::schema::{broadcasts, users};
use diesel::dsl::max;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;

/// The highest number of an account.
pub fn last_user_id(db: &mut Db) -> QueryResult<i64> {
    let last: Option<i64> = users::table.select(max(users::id)).first(db)?;
    Ok(last.unwrap_or(0))
}

/// A broadcast.
pub fn find(db: &mut Db, id: i64) -> QueryResult<Option<BroadcastRow>> {
    broadcasts::table.find(id).select(BROADCAST).first(db).optional()
}

/// The broadcast that a key made.
pub fn by_key(db: &mut Db, user_id: i64, key: &str) -> QueryResult<Option<BroadcastRow>> {
    broadcasts::table
        .filter(broadcasts::user_id.eq(user_id))
        .filter(broadcasts::idempotency_key.eq(key))
        .select(BROADCAST)
        .first(db)
        .optional()
}

/// All broadcasts, the latest first, before the one with this number.
pub fn list(db: &mut Db, before: Option<i64>, limit: i64) -> QueryResult<Vec<BroadcastRow>> {
    broadcasts::table
        .filter(broadcasts::id.lt(before.unwrap_or(i64::MAX)))
        .order(broadcasts::id.desc())
        .limit(limit)
        .select(BROADCAST)
        .load(db)
}

/// The number of the account that is so many after another, if there are so many up to the last.
pub fn user_after(db: &mut Db, from: i64, last: i64, count: i64) -> QueryResult<Option<i64>> {
    users::table
        .filter(users::id.gt(from))
        .filter(users::id.le(last))
        .order(users::id)
        // The rows of one batch, from the index: not a page at some depth.
        .offset(count - 1)
        .limit(1)
        .select(users::id)
        .first(db)
        .optional()
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// Which of the accounts above one number, up to another, were active from one instant to another:
/// registered, submitted something or got XP. What was done later does not count, so that the answer
/// is the same however late it is asked.
pub fn active(
    db: &mut Db,
    (after, until): (i64, i64),
    (since, made): (At, At),
) -> QueryResult<Vec<i64>> {
    // The latest of each, from the end of an index.
    let found: Vec<Id> = sql_query(
        "select id from users where id > $1 and id <= $2 and ( \
             created_at >= $3 \
             or (select received_at from submissions \
                 where submissions.user_id = users.id and submissions.deleted_at is null \
                   and received_at <= $4 order by submissions.id desc limit 1) >= $3 \
             or (select xp_entries.created_at from xp_entries \
                 where xp_entries.user_id = users.id and xp_entries.created_at <= $4 \
                 order by xp_entries.id desc limit 1) >= $3) \
         order by id",
    )
    .bind::<BigInt, _>(after)
    .bind::<BigInt, _>(until)
    .bind::<Instant, _>(since)
    .bind::<Instant, _>(made)
    .load_on(db)?;
    Ok(found.into_iter().map(|row| row.id).collect())
}

/// Counts who was told. The caller has moved the cursor in the same transaction, and so holds the row.
pub fn count_told(db: &mut Db, id: i64, told: i64) -> QueryResult<usize> {
    diesel::update(broadcasts::table.find(id))
        .set(broadcasts::told.eq(broadcasts::told + told))
        .execute(db)
}

/// Notes that all were told. The caller has moved the cursor in the same transaction.
pub fn finish(db: &mut Db, id: i64, now: At) -> QueryResult<usize> {
    diesel::update(broadcasts::table.find(id)).set(broadcasts::finished_at.eq(now)).execute(db)
}
