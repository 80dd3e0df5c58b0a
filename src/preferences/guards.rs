//! The races of preferences.

use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::scheduler_settings;
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
