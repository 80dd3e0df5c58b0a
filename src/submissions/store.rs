//! Plain reads and writes. Nothing here settles a race.

use super::model::{SubmissionRow, Verdict};
use crate::db::Db;
use crate::db::instant::At;
use crate::problems::identity::Identity;
use crate::problems::model::{PROBLEM, ProblemRow};
use crate::revisions::rating::Rating;
use crate::schema::{problems, submissions};
use chrono::{NaiveDate, TimeDelta};
use diesel::prelude::*;

/// The row of a key: a submission, or a further key of one.
pub fn by_key(db: &mut Db, user_id: i64, key: &str) -> QueryResult<Option<SubmissionRow>> {
    submissions::table
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::idempotency_key.eq(key))
        .select(submissions::all_columns)
        .first(db)
        .optional()
}

/// The shared problem of an identity, and the row of a key, whatever that was for, in one statement. `None` where there is no such problem; then of the submission nothing is known.
pub fn by_key_with_problem(
    db: &mut Db,
    user_id: i64,
    key: &str,
    identity: &Identity,
) -> QueryResult<Option<(ProblemRow, Option<SubmissionRow>)>> {
    let of_key = submissions::user_id.eq(user_id).and(submissions::idempotency_key.eq(key));
    problems::table
        .left_join(submissions::table.on(of_key))
        .filter(problems::platform.eq(identity.platform))
        .filter(problems::slug.eq(&identity.slug))
        .filter(problems::owner_id.is_null())
        .select((PROBLEM, submissions::all_columns.nullable()))
        .first(db)
        .optional()
}

/// The submission of a judge's number.
pub fn by_number(
    db: &mut Db,
    user_id: i64,
    judge: &str,
    external_id: &str,
) -> QueryResult<Option<SubmissionRow>> {
    submissions::table
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::judge.eq(judge))
        .filter(submissions::external_id.eq(external_id))
        .select(submissions::all_columns)
        .first(db)
        .optional()
}

/// The accepted submission of a solve that was handed in at an instant.
pub fn accepted_at(db: &mut Db, solve_id: i64, at: At) -> QueryResult<Option<i64>> {
    submissions::table
        .filter(submissions::solve_id.eq(solve_id))
        .filter(submissions::happened_at.eq(at))
        .filter(submissions::verdict.eq(Verdict::Accepted))
        .order(submissions::id)
        .select(submissions::id)
        .first(db)
        .optional()
}

/// Whether a problem was solved by a user on a local day, as far as it was submitted here.
pub fn accepted_on(
    db: &mut Db,
    user_id: i64,
    problem_id: i64,
    day: NaiveDate,
) -> QueryResult<bool> {
    let accepted = submissions::table
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::problem_id.eq(problem_id))
        .filter(submissions::verdict.eq(Verdict::Accepted))
        .filter(submissions::local_day.eq(day));
    diesel::select(diesel::dsl::exists(accepted)).get_result(db)
}

/// What of a submission its judge's number tells.
#[derive(Clone, Debug, Queryable)]
pub struct Numbered {
    /// The number.
    pub external_id: Option<String>,
    /// The submission that it names.
    pub id: i64,
    /// What the judge said.
    pub verdict: Option<Verdict>,
    /// When it was handed in.
    pub happened_at: Option<At>,
    /// How it was rated.
    pub rating: Option<Rating>,
    /// When it was triaged.
    pub triaged_at: Option<At>,
    /// When it was deleted.
    pub deleted_at: Option<At>,
}

/// The submissions of these numbers of a judge.
pub fn by_numbers(
    db: &mut Db,
    user_id: i64,
    judge: &str,
    numbers: Vec<&str>,
) -> QueryResult<Vec<Numbered>> {
    submissions::table
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::judge.eq(judge))
        .filter(submissions::external_id.eq_any(numbers))
        .select((
            submissions::external_id,
            submissions::id,
            submissions::verdict,
            submissions::happened_at,
            submissions::rating,
            submissions::triaged_at,
            submissions::deleted_at,
        ))
        .load(db)
}

/// A submission that another may be the same as: its problem, its number, its language and when it
/// was handed in.
pub type Like = (Option<i64>, i64, Option<String>, Option<At>);

/// The accepted submissions for these problems that a judge other than this one numbered, or none.
pub fn likes(
    db: &mut Db,
    user_id: i64,
    problem_ids: Vec<i64>,
    judge: &str,
) -> QueryResult<Vec<Like>> {
    submissions::table
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::problem_id.eq_any(problem_ids))
        .filter(submissions::deleted_at.is_null())
        .filter(submissions::verdict.eq(Verdict::Accepted))
        .filter(submissions::external_id.is_null().or(submissions::judge.ne(judge)))
        .select((
            submissions::problem_id,
            submissions::id,
            submissions::language,
            submissions::happened_at,
        ))
        .load(db)
}

/// Whether a user has any submission, deleted ones too.
pub fn has_any(db: &mut Db, user_id: i64) -> QueryResult<bool> {
    let any = submissions::table.filter(submissions::user_id.eq(user_id));
    diesel::select(diesel::dsl::exists(any)).get_result(db)
}

/// Whether a user has any submission that a judge other than this one numbered, or none.
pub fn has_unlike(db: &mut Db, user_id: i64, judge: &str) -> QueryResult<bool> {
    let unlike = submissions::table
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::deleted_at.is_null())
        .filter(submissions::external_id.is_null().or(submissions::judge.ne(judge)));
    diesel::select(diesel::dsl::exists(unlike)).get_result(db)
}

/// A submission of a user; what is left of it, where it is deleted.
pub fn get(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<SubmissionRow>> {
    submissions::table
        .find(id)
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::key_of.is_null())
        .select(submissions::all_columns)
        .first(db)
        .optional()
}

/// What a list of submissions is narrowed to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// Only those that wait for triage.
    pub untriaged: bool,
    /// Changed at or after this instant.
    pub updated_since: Option<At>,
}

/// The submissions of a user, newest first, before the one with this number.
pub fn list(
    db: &mut Db,
    user_id: i64,
    filter: Filter,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<(SubmissionRow, ProblemRow)>> {
    let mut query = submissions::table
        .inner_join(problems::table)
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::deleted_at.is_null())
        .filter(submissions::id.lt(before.unwrap_or(i64::MAX)))
        .order(submissions::id.desc())
        .limit(limit)
        .select((submissions::all_columns, PROBLEM))
        .into_boxed();
    if filter.untriaged {
        query = query.filter(submissions::triaged_at.is_null());
    }
    if let Some(since) = filter.updated_since {
        query = query.filter(submissions::updated_at.ge(since));
    }
    query.load(db)
}

/// How near in time two submissions must be to be likely the same.
pub(super) const NEAR: TimeDelta = TimeDelta::seconds(120);

/// What a new submission is compared by.
#[derive(Clone, Copy, Debug)]
pub struct Likeness<'a> {
    /// Whose it is.
    pub user_id: i64,
    /// What it was for.
    pub problem_id: i64,
    /// What the judge said.
    pub verdict: Verdict,
    /// The programming language.
    pub language: Option<&'a str>,
    /// When it was handed in.
    pub happened_at: At,
    /// The site whose number it has, if it has one.
    pub numbered_by: Option<&'a str>,
}

/// An earlier submission that a new one is likely the same as. Two that the same judge has numbered
/// are two, however alike.
pub fn likely_duplicate(db: &mut Db, like: Likeness<'_>) -> QueryResult<Option<i64>> {
    let (from, until) = (*like.happened_at - NEAR, *like.happened_at + NEAR);
    let mut query = submissions::table
        .filter(submissions::user_id.eq(like.user_id))
        .filter(submissions::problem_id.eq(like.problem_id))
        .filter(submissions::deleted_at.is_null())
        .filter(submissions::verdict.eq(like.verdict))
        .filter(submissions::happened_at.ge(At::from(from)))
        .filter(submissions::happened_at.le(At::from(until)))
        .order(submissions::id.desc())
        .select(submissions::id)
        .into_boxed();
    query = match like.language {
        Some(language) => query.filter(submissions::language.eq(language)),
        None => query.filter(submissions::language.is_null()),
    };
    if let Some(judge) = like.numbered_by {
        query = query.filter(submissions::external_id.is_null().or(submissions::judge.ne(judge)));
    }
    query.first(db).optional()
}

/// Writes what triage says of a submission: a rating, notes, or both.
pub fn describe(
    db: &mut Db,
    id: i64,
    rating: Option<Rating>,
    notes: Option<&str>,
) -> QueryResult<SubmissionRow> {
    #[derive(AsChangeset)]
    #[diesel(table_name = submissions)]
    struct Said<'a> {
        rating: Option<Rating>,
        notes: Option<&'a str>,
    }
    diesel::update(submissions::table.find(id))
        .set(Said { rating, notes })
        .returning(submissions::all_columns)
        .get_result(db)
}
