//! Plain reads and writes. Nothing here settles a race.

use super::feed::{MOST_EVENTS, View};
use super::model::{FEED, FeedRow, SHOWN, Shown, State, Tally};
use crate::db::Db;
use crate::pauses;
use crate::preferences::model::{PREFERENCES, PreferenceRow};
use crate::revisions::fuzz::LAST_DAY;
use crate::revisions::hidden::IS_SHOWN;
use crate::schema::{calendar_feeds, calendar_retired_tokens, problems, revisions, solves, users};
use chrono::NaiveDate;
use diesel::dsl::{count_star, exists, max, sql, sum};
use diesel::prelude::*;
use diesel::sql_types::Bool;

/// The states of a revision that a feed shows. They stand in the statements as they are, since a
/// partial index is not found through a parameter.
const PENDING: &str = "revisions.state = 'pending'";
const COMPLETED: &str = "revisions.state = 'completed'";

/// The feed of an account.
pub fn of_user(db: &mut Db, user_id: i64) -> QueryResult<Option<FeedRow>> {
    calendar_feeds::table
        .filter(calendar_feeds::user_id.eq(user_id))
        .select(FEED)
        .first(db)
        .optional()
}

/// A feed, and what its owner prefers.
pub fn with_preferences(db: &mut Db, id: i64) -> QueryResult<Option<(FeedRow, PreferenceRow)>> {
    calendar_feeds::table
        .inner_join(users::table.on(users::id.eq(calendar_feeds::user_id)))
        .filter(calendar_feeds::id.eq(id))
        .select((FEED, PREFERENCES))
        .first(db)
        .optional()
}

/// Remembers that a token was valid once.
pub fn retire(db: &mut Db, feed_id: i64, token_hash: &str) -> QueryResult<usize> {
    diesel::insert_into(calendar_retired_tokens::table)
        .values((
            calendar_retired_tokens::feed_id.eq(feed_id),
            calendar_retired_tokens::token_hash.eq(token_hash),
        ))
        .execute(db)
}

/// Whether a token was valid once.
pub fn is_retired(db: &mut Db, feed_id: i64, token_hash: &str) -> QueryResult<bool> {
    diesel::select(exists(calendar_retired_tokens::table.find((feed_id, token_hash))))
        .get_result(db)
}

/// Counts and adds up all revisions of a user, from an index alone.
fn tally(db: &mut Db, user_id: i64) -> QueryResult<Tally> {
    revisions::table
        .filter(revisions::user_id.eq(user_id))
        .select((
            count_star(),
            max(revisions::id),
            sum(revisions::sequence),
            max(revisions::updated_at),
        ))
        .first(db)
}

/// All that a user's feed is made from, counted and added up. What it costs grows with what the user
/// has solved, not with the users of a problem.
pub fn state(db: &mut Db, user_id: i64, today: NaiveDate) -> QueryResult<State> {
    let changes: Option<i64> = solves::table
        .inner_join(problems::table)
        .filter(solves::user_id.eq(user_id))
        .select(sum(problems::changes))
        .first(db)?;
    Ok(State {
        revisions: tally(db, user_id)?,
        problem_changes: changes.unwrap_or(0),
        paused: pauses::days_between(db, user_id, today, LAST_DAY)?,
    })
}

/// What a feed shows: what is pending, unless a pause hides it, and what was completed lately. Of either
/// not more than fits into a document, the nearest to the present day first.
pub fn shown(db: &mut Db, user_id: i64, view: &View, is_paused: bool) -> QueryResult<Vec<Shown>> {
    let mut rows: Vec<Shown> = upcoming(db, user_id, view)?;
    if !is_paused {
        rows.extend(overdue(db, user_id, view)?);
    }
    rows.extend(completed(db, user_id, view)?);
    Ok(rows)
}

fn upcoming(db: &mut Db, user_id: i64, view: &View) -> QueryResult<Vec<Shown>> {
    revisions::table
        .inner_join(solves::table.inner_join(problems::table))
        .filter(revisions::user_id.eq(user_id))
        .filter(sql::<Bool>(PENDING))
        .filter(revisions::due_on.ge(view.today))
        .filter(sql::<Bool>(IS_SHOWN))
        .order((revisions::due_on, revisions::id))
        .limit(MOST_EVENTS)
        .select(SHOWN)
        .load(db)
}

fn overdue(db: &mut Db, user_id: i64, view: &View) -> QueryResult<Vec<Shown>> {
    revisions::table
        .inner_join(solves::table.inner_join(problems::table))
        .filter(revisions::user_id.eq(user_id))
        .filter(sql::<Bool>(PENDING))
        .filter(revisions::due_on.lt(view.today))
        .order((revisions::due_on.desc(), revisions::id.desc()))
        .limit(MOST_EVENTS)
        .select(SHOWN)
        .load(db)
}

fn completed(db: &mut Db, user_id: i64, view: &View) -> QueryResult<Vec<Shown>> {
    revisions::table
        .inner_join(solves::table.inner_join(problems::table))
        .filter(revisions::user_id.eq(user_id))
        .filter(sql::<Bool>(COMPLETED))
        .filter(revisions::completed_on.ge(view.completed_since()))
        .order((revisions::completed_on.desc(), revisions::id.desc()))
        .limit(MOST_EVENTS)
        .select(SHOWN)
        .load(db)
}
