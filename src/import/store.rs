//! Plain reads and writes. Nothing here settles a race.

use super::model::{IMPORT, ImportRow, NewRow, RowReport, Verdict};
use crate::db::Db;
use crate::db::either::{BATCH, OnEither};
use crate::schema::{import_rows, imports};
use diesel::prelude::*;

/// The import that a key made.
pub fn by_key(db: &mut Db, user_id: i64, key: &str) -> QueryResult<Option<ImportRow>> {
    imports::table
        .filter(imports::user_id.eq(user_id))
        .filter(imports::idempotency_key.eq(key))
        .select(IMPORT)
        .first(db)
        .optional()
}

/// An import of a user.
pub fn get(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<ImportRow>> {
    imports::table.find(id).filter(imports::user_id.eq(user_id)).select(IMPORT).first(db).optional()
}

/// The imports of a user, newest first, before the one with this number.
pub fn list(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<ImportRow>> {
    imports::table
        .filter(imports::user_id.eq(user_id))
        .filter(imports::id.lt(before.unwrap_or(i64::MAX)))
        .order(imports::id.desc())
        .limit(limit)
        .select(IMPORT)
        .load(db)
}

/// The rows of an import, in the order of the file, after the one with this number.
pub fn rows(
    db: &mut Db,
    import_id: i64,
    verdict: Option<Verdict>,
    after: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<RowReport>> {
    let mut query = import_rows::table
        .filter(import_rows::import_id.eq(import_id))
        .filter(import_rows::row_number.gt(after.unwrap_or(0)))
        .order(import_rows::row_number)
        .limit(limit)
        .select((
            import_rows::row_number,
            import_rows::line,
            import_rows::verdict,
            import_rows::reason,
            import_rows::note,
            import_rows::problem_id,
        ))
        .into_boxed();
    if let Some(verdict) = verdict {
        query = query.filter(import_rows::verdict.eq(verdict));
    }
    query.load(db)
}

/// What is told of those of these rows that are done.
pub fn told(db: &mut Db, import_id: i64, numbers: &[i64]) -> QueryResult<Vec<RowReport>> {
    import_rows::table
        .filter(import_rows::import_id.eq(import_id))
        .filter(import_rows::row_number.eq_any(numbers))
        .select((
            import_rows::row_number,
            import_rows::line,
            import_rows::verdict,
            import_rows::reason,
            import_rows::note,
            import_rows::problem_id,
        ))
        .load(db)
}

/// Writes what became of rows.
pub fn record(db: &mut Db, rows: &[NewRow<'_>]) -> QueryResult<()> {
    for rows in rows.chunks(BATCH) {
        diesel::insert_into(import_rows::table).values(rows).execute_batch_on(db)?;
    }
    Ok(())
}
