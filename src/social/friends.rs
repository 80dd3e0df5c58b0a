//! Friends: who they are, and how it ends.

use super::model::PairRow;
use super::{guards, in_order, store};
use crate::db::Db;
use crate::db::instant::At;
use diesel::QueryResult;

/// The friends of a user, the latest acquaintance first, before the pair with this number.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<PairRow>> {
    store::friends(db, user_id, before, limit)
}

/// Ends a friendship and its streak; where there is none, nothing changes. Returns whether this call
/// ended it.
///
/// # Errors
/// When the database fails.
pub fn end(db: &mut Db, user_id: i64, other_id: i64, now: At) -> QueryResult<bool> {
    let Some(pair) = store::pair(db, in_order(user_id, other_id))? else {
        return Ok(false);
    };
    if !guards::part(db, pair.id, now)? {
        return Ok(false);
    }
    store::drop_streak(db, pair.user1_id, pair.user2_id)?;
    Ok(true)
}
