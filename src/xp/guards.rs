//! The races of XP. One race class is one [`Guard`], one function, and one test of the same name
//! in `tests/it/races/`.

use super::model::NewEntry;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::xp_entries;
use diesel::prelude::*;

/// A reason and a subject bring a user XP once.
pub const AWARD: Guard = Guard {
    name: "xp_entries_user_id_reason_subject_id",
    table: "xp_entries",
    columns: &["user_id", "reason", "subject_id"],
    target: "(user_id, reason, subject_id)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[AWARD];

/// Writes an entry, unless there is one of its reason and subject.
pub fn award_once(db: &mut Db, entry: &NewEntry) -> QueryResult<bool> {
    let written = diesel::insert_into(xp_entries::table)
        .values(entry)
        .on_conflict(AWARD.target())
        .do_nothing()
        .execute_on(db)?;
    Ok(written == 1)
}
