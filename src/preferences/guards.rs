//! The races of preferences. One race class is one [`Guard`] or one lock, one function, and one test
//! of the same name in `tests/it/races/`.

use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::{scheduler_settings, users};
use diesel::prelude::*;

/// Equal settings of a user are kept once, so that they have one number.
pub const SETTINGS_CONTENT: Guard = Guard {
    name: "scheduler_settings_user_id_content",
    table: "scheduler_settings",
    columns: &["user_id", "content"],
    target: "(user_id, content)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[SETTINGS_CONTENT];

/// Keeps settings, unless they are kept already: then `None`.
pub fn keep_settings(db: &mut Db, user_id: i64, content: &str) -> QueryResult<Option<i64>> {
    diesel::insert_into(scheduler_settings::table)
        .values((scheduler_settings::user_id.eq(user_id), scheduler_settings::content.eq(content)))
        .on_conflict(SETTINGS_CONTENT.target())
        .do_nothing()
        .returning(scheduler_settings::id)
        .get_result_on(db)
        .optional()
}

/// Keeps what a user prefers as it is until the transaction ends, for whoever is about to change it.
/// `false` where there is no such user.
pub fn hold_preferences(db: &mut Db, user_id: i64, now: At) -> QueryResult<bool> {
    // A write that changes nothing else takes the lock on both databases.
    let held =
        diesel::update(users::table.find(user_id)).set(users::updated_at.eq(now)).execute(db)?;
    Ok(held == 1)
}
