//! The races of XP. One race class is one [`Guard`], one function, and one test of the same name
//! in `tests/it/races/`.

use super::model::NewEntry;
use crate::db::either::BATCH;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::xp_entries;
use diesel::prelude::*;

/// A reason and a subject bring a user XP once.
pub const AWARD: Guard = Guard {
    name: "xp_entries_user_id_reason_subject_id",
    table: "xp_entries",
    columns: &["user_id", "reason", "subject_id"],
    target: "(user_id, reason, subject_id) where turn = 0",
    predicate: Some(("turn = 0", "(turn = 0)")),
};

/// A review that ceases to count, and counts again, does so once in each turn.
pub const TURN: Guard = Guard {
    name: "xp_entries_user_id_reason_subject_id_turn",
    table: "xp_entries",
    columns: &["user_id", "reason", "subject_id", "turn"],
    target: "(user_id, reason, subject_id, turn) where turn > 0",
    predicate: Some(("turn > 0", "(turn > 0)")),
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[AWARD, TURN];

/// Writes an entry, unless there is one of its reason, subject and turn.
pub fn award_once(db: &mut Db, entry: &NewEntry) -> QueryResult<bool> {
    let guard = if entry.turn == 0 { AWARD } else { TURN };
    let written: Option<i64> = diesel::insert_into(xp_entries::table)
        .values(entry)
        .on_conflict(guard.target())
        .do_nothing()
        .returning(xp_entries::id)
        .get_result_on(db)
        .optional()?;
    Ok(written.is_some())
}

/// Like [`award_once`], for many first awards of one reason: the subjects of those that were written.
pub fn award_all(db: &mut Db, rows: &[NewEntry]) -> QueryResult<Vec<i64>> {
    let mut written = Vec::with_capacity(rows.len());
    for rows in rows.chunks(BATCH) {
        let batch = diesel::insert_into(xp_entries::table)
            .values(rows)
            .on_conflict(AWARD.target())
            .do_nothing()
            .returning(xp_entries::subject_id)
            .get_results_on(db)?;
        written.extend::<Vec<i64>>(batch);
    }
    Ok(written)
}
