//! The races of imports. One race class is one [`Guard`] or one conditional update, one function,
//! and one test of the same name in `tests/it/races/`.

use super::model::{IMPORT, ImportRow, NewImport, Status, Tally};
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::imports;
use diesel::prelude::*;

/// A key of a user names one import for ever.
pub const IMPORT_KEY: Guard = Guard {
    name: "imports_user_id_idempotency_key",
    table: "imports",
    columns: &["user_id", "idempotency_key"],
    target: "(user_id, idempotency_key) where idempotency_key is not null",
    predicate: Some(("idempotency_key is not null", "(idempotency_key IS NOT NULL)")),
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[IMPORT_KEY];

/// Creates an import. Of simultaneous calls with one key one wins, and the others get `None`.
pub fn create_import(db: &mut Db, import: &NewImport) -> QueryResult<Option<ImportRow>> {
    diesel::insert_into(imports::table)
        .values(import)
        .on_conflict(IMPORT_KEY.target())
        .do_nothing()
        .returning(IMPORT)
        .get_result_on(db)
        .optional()
}

/// Starts an import that failed once more, with nothing done. One caller gets the row, the others
/// `None`.
pub fn restart_import(db: &mut Db, id: i64, now: At) -> QueryResult<Option<ImportRow>> {
    let none: Option<At> = None;
    diesel::update(imports::table.find(id).filter(imports::status.eq(Status::Failed)))
        .set((
            imports::status.eq(Status::Running),
            imports::received.eq(0),
            imports::imported.eq(0),
            imports::skipped_existing.eq(0),
            imports::duplicates_in_batch.eq(0),
            imports::ignored.eq(0),
            imports::ambiguous.eq(0),
            imports::rejected.eq(0),
            imports::created_at.eq(now),
            imports::finished_at.eq(none),
        ))
        .returning(IMPORT)
        .get_result(db)
        .optional()
}

/// Adds the rows of a batch to an import that is running; with the batch, in its transaction. False
/// where it is not running any more.
pub fn advance_import(db: &mut Db, id: i64, done: &Tally) -> QueryResult<bool> {
    let advanced =
        diesel::update(imports::table.find(id).filter(imports::status.eq(Status::Running)))
            .set((
                imports::received.eq(imports::received + done.received),
                imports::imported.eq(imports::imported + done.imported),
                imports::skipped_existing.eq(imports::skipped_existing + done.skipped_existing),
                imports::duplicates_in_batch
                    .eq(imports::duplicates_in_batch + done.duplicates_in_batch),
                imports::ignored.eq(imports::ignored + done.ignored),
                imports::ambiguous.eq(imports::ambiguous + done.ambiguous),
                imports::rejected.eq(imports::rejected + done.rejected),
            ))
            .execute(db)?;
    Ok(advanced == 1)
}

/// Ends an import that is running. One caller gets the row, the others `None`.
pub fn finish_import(
    db: &mut Db,
    id: i64,
    status: Status,
    now: At,
) -> QueryResult<Option<ImportRow>> {
    diesel::update(imports::table.find(id).filter(imports::status.eq(Status::Running)))
        .set((imports::status.eq(status), imports::finished_at.eq(now)))
        .returning(IMPORT)
        .get_result(db)
        .optional()
}
