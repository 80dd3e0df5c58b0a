//! The race of digests: one conditional update, one function, and one test of the same name in
//! `tests/it/races/`.

use crate::db::Db;
use crate::db::guard::Guard;
use crate::db::instant::At;
use crate::schema::users;
use diesel::prelude::*;

/// The guards of this module: none is a constraint.
pub const GUARDS: &[Guard] = &[];

/// Takes the turn of a user's digest, where it is still `seen`, and moves it to `later`. One caller
/// does, and nobody changes what the user prefers until its transaction ends.
pub fn claim_digest(db: &mut Db, user_id: i64, seen: Option<At>, later: At) -> QueryResult<bool> {
    let turn = users::digest_due_at.eq(later);
    let claimed = match seen {
        Some(seen) => {
            diesel::update(users::table.find(user_id).filter(users::digest_due_at.eq(seen)))
                .set(turn)
                .execute(db)?
        }
        None => diesel::update(users::table.find(user_id).filter(users::digest_due_at.is_null()))
            .set(turn)
            .execute(db)?,
    };
    Ok(claimed == 1)
}
