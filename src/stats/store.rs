//! Plain reads. Nothing here settles a race.

use super::model::Counts;
use crate::db::Db;
use crate::problems::difficulty::Difficulty;
use crate::problems::identity::Platform;
use crate::revisions::hidden::IS_SHOWN;
use crate::revisions::log::Kind;
use crate::revisions::model::State;
use crate::revisions::rating::Rating;
use crate::schema::{problems, reviews, revisions, solves, submissions};
use chrono::NaiveDate;
use diesel::dsl::{count_star, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;

/// How many solves a user has of one kind.
#[derive(Clone, Debug, Queryable)]
pub struct OfKind {
    /// Where the problems are from.
    pub platform: Platform,
    /// What they are about.
    pub topic: Option<String>,
    /// How hard they are said to be.
    pub difficulty: Option<Difficulty>,
    /// How hard the user finds them.
    pub own_difficulty: Option<Difficulty>,
    /// How many.
    pub solves: i64,
}

/// The solves of a user by platform, topic and difficulty.
pub fn solves_by_kind(db: &mut Db, user_id: i64) -> QueryResult<Vec<OfKind>> {
    solves::table
        .inner_join(problems::table)
        .filter(solves::user_id.eq(user_id))
        .group_by((problems::platform, problems::topic, problems::difficulty, solves::difficulty))
        .select((
            problems::platform,
            problems::topic,
            problems::difficulty,
            solves::difficulty,
            count_star(),
        ))
        .load(db)
}

/// How many there are of everything; nothing is due where the day is paused.
pub fn counts(db: &mut Db, user_id: i64, today: NaiveDate, is_paused: bool) -> QueryResult<Counts> {
    let all = solves::table.filter(solves::user_id.eq(user_id));
    let kept = submissions::table
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::deleted_at.is_null());
    let pending = revisions::table
        .filter(revisions::user_id.eq(user_id))
        .filter(revisions::state.eq(State::Pending));
    let (due, overdue) = if is_paused {
        (0, 0)
    } else {
        (
            pending.filter(revisions::due_on.le(today)).count().get_result(db)?,
            pending.filter(revisions::due_on.lt(today)).count().get_result(db)?,
        )
    };
    let upcoming = pending.filter(revisions::due_on.gt(today)).filter(sql::<Bool>(IS_SHOWN));
    Ok(Counts {
        solves: all.count().get_result(db)?,
        submissions: kept.count().get_result(db)?,
        untriaged: kept.filter(submissions::triaged_at.is_null()).count().get_result(db)?,
        reviews: reviews::table
            .filter(reviews::user_id.eq(user_id))
            .filter(reviews::moves_schedule)
            .filter(reviews::undone_at.is_null())
            .count()
            .get_result(db)?,
        due,
        overdue,
        upcoming: upcoming.count().get_result(db)?,
        leeches: all.filter(solves::leech).count().get_result(db)?,
        suspended: all.filter(solves::suspended).count().get_result(db)?,
    })
}

/// Solves by their local day, those of which the time is known.
pub fn solves_by_day(
    db: &mut Db,
    user_id: i64,
    from: NaiveDate,
    to: NaiveDate,
) -> QueryResult<Vec<(NaiveDate, i64)>> {
    solves::table
        .filter(solves::user_id.eq(user_id))
        .filter(solves::first_solved_at.is_not_null())
        .filter(solves::first_day.between(from, to))
        .group_by(solves::first_day)
        .select((solves::first_day, count_star()))
        .load(db)
}

/// Reviews that moved a schedule, by their local day.
pub fn reviews_by_day(
    db: &mut Db,
    user_id: i64,
    from: NaiveDate,
    to: NaiveDate,
) -> QueryResult<Vec<(NaiveDate, i64)>> {
    reviews::table
        .filter(reviews::user_id.eq(user_id))
        .filter(reviews::moves_schedule)
        .filter(reviews::undone_at.is_null())
        .filter(reviews::local_day.between(from, to))
        .group_by(reviews::local_day)
        .select((reviews::local_day, count_star()))
        .load(db)
}

/// Submissions by their local day.
pub fn submissions_by_day(
    db: &mut Db,
    user_id: i64,
    from: NaiveDate,
    to: NaiveDate,
) -> QueryResult<Vec<(NaiveDate, i64)>> {
    let rows: Vec<(Option<NaiveDate>, i64)> = submissions::table
        .filter(submissions::user_id.eq(user_id))
        .filter(submissions::deleted_at.is_null())
        .filter(submissions::happened_at.is_not_null())
        .filter(submissions::local_day.between(from, to))
        .group_by(submissions::local_day)
        .select((submissions::local_day, count_star()))
        .load(db)?;
    Ok(rows.into_iter().filter_map(|(day, count)| Some((day?, count))).collect())
}

/// Reviews that moved an adaptive schedule, by rating.
pub fn reviews_by_rating(
    db: &mut Db,
    user_id: i64,
    since: Option<NaiveDate>,
) -> QueryResult<Vec<(Rating, i64)>> {
    let mut query = reviews::table
        .filter(reviews::user_id.eq(user_id))
        .filter(reviews::kind.eq(Kind::Adaptive))
        .filter(reviews::moves_schedule)
        .filter(reviews::undone_at.is_null())
        .group_by(reviews::rating)
        .select((reviews::rating, count_star()))
        .into_boxed();
    if let Some(since) = since {
        query = query.filter(reviews::local_day.ge(since));
    }
    query.load(db)
}

/// Pending revisions by due date, up to `last`.
pub fn due_by_day(
    db: &mut Db,
    user_id: i64,
    last: NaiveDate,
) -> QueryResult<Vec<(NaiveDate, i64)>> {
    revisions::table
        .filter(revisions::user_id.eq(user_id))
        .filter(revisions::state.eq(State::Pending))
        .filter(revisions::due_on.le(last))
        .group_by(revisions::due_on)
        .select((revisions::due_on, count_star()))
        .load(db)
}
