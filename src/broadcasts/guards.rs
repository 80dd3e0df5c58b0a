//! The races of broadcasts. One race class is one [`Guard`] or one conditional update, one function,
//! and one test of the same name in `tests/it/races/`.

use super::model::{BROADCAST, BroadcastRow, NewBroadcast};
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::broadcasts;
use diesel::prelude::*;

/// A key makes at most one broadcast of an admin.
pub const BROADCAST_KEY: Guard = Guard {
    name: "broadcasts_user_id_idempotency_key",
    table: "broadcasts",
    columns: &["user_id", "idempotency_key"],
    target: "(user_id, idempotency_key) where idempotency_key is not null",
    predicate: Some(("idempotency_key is not null", "(idempotency_key IS NOT NULL)")),
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[BROADCAST_KEY];

/// Makes a broadcast, unless its key has made one: then `None`.
pub fn create_broadcast(
    db: &mut Db,
    broadcast: &NewBroadcast<'_>,
) -> QueryResult<Option<BroadcastRow>> {
    diesel::insert_into(broadcasts::table)
        .values(broadcast)
        .on_conflict(BROADCAST_KEY.target())
        .do_nothing()
        .returning(BROADCAST)
        .get_result_on(db)
        .optional()
}

/// Moves the walk over the users from where the caller saw it: of several runners one does, and tells
/// those in between in the same transaction.
pub fn advance_broadcast(db: &mut Db, id: i64, from: i64, to: i64, now: At) -> QueryResult<bool> {
    let moved =
        diesel::update(broadcasts::table.find(id).filter(broadcasts::cursor_user_id.eq(from)))
            .set((broadcasts::cursor_user_id.eq(to), broadcasts::updated_at.eq(now)))
            .execute(db)?;
    Ok(moved == 1)
}
