//! The statements of the queue that settle no race.

use super::model::{Held, JobRow, State};
use super::registry::Kinds;
use crate::db::clock::{after, now};
use crate::db::instant::{At, Instant};
use crate::db::{Db, either::OnEither};
use crate::schema::{job_ticks, jobs};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Double, Nullable, Text};

/// Whether the database answers.
pub fn answers(db: &mut Db) -> QueryResult<()> {
    diesel::select(sql::<diesel::sql_types::Integer>("1")).get_result::<i32>(db).map(drop)
}

/// Whether there is something to claim. It takes no lock: on SQLite only a claim that will find
/// something waits for the writer.
pub fn is_ready(db: &mut Db, kinds: &Kinds) -> QueryResult<bool> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Bool)]
        found: bool,
    }
    let statement = format!(
        "select exists (select 1 from jobs where state = 'pending' and run_at <= {} \
         and kind in ({})) as found",
        now(db),
        kinds.names()
    );
    let rows = sql_query(statement).load_on::<Found>(db)?;
    Ok(rows.iter().any(|row| row.found))
}

/// The present of the database.
pub fn clock(db: &mut Db) -> QueryResult<At> {
    let present = now(db);
    diesel::select(sql::<Instant>(present)).get_result(db)
}

/// The last tick of each schedule that has one.
pub fn last_ticks(db: &mut Db) -> QueryResult<Vec<(String, At)>> {
    job_ticks::table
        .group_by(job_ticks::schedule)
        .select((job_ticks::schedule, diesel::dsl::max(job_ticks::tick_at).assume_not_null()))
        .load(db)
}

/// How many jobs of a kind are in a state, and how late the latest of them is, in seconds.
#[derive(Clone, Debug, PartialEq, QueryableByName)]
pub struct Depth {
    /// The kind.
    #[diesel(sql_type = Text)]
    pub kind: String,
    /// The state.
    #[diesel(sql_type = Text)]
    pub state: State,
    /// How many there are.
    #[diesel(sql_type = BigInt)]
    pub jobs: i64,
    /// When the first of them was or will be due.
    #[diesel(sql_type = Nullable<Instant>)]
    pub first: Option<At>,
}

impl Depth {
    /// For how many seconds the first of them has been due.
    #[must_use]
    pub fn lag(&self, now: At) -> f64 {
        self.first.map_or(0.0, |first| (*now - *first).as_seconds_f64().max(0.0))
    }
}

/// What has not ended well: waits, runs, or is dead.
pub fn depths(db: &mut Db) -> QueryResult<Vec<Depth>> {
    sql_query(
        "select kind, state, count(*) as jobs, min(run_at) as first from jobs \
         where state = 'pending' or state = 'running' or state = 'dead' group by kind, state",
    )
    .load_on(db)
}

/// For how many seconds the job that has been due the longest has waited, if one is due.
///
/// It costs an entry of the index for each priority that waits, however many jobs there are.
pub fn lag(db: &mut Db) -> QueryResult<Option<f64>> {
    #[derive(QueryableByName)]
    struct Oldest {
        #[diesel(sql_type = Nullable<Instant>)]
        oldest: Option<At>,
        #[diesel(sql_type = Instant)]
        present: At,
    }
    let statement = format!(
        "with recursive each (priority) as ( \
             select max(priority) from jobs where state = 'pending' \
             union all \
             select (select max(jobs.priority) from jobs \
                     where state = 'pending' and jobs.priority < each.priority) \
             from each where each.priority is not null) \
         select min((select min(run_at) from jobs \
                     where state = 'pending' and jobs.priority = each.priority)) as oldest, \
             {} as present from each",
        now(db)
    );
    let rows = sql_query(statement).load_on::<Oldest>(db)?;
    let lag = |row: &Oldest| Some((*row.present - *row.oldest?).as_seconds_f64());
    Ok(rows.first().and_then(lag).filter(|lag| *lag >= 0.0))
}

/// When any schedule had its last tick.
pub fn last_tick(db: &mut Db) -> QueryResult<Option<At>> {
    job_ticks::table.select(diesel::dsl::max(job_ticks::tick_at)).first(db)
}

/// Whether a lease holds its job.
pub fn is_held(db: &mut Db, held: &Held) -> QueryResult<bool> {
    let found: Option<i64> = jobs::table
        .find(held.id)
        .filter(jobs::lease_token.eq(&held.token))
        .filter(jobs::state.eq(State::Running))
        .select(jobs::id)
        .first(db)
        .optional()?;
    Ok(found.is_some())
}

/// Whether a run of an id waits, or runs.
pub fn is_open(db: &mut Db, job_id: &str) -> QueryResult<bool> {
    let found: Option<i64> = jobs::table
        .filter(jobs::job_id.eq(job_id))
        .filter(jobs::state.eq_any([State::Pending, State::Running]))
        .select(jobs::id)
        .first(db)
        .optional()?;
    Ok(found.is_some())
}

/// A job by its row.
pub fn find(db: &mut Db, id: i64) -> QueryResult<Option<JobRow>> {
    jobs::table.find(id).select(JobRow::as_select()).first(db).optional()
}

/// Jobs, newest first, older than the row `before`.
pub fn list(
    db: &mut Db,
    state: Option<State>,
    kind: Option<&str>,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<JobRow>> {
    let mut query = jobs::table.select(JobRow::as_select()).order(jobs::id.desc()).into_boxed();
    if let Some(state) = state {
        query = query.filter(jobs::state.eq(state));
    }
    if let Some(kind) = kind {
        query = query.filter(jobs::kind.eq(kind));
    }
    if let Some(before) = before {
        query = query.filter(jobs::id.lt(before));
    }
    query.limit(limit).load(db)
}

/// Takes away up to `limit` jobs that ended more than so many seconds ago. Dead ones stay: they wait
/// for an admin.
pub fn purge(db: &mut Db, age: f64, limit: i64) -> QueryResult<usize> {
    let before = after(db, "-$1");
    sql_query(format!(
        "delete from jobs where id in (select id from jobs \
         where finished_at < {before} and state <> 'dead' order by finished_at limit $2)"
    ))
    .bind::<Double, _>(age)
    .bind::<BigInt, _>(limit)
    .execute_on(db)
}

/// Takes away the ticks that are older than so many seconds, but never the last of a schedule.
pub fn purge_ticks(db: &mut Db, age: f64) -> QueryResult<usize> {
    let before = after(db, "-$1");
    sql_query(format!(
        "delete from job_ticks where tick_at < {before} and exists ( \
         select 1 from job_ticks as later \
         where later.schedule = job_ticks.schedule and later.tick_at > job_ticks.tick_at)"
    ))
    .bind::<Double, _>(age)
    .execute_on(db)
}
