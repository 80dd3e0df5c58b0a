//! Plain reads and writes. Nothing here settles a race.

use super::model::{IMPORT, ImportRow, NewRow, RowReport, Verdict};
use crate::db::Db;
use crate::db::either::{BATCH, OnEither};
use crate::db::instant::At;
use crate::schema::{import_chunks, import_files, import_rows, imports};
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

/// A file that waits in the database.
#[derive(Clone, Debug, Queryable)]
pub struct FileRow {
    /// Whose it is.
    pub user_id: i64,
    /// How it is to be read, as JSON.
    pub options: String,
    /// Bytes of its chunks.
    pub size: i64,
}

/// Makes room for the chunks of a file: its number.
pub fn begin_file(db: &mut Db, user_id: i64, options: &str, now: At) -> QueryResult<i64> {
    diesel::insert_into(import_files::table)
        .values((
            import_files::user_id.eq(user_id),
            import_files::options.eq(options),
            import_files::size.eq(0),
            import_files::created_at.eq(now),
            import_files::touched_at.eq(now),
        ))
        .returning(import_files::id)
        .get_result_on(db)
}

/// Says that a file is coming, and that it has so many bytes more. False where it is gone.
pub fn grow_file(db: &mut Db, id: i64, bytes: i64, now: At) -> QueryResult<bool> {
    let grown = diesel::update(import_files::table.find(id))
        .set((import_files::size.eq(import_files::size + bytes), import_files::touched_at.eq(now)))
        .execute(db)?;
    Ok(grown == 1)
}

/// Adds a chunk to a file.
pub fn add_chunk(db: &mut Db, file_id: i64, number: i64, content: &[u8]) -> QueryResult<()> {
    diesel::insert_into(import_chunks::table)
        .values((
            import_chunks::file_id.eq(file_id),
            import_chunks::number.eq(number),
            import_chunks::content.eq(content),
        ))
        .execute(db)
        .map(drop)
}

/// A file that waits.
pub fn file(db: &mut Db, id: i64) -> QueryResult<Option<FileRow>> {
    import_files::table
        .find(id)
        .select((import_files::user_id, import_files::options, import_files::size))
        .first(db)
        .optional()
}

/// A chunk of a file.
pub fn chunk(db: &mut Db, file_id: i64, number: i64) -> QueryResult<Option<Vec<u8>>> {
    import_chunks::table.find((file_id, number)).select(import_chunks::content).first(db).optional()
}

/// Bytes of all files that wait, together.
pub fn bytes_that_wait(db: &mut Db) -> QueryResult<i64> {
    let sizes: Vec<i64> = import_files::table.select(import_files::size).load(db)?;
    Ok(sizes.into_iter().fold(0, i64::saturating_add))
}

/// Takes away a file that no import has.
pub fn delete_file(db: &mut Db, id: i64) -> QueryResult<usize> {
    let imports = imports::table.filter(imports::file_id.eq(id)).select(imports::id);
    diesel::delete(
        import_files::table.find(id).filter(diesel::dsl::not(diesel::dsl::exists(imports))),
    )
    .execute(db)
}

/// Files that no import has and that have not grown since then.
pub fn left_files(db: &mut Db, since: At) -> QueryResult<Vec<i64>> {
    import_files::table
        .left_join(imports::table.on(imports::file_id.eq(import_files::id.nullable())))
        .filter(imports::id.is_null())
        .filter(import_files::touched_at.lt(since))
        .select(import_files::id)
        .load(db)
}

/// Imports that wait or run in the background, the oldest first, after the one with this number.
pub fn in_background(db: &mut Db, after: i64, limit: i64) -> QueryResult<Vec<i64>> {
    imports::table
        .filter(imports::file_id.is_not_null())
        .filter(imports::id.gt(after))
        .order(imports::id)
        .limit(limit)
        .select(imports::id)
        .load(db)
}

/// Whether there is such an import.
pub fn is_there(db: &mut Db, id: i64) -> QueryResult<bool> {
    let found: Option<i64> = imports::table.find(id).select(imports::id).first(db).optional()?;
    Ok(found.is_some())
}
