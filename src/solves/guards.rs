//! The races of solves. One race class is one [`Guard`] or one lock, one function, and one test of
//! the same name in `tests/it/races/`.

use super::Said;
use super::model::{NewSolve, SolveRow, stored_tags};
use crate::db::either::BATCH;
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::solves;
use diesel::prelude::*;

/// A user solves a problem for the first time once.
pub const FIRST_SOLVE: Guard = Guard {
    name: "solves_user_id_problem_id",
    table: "solves",
    columns: &["user_id", "problem_id"],
    target: "(user_id, problem_id)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[FIRST_SOLVE];

/// Records a first solve. Of simultaneous calls one wins, and the others get `None`.
pub fn first_solve(db: &mut Db, solve: &NewSolve<'_>) -> QueryResult<Option<SolveRow>> {
    diesel::insert_into(solves::table)
        .values(solve)
        .on_conflict(FIRST_SOLVE.target())
        .do_nothing()
        .returning(solves::all_columns)
        .get_result_on(db)
        .optional()
}

/// Waits for everybody who is writing to a log of the user's, and lets nobody begin to until the
/// transaction ends. Returns how many logs there are.
pub fn hold_solves(db: &mut Db, user_id: i64) -> QueryResult<usize> {
    let all =
        solves::table.filter(solves::user_id.eq(user_id)).order(solves::id).select(solves::id);
    match db {
        // In their order, as whoever opens several logs does.
        Db::Postgres(conn) => all.for_update().load::<i64>(conn).map(|held| held.len()),
        // The transaction is the lock.
        Db::Sqlite(conn) => all.load::<i64>(conn).map(|held| held.len()),
    }
}

/// A solve that an import made: its id and its problem.
pub type Made = (i64, i64);

/// Like [`first_solve`], for many that an import brings: those that won.
pub fn first_solves(
    db: &mut Db,
    rows: Vec<NewSolve<'_>>,
    import_id: i64,
) -> QueryResult<Vec<Made>> {
    let mut won = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter();
    loop {
        let part: Vec<_> =
            rows.by_ref().take(BATCH).map(|row| (row, solves::import_id.eq(import_id))).collect();
        if part.is_empty() {
            return Ok(won);
        }
        let batch = diesel::insert_into(solves::table)
            .values(part)
            .on_conflict(FIRST_SOLVE.target())
            .do_nothing()
            .returning((solves::id, solves::problem_id))
            .get_results_on(db)?;
        won.extend::<Vec<Made>>(batch);
    }
}

/// Keeps with a solve what a client says of its problem, as far as nobody has said it: of several
/// callers one is heard on each point. Returns how many points this one was heard on.
pub fn say_once(db: &mut Db, id: i64, said: &Said, now: At) -> QueryResult<usize> {
    let mut heard = 0;
    if let Some(title) = &said.title {
        heard += diesel::update(solves::table.find(id).filter(solves::title.is_null()))
            .set((solves::title.eq(title), solves::updated_at.eq(now)))
            .execute(db)?;
    }
    if let Some(difficulty) = said.difficulty {
        heard += diesel::update(solves::table.find(id).filter(solves::difficulty.is_null()))
            .set((solves::difficulty.eq(difficulty), solves::updated_at.eq(now)))
            .execute(db)?;
    }
    if let Some(tags) = &said.tags {
        heard += diesel::update(solves::table.find(id).filter(solves::tags.is_null()))
            .set((solves::tags.eq(stored_tags(tags)), solves::updated_at.eq(now)))
            .execute(db)?;
    }
    Ok(heard)
}
