//! The races of problems. One race class is one [`Guard`] or one conditional update, one function,
//! and one test of the same name in `tests/it/races/`.

use super::model::{NewKey, NewProblem, PROBLEM, ProblemRow};
use crate::db::either::BATCH;
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::problems::difficulty::Difficulty;
use crate::schema::{problem_keys, problems};
use diesel::prelude::*;

/// A platform has at most one shared problem for each slug.
pub const PROBLEM_IDENTITY: Guard = Guard {
    name: "problems_platform_slug",
    table: "problems",
    columns: &["platform", "slug"],
    target: "(platform, slug) where owner_id is null",
    predicate: Some(("owner_id is null", "(owner_id IS NULL)")),
};

/// A user has at most one problem of their own for each platform and slug.
pub const CUSTOM_IDENTITY: Guard = Guard {
    name: "problems_owner_id_platform_slug",
    table: "problems",
    columns: &["owner_id", "platform", "slug"],
    target: "(owner_id, platform, slug) where owner_id is not null",
    predicate: Some(("owner_id is not null", "(owner_id IS NOT NULL)")),
};

/// A key names at most one problem of a user.
pub const CUSTOM_KEY: Guard = Guard {
    name: "problem_keys_owner_id_idempotency_key",
    table: "problem_keys",
    columns: &["owner_id", "idempotency_key"],
    target: "(owner_id, idempotency_key)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[PROBLEM_IDENTITY, CUSTOM_IDENTITY, CUSTOM_KEY];

/// Creates a shared problem. Of simultaneous calls one wins, and the others get `None`.
pub fn create_problem(db: &mut Db, problem: &NewProblem<'_>) -> QueryResult<Option<ProblemRow>> {
    diesel::insert_into(problems::table)
        .values(problem)
        .on_conflict(PROBLEM_IDENTITY.target())
        .do_nothing()
        .returning(PROBLEM)
        .get_result_on(db)
        .optional()
}

/// Creates a problem of a user's own. Of simultaneous calls with its identity one wins, and the others
/// get `None`.
pub fn create_custom_problem(
    db: &mut Db,
    problem: &NewProblem<'_>,
) -> QueryResult<Option<ProblemRow>> {
    diesel::insert_into(problems::table)
        .values(problem)
        .on_conflict(CUSTOM_IDENTITY.target())
        .do_nothing()
        .returning(PROBLEM)
        .get_result_on(db)
        .optional()
}

/// Lets a key name a problem of its user's own, unless it names one already. Of simultaneous callers
/// with one key one wins.
pub fn keep_problem_key(db: &mut Db, key: &NewKey<'_>) -> QueryResult<bool> {
    let kept = diesel::insert_into(problem_keys::table)
        .values(key)
        .on_conflict(CUSTOM_KEY.target())
        .do_nothing()
        .execute_on(db)?;
    Ok(kept == 1)
}

/// Like [`create_problem`], for many: those that won.
pub fn create_problems(db: &mut Db, rows: &[NewProblem<'_>]) -> QueryResult<Vec<ProblemRow>> {
    let mut won = Vec::with_capacity(rows.len());
    for rows in rows.chunks(BATCH) {
        let batch = diesel::insert_into(problems::table)
            .values(rows)
            .on_conflict(PROBLEM_IDENTITY.target())
            .do_nothing()
            .returning(PROBLEM)
            .get_results_on(db)?;
        won.extend::<Vec<ProblemRow>>(batch);
    }
    Ok(won)
}

/// Like [`create_custom_problem`], for many: those that won.
pub fn create_custom_problems(
    db: &mut Db,
    rows: &[NewProblem<'_>],
) -> QueryResult<Vec<ProblemRow>> {
    let mut won = Vec::with_capacity(rows.len());
    for rows in rows.chunks(BATCH) {
        let batch = diesel::insert_into(problems::table)
            .values(rows)
            .on_conflict(CUSTOM_IDENTITY.target())
            .do_nothing()
            .returning(PROBLEM)
            .get_results_on(db)?;
        won.extend::<Vec<ProblemRow>>(batch);
    }
    Ok(won)
}

/// Sets the topic of a problem that has none. The update is the claim: one caller gets the row,
/// the others `None`.
pub fn set_topic_once(
    db: &mut Db,
    id: i64,
    topic: &str,
    now: At,
) -> QueryResult<Option<ProblemRow>> {
    diesel::update(problems::table.find(id).filter(problems::topic.is_null()))
        .set((
            problems::topic.eq(topic),
            problems::changes.eq(problems::changes + 1),
            problems::updated_at.eq(now),
        ))
        .returning(PROBLEM)
        .get_result(db)
        .optional()
}

/// Gives a shared problem its title, if it has none: one caller gets the row, the others `None`.
pub fn set_title_once(
    db: &mut Db,
    id: i64,
    title: &str,
    now: At,
) -> QueryResult<Option<ProblemRow>> {
    diesel::update(problems::table.find(id).filter(problems::title.is_null()))
        .set((
            problems::title.eq(title),
            problems::changes.eq(problems::changes + 1),
            problems::updated_at.eq(now),
        ))
        .returning(PROBLEM)
        .get_result(db)
        .optional()
}

/// Gives a shared problem its difficulty, if it has none: one caller gets the row, the others
/// `None`.
pub fn set_difficulty_once(
    db: &mut Db,
    id: i64,
    difficulty: Difficulty,
    now: At,
) -> QueryResult<Option<ProblemRow>> {
    diesel::update(problems::table.find(id).filter(problems::difficulty.is_null()))
        .set((
            problems::difficulty.eq(difficulty),
            problems::changes.eq(problems::changes + 1),
            problems::updated_at.eq(now),
        ))
        .returning(PROBLEM)
        .get_result(db)
        .optional()
}
