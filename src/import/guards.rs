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

/// How an import goes on that broke off.
#[derive(Clone, Copy, Debug)]
pub struct Restart {
    /// `running`, or `queued` where it goes on in the background.
    pub status: Status,
    /// Its file, where it goes on in the background.
    pub file_id: Option<i64>,
}

/// Goes on with an import that failed, or whose request was to run it and has said nothing since
/// `lapsed`: in another run, behind what the runs before have done. One caller gets the row, the
/// others `None`.
pub fn restart_import(
    db: &mut Db,
    id: i64,
    how: Restart,
    lapsed: At,
    now: At,
) -> QueryResult<Option<ImportRow>> {
    let none: Option<At> = None;
    let no_failure: Option<String> = None;
    let is_abandoned = imports::status
        .eq(Status::Running)
        .and(imports::file_id.is_null())
        .and(imports::touched_at.le(lapsed));
    diesel::update(
        imports::table.find(id).filter(imports::status.eq(Status::Failed).or(is_abandoned)),
    )
    .set((
        imports::status.eq(how.status),
        imports::attempt.eq(imports::attempt + 1),
        imports::touched_at.eq(now),
        imports::finished_at.eq(none),
        imports::file_id.eq(how.file_id),
        imports::failure.eq(no_failure),
    ))
    .returning(IMPORT)
    .get_result(db)
    .optional()
}

/// Begins another run of an import that waits or runs in the background. From then on no earlier
/// run of it can do anything. `None` where it has ended, or is run by its request.
pub fn begin_import(db: &mut Db, id: i64, now: At) -> QueryResult<Option<ImportRow>> {
    diesel::update(
        imports::table
            .find(id)
            .filter(imports::status.eq_any([Status::Queued, Status::Running]))
            .filter(imports::file_id.is_not_null()),
    )
    .set((
        imports::status.eq(Status::Running),
        imports::attempt.eq(imports::attempt + 1),
        imports::touched_at.eq(now),
    ))
    .returning(IMPORT)
    .get_result(db)
    .optional()
}

/// Adds the rows of a batch to an import that is running; with the batch, in its transaction. It
/// says too that the run goes on. False where the import has ended or another run goes on with it.
pub fn advance_import(
    db: &mut Db,
    id: i64,
    attempt: i64,
    done: &Tally,
    now: At,
) -> QueryResult<bool> {
    let advanced = diesel::update(
        imports::table
            .find(id)
            .filter(imports::status.eq(Status::Running))
            .filter(imports::attempt.eq(attempt)),
    )
    .set((
        imports::received.eq(imports::received + done.received),
        imports::imported.eq(imports::imported + done.imported),
        imports::skipped_existing.eq(imports::skipped_existing + done.skipped_existing),
        imports::duplicates_in_batch.eq(imports::duplicates_in_batch + done.duplicates_in_batch),
        imports::ignored.eq(imports::ignored + done.ignored),
        imports::ambiguous.eq(imports::ambiguous + done.ambiguous),
        imports::rejected.eq(imports::rejected + done.rejected),
        imports::touched_at.eq(now),
    ))
    .execute(db)?;
    Ok(advanced == 1)
}

/// Ends an import that is running, by its latest run; `failure` says why it failed. It has no file
/// any more. One caller gets the row, the others `None`.
pub fn finish_import(
    db: &mut Db,
    id: i64,
    attempt: i64,
    status: Status,
    failure: Option<&str>,
    now: At,
) -> QueryResult<Option<ImportRow>> {
    let none: Option<i64> = None;
    diesel::update(
        imports::table
            .find(id)
            .filter(imports::status.eq(Status::Running))
            .filter(imports::attempt.eq(attempt)),
    )
    .set((
        imports::status.eq(status),
        imports::touched_at.eq(now),
        imports::finished_at.eq(now),
        imports::file_id.eq(none),
        imports::failure.eq(failure),
    ))
    .returning(IMPORT)
    .get_result(db)
    .optional()
}
