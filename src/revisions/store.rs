//! Plain reads and writes. Nothing here settles a race.

use super::model::{
    Cause, Derived, ENTRY, EntryRow, NewEntry, ReviewRow, RevisionRow, START, Start,
};
use super::rating::Rating;
use crate::db::Db;
use crate::db::either::{BATCH, OnEither};
use crate::db::instant::At;
use crate::schema::{reviews, revisions, schedule_entries, scheduler_settings, solves};
use chrono::NaiveDate;
use diesel::dsl::{count_star, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;

/// What is pending. It stands in the statements as it is, since a partial index is not found through a
/// parameter.
pub(super) const PENDING: &str = "revisions.state = 'pending'";

/// A revision of a user.
pub fn revision(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<RevisionRow>> {
    revisions::table
        .find(id)
        .filter(revisions::user_id.eq(user_id))
        .select(revisions::all_columns)
        .first(db)
        .optional()
}

/// A review of a user.
pub fn review(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<ReviewRow>> {
    reviews::table
        .find(id)
        .filter(reviews::user_id.eq(user_id))
        .select(reviews::all_columns)
        .first(db)
        .optional()
}

/// How a user's solve begins.
pub fn start(db: &mut Db, user_id: i64, solve_id: i64) -> QueryResult<Option<Start>> {
    solves::table
        .find(solve_id)
        .filter(solves::user_id.eq(user_id))
        .select(START)
        .first(db)
        .optional()
}

/// The revisions of a solve, in the order of their numbers.
pub fn revisions_of(db: &mut Db, solve_id: i64) -> QueryResult<Vec<RevisionRow>> {
    revisions::table
        .filter(revisions::solve_id.eq(solve_id))
        .order((revisions::kind, revisions::revision_number))
        .select(revisions::all_columns)
        .load(db)
}

/// The reviews of a solve, the oldest first.
pub fn reviews_of(db: &mut Db, solve_id: i64) -> QueryResult<Vec<ReviewRow>> {
    reviews::table
        .filter(reviews::solve_id.eq(solve_id))
        .order((reviews::happened_at, reviews::seq))
        .select(reviews::all_columns)
        .load(db)
}

/// The entries of a solve's log beside its reviews.
pub fn entries_of(db: &mut Db, solve_id: i64) -> QueryResult<Vec<EntryRow>> {
    schedule_entries::table
        .filter(schedule_entries::solve_id.eq(solve_id))
        .order(schedule_entries::seq)
        .select(ENTRY)
        .load(db)
}

/// These settings of a user, as text.
pub fn settings_of(db: &mut Db, user_id: i64, ids: Vec<i64>) -> QueryResult<Vec<(i64, String)>> {
    scheduler_settings::table
        .filter(scheduler_settings::user_id.eq(user_id))
        .filter(scheduler_settings::id.eq_any(ids))
        .select((scheduler_settings::id, scheduler_settings::content))
        .load(db)
}

/// Writes to the log.
pub fn note(db: &mut Db, entry: &NewEntry) -> QueryResult<EntryRow> {
    diesel::insert_into(schedule_entries::table).values(entry).returning(ENTRY).get_result_on(db)
}

/// Writes many entries to logs.
pub fn note_all(db: &mut Db, entries: &[NewEntry]) -> QueryResult<()> {
    for entries in entries.chunks(BATCH) {
        diesel::insert_into(schedule_entries::table).values(entries).execute_batch_on(db)?;
    }
    Ok(())
}

/// When these solves were reviewed, submissions that complete nothing left out.
pub fn reviewed_at(db: &mut Db, solve_ids: &[i64]) -> QueryResult<Vec<(i64, At)>> {
    reviews::table
        .filter(reviews::solve_id.eq_any(solve_ids.to_vec()))
        .filter(reviews::moves_schedule.or(reviews::cause.ne(Cause::Solved)))
        .select((reviews::solve_id, reviews::happened_at))
        .load(db)
}

/// Writes how often a log was opened.
pub fn set_version(db: &mut Db, solve_id: i64, version: i64) -> QueryResult<usize> {
    diesel::update(solves::table.find(solve_id)).set(solves::version.eq(version)).execute(db)
}

/// Writes what follows from the log.
pub fn rewrite(db: &mut Db, id: i64, derived: &Derived, now: At) -> QueryResult<RevisionRow> {
    diesel::update(revisions::table.find(id))
        .set((
            derived,
            revisions::sequence.eq(revisions::sequence + 1),
            revisions::updated_at.eq(now),
        ))
        .returning(revisions::all_columns)
        .get_result_on(db)
}

/// Ties a review to the revision that it completes.
pub fn tie(db: &mut Db, review_id: i64, revision_id: i64, now: At) -> QueryResult<usize> {
    diesel::update(reviews::table.find(review_id))
        .set((
            reviews::revision_id.eq(revision_id),
            reviews::moves_schedule.eq(true),
            reviews::updated_at.eq(now),
        ))
        .execute(db)
}

/// Lets a review complete nothing.
pub fn move_nothing(db: &mut Db, review_id: i64, now: At) -> QueryResult<usize> {
    diesel::update(reviews::table.find(review_id))
        .set((
            reviews::revision_id.eq(None::<i64>),
            reviews::moves_schedule.eq(false),
            reviews::updated_at.eq(now),
        ))
        .execute(db)
}

/// Ties reviews to the submission that they came with.
pub fn tie_to_submission(db: &mut Db, ids: &[i64], submission_id: i64) -> QueryResult<usize> {
    diesel::update(reviews::table.filter(reviews::id.eq_any(ids.to_vec())))
        .set(reviews::submission_id.eq(submission_id))
        .execute(db)
}

/// Corrects the rating of a review.
pub fn rate(db: &mut Db, review_id: i64, rating: Rating, now: At) -> QueryResult<ReviewRow> {
    diesel::update(reviews::table.find(review_id))
        .set((
            reviews::rating.eq(rating),
            reviews::rating_source.eq(super::GIVEN),
            reviews::updated_at.eq(now),
        ))
        .returning(reviews::all_columns)
        .get_result(db)
}

/// Rates a first solve.
pub fn rate_first(db: &mut Db, solve_id: i64, rating: Rating) -> QueryResult<usize> {
    diesel::update(solves::table.find(solve_id))
        .set((solves::rating.eq(rating), solves::rating_source.eq(super::GIVEN)))
        .execute(db)
}

/// Writes what of a solve follows from its schedules.
pub fn mark(db: &mut Db, solve_id: i64, lapses: i32, leech: bool) -> QueryResult<usize> {
    diesel::update(solves::table.find(solve_id))
        .set((solves::lapses.eq(lapses), solves::leech.eq(leech)))
        .execute(db)
}

/// Suspends a solve, or resumes it.
pub fn suspend(db: &mut Db, solve_id: i64, suspended: bool) -> QueryResult<usize> {
    diesel::update(solves::table.find(solve_id)).set(solves::suspended.eq(suspended)).execute(db)
}

/// Writes how a solve began.
pub fn begin_with(db: &mut Db, solve_id: i64, first: &super::FirstSolve) -> QueryResult<usize> {
    diesel::update(solves::table.find(solve_id))
        .set((
            solves::first_solved_at.eq(first.at),
            solves::first_day.eq(first.day),
            solves::time_precision.eq(&first.precision),
            solves::rating.eq(first.rating),
            solves::rating_source.eq(&first.rating_source),
            solves::import_id.eq(first.import_id),
        ))
        .execute(db)
}

/// How many revisions of a user are pending on each of the days from `from` to `until`.
pub fn load_between(
    db: &mut Db,
    user_id: i64,
    from: NaiveDate,
    until: NaiveDate,
) -> QueryResult<Vec<(NaiveDate, i64)>> {
    revisions::table
        .filter(revisions::user_id.eq(user_id))
        .filter(sql::<Bool>(PENDING))
        .filter(revisions::due_on.between(from, until))
        .group_by(revisions::due_on)
        .select((revisions::due_on, count_star()))
        .load(db)
}

/// How many revisions of a user are due on `today`, and how many of them were due before.
pub fn due_counts(db: &mut Db, user_id: i64, today: NaiveDate) -> QueryResult<(i64, i64)> {
    let due = || {
        revisions::table
            .filter(revisions::user_id.eq(user_id))
            .filter(sql::<Bool>(PENDING))
            .filter(revisions::due_on.le(today))
    };
    let all = due().count().get_result(db)?;
    Ok((all, due().filter(revisions::due_on.lt(today)).count().get_result(db)?))
}

/// A pending revision: its number, its solve and when it is due.
pub type Overdue = (i64, i64, NaiveDate);

/// What of a user was due before `today`, by due date and number, after the one with these.
pub fn overdue(
    db: &mut Db,
    user_id: i64,
    today: NaiveDate,
    after: (NaiveDate, i64),
    limit: i64,
) -> QueryResult<Vec<Overdue>> {
    let (due_on, id) = after;
    revisions::table
        .filter(revisions::user_id.eq(user_id))
        .filter(sql::<Bool>(PENDING))
        .filter(revisions::due_on.lt(today))
        // Alone it is where a database begins to read its index.
        .filter(revisions::due_on.ge(due_on))
        .filter(revisions::due_on.gt(due_on).or(revisions::id.gt(id)))
        .order((revisions::due_on, revisions::id))
        .limit(limit)
        .select((revisions::id, revisions::solve_id, revisions::due_on))
        .load(db)
}

/// The solves of a user that have a pending revision, after the one with this number.
pub fn solves_with_pending(
    db: &mut Db,
    user_id: i64,
    after: i64,
    limit: i64,
) -> QueryResult<Vec<i64>> {
    revisions::table
        .filter(revisions::user_id.eq(user_id))
        .filter(sql::<Bool>(PENDING))
        .filter(revisions::solve_id.gt(after))
        .select(revisions::solve_id)
        .distinct()
        .order(revisions::solve_id)
        .limit(limit)
        .load(db)
}

/// Lets the calendar know that a solve is shown otherwise.
pub fn touch_of_solve(db: &mut Db, solve_id: i64, now: At) -> QueryResult<usize> {
    diesel::update(revisions::table.filter(revisions::solve_id.eq(solve_id)))
        .set((revisions::sequence.eq(revisions::sequence + 1), revisions::updated_at.eq(now)))
        .execute(db)
}
