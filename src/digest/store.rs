//! Plain reads and writes. Nothing here settles a race.

use crate::db::Db;
use crate::db::instant::At;
use crate::schema::users;
use diesel::prelude::*;

/// A user, and when their turn is; none where nobody has said.
pub type Turn = (i64, Option<At>);

/// Up to `most` users whose turn has come at `now`, but for some: first those of whom nobody has said
/// when.
pub fn turns(db: &mut Db, now: At, most: i64, without: &[i64]) -> QueryResult<Vec<Turn>> {
    let columns = (users::id, users::digest_due_at);
    let unsaid: Vec<Turn> = users::table
        .filter(users::digest_due_at.is_null())
        .filter(users::id.ne_all(without))
        .order(users::id)
        .limit(most)
        .select(columns)
        .load(db)?;
    if !unsaid.is_empty() {
        return Ok(unsaid);
    }
    users::table
        .filter(users::digest_due_at.le(now))
        .filter(users::id.ne_all(without))
        .order((users::digest_due_at, users::id))
        .limit(most)
        .select(columns)
        .load(db)
}

/// Says when the turn of a user is next.
pub fn set_next(db: &mut Db, user_id: i64, next: At) -> QueryResult<usize> {
    diesel::update(users::table.find(user_id)).set(users::digest_due_at.eq(next)).execute(db)
}
