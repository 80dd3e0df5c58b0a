//! The races of notifications. One race class is one [`Guard`], one function, and one test of the
//! same name in `tests/it/races/`.

use super::model::NewNotification;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::notifications;
use diesel::prelude::*;

/// A user is told of a cause once.
pub const TOLD: Guard = Guard {
    name: "notifications_user_id_dedup_key",
    table: "notifications",
    columns: &["user_id", "dedup_key"],
    target: "(user_id, dedup_key)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[TOLD];

/// Writes a notification, unless its user was told. Returns its number where it was written.
pub fn notify_once(db: &mut Db, notification: &NewNotification<'_>) -> QueryResult<Option<i64>> {
    diesel::insert_into(notifications::table)
        .values(notification)
        .on_conflict(TOLD.target())
        .do_nothing()
        .returning(notifications::id)
        .get_result_on(db)
        .optional()
}
