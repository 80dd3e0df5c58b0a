//! Plain reads and writes. Nothing here settles a race.

use super::model::{SOLVE_AND_PROBLEM, SolveAndProblem, SolveRow};
use crate::db::Db;
use crate::db::instant::At;
use crate::problems::difficulty::Difficulty;
use crate::problems::identity::Platform;
use crate::schema::{problems, solves};
use chrono::NaiveDate;
use diesel::prelude::*;

/// The solve of a user and a problem.
pub fn of_problem(db: &mut Db, user_id: i64, problem_id: i64) -> QueryResult<Option<SolveRow>> {
    solves::table
        .filter(solves::user_id.eq(user_id))
        .filter(solves::problem_id.eq(problem_id))
        .select(solves::all_columns)
        .first(db)
        .optional()
}

/// Whether a user has any solve.
pub fn has_any(db: &mut Db, user_id: i64) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(solves::table.filter(solves::user_id.eq(user_id))))
        .get_result(db)
}

/// A solve: its problem, its number, when and on which day it began, the import that this is from,
/// and whether it lacks title, difficulty and tags.
pub type Begun = (i64, i64, Option<At>, NaiveDate, Option<i64>, (bool, bool, bool));

/// The solves of a user and these problems.
pub fn of_problems(db: &mut Db, user_id: i64, problem_ids: Vec<i64>) -> QueryResult<Vec<Begun>> {
    solves::table
        .filter(solves::user_id.eq(user_id))
        .filter(solves::problem_id.eq_any(problem_ids))
        .select((
            solves::problem_id,
            solves::id,
            solves::first_solved_at,
            solves::first_day,
            solves::import_id,
            (solves::title.is_null(), solves::difficulty.is_null(), solves::tags.is_null()),
        ))
        .load(db)
}

/// A solve of a user, with its problem.
pub fn get(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<SolveAndProblem>> {
    solves::table
        .inner_join(problems::table)
        .filter(solves::id.eq(id))
        .filter(solves::user_id.eq(user_id))
        .select(SOLVE_AND_PROBLEM)
        .first(db)
        .optional()
}

/// What a list of solves is narrowed to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this platform.
    pub platform: Option<Platform>,
    /// About this.
    pub topic: Option<String>,
    /// Only leeches, or none.
    pub leech: Option<bool>,
    /// Changed at or after this instant.
    pub updated_since: Option<At>,
}

/// The solves of a user, newest first, before the one with this number.
pub fn list(
    db: &mut Db,
    user_id: i64,
    filter: &Filter,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<SolveAndProblem>> {
    let mut query = solves::table
        .inner_join(problems::table)
        .filter(solves::user_id.eq(user_id))
        .filter(solves::id.lt(before.unwrap_or(i64::MAX)))
        .order(solves::id.desc())
        .limit(limit)
        .select(SOLVE_AND_PROBLEM)
        .into_boxed();
    if let Some(platform) = filter.platform {
        query = query.filter(problems::platform.eq(platform));
    }
    if let Some(topic) = &filter.topic {
        query = query.filter(problems::topic.eq(topic));
    }
    if let Some(leech) = filter.leech {
        query = query.filter(solves::leech.eq(leech));
    }
    if let Some(since) = filter.updated_since {
        // A list shows the problem as well.
        query = query.filter(solves::updated_at.ge(since).or(problems::updated_at.ge(since)));
    }
    query.load(db)
}

/// What a user may say of a solve. `None` leaves it as it is.
#[derive(Clone, Debug, Default, AsChangeset)]
#[diesel(table_name = solves)]
pub struct Change {
    /// What they call the problem.
    pub title: Option<Option<String>>,
    /// How hard they find it.
    pub difficulty: Option<Option<Difficulty>>,
    /// What they say it is about, as a JSON array.
    pub tags: Option<Option<String>>,
    /// Their notes.
    pub notes: Option<Option<String>>,
}

/// Writes what a user says of a solve.
pub fn change(db: &mut Db, user_id: i64, id: i64, change: &Change, now: At) -> QueryResult<usize> {
    diesel::update(solves::table.find(id).filter(solves::user_id.eq(user_id)))
        .set((change, solves::updated_at.eq(now)))
        .execute(db)
}

/// Deletes a solve and, by the foreign keys, its schedules.
pub fn delete(db: &mut Db, user_id: i64, id: i64) -> QueryResult<usize> {
    diesel::delete(solves::table.find(id).filter(solves::user_id.eq(user_id))).execute(db)
}
