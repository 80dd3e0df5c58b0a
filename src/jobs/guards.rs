//! The races of the queue. One race class is one [`Guard`] or one conditional update, one function,
//! and one test of the same name in `tests/it/races/`. The database's clock decides in all of them.

use super::model::{Claimed, Held, NewJob, Place, State, Verdict, WaitingJob};
use super::registry::Kinds;
use crate::db::clock::{after, now};
use crate::db::either::{BATCH, OnEither};
use crate::db::instant::{At, Instant};
use crate::db::list::{List, Numbers, Texts};
use crate::db::{Db, guard::Guard};
use crate::schema::{job_ledger, job_ticks, jobs};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Double, Integer, Nullable, Text};
use std::collections::HashSet;

/// An id has its one run for ever.
pub const ONCE: Guard = Guard {
    name: "job_ledger_job_id",
    table: "job_ledger",
    columns: &["job_id"],
    target: "(job_id)",
    predicate: None,
};

/// An id has one run that waits and was never claimed.
pub const WAITING: Guard = Guard {
    name: "jobs_job_id",
    table: "jobs",
    columns: &["job_id"],
    target: "(job_id) where fresh",
    predicate: Some(("fresh", "fresh")),
};

/// A tick of a schedule has its job once.
pub const TICK: Guard = Guard {
    name: "job_ticks_schedule_tick_at",
    table: "job_ticks",
    columns: &["schedule", "tick_at"],
    target: "(schedule, tick_at)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[ONCE, WAITING, TICK];

/// A row, and whether one was written.
#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// Puts a job of mode `once` into the queue. Of all calls with its id, for ever, one gets `true`.
pub fn enqueue_once(db: &mut Db, job: &NewJob<'_>, at: Option<At>) -> QueryResult<bool> {
    let is_first = diesel::insert_into(job_ledger::table)
        .values(job_ledger::job_id.eq(job.job_id))
        .on_conflict(ONCE.target())
        .do_nothing()
        .returning(job_ledger::job_id)
        .get_result_on::<String>(db)
        .optional()?
        .is_some();
    Ok(is_first && insert(db, job, at)?)
}

/// Puts a job of mode `coalesce` into the queue, unless a run of its id waits: that one then starts
/// after the caller's transaction, and sees what it did.
///
/// A plain `DO NOTHING` would lose that on PostgreSQL: the run could start, and end, before the
/// caller commits. So the waiting row is locked, and [`claim_jobs`] passes over what is locked.
pub fn enqueue_coalesced(db: &mut Db, job: &NewJob<'_>, at: Option<At>) -> QueryResult<bool> {
    loop {
        if insert(db, job, at)? {
            return Ok(true);
        }
        // SQLite has one writer: nobody claims before the caller commits.
        let Db::Postgres(conn) = db else { return Ok(false) };
        let waiting = jobs::table
            .filter(jobs::job_id.eq(job.job_id).and(jobs::fresh))
            .select(jobs::id)
            .for_key_share()
            .get_result::<i64>(conn)
            .optional()?;
        if waiting.is_some() {
            return Ok(false);
        }
        // It was claimed in between, and is a run: this event needs one more.
    }
}

/// Like [`enqueue_coalesced`], for many: how many of them are new.
pub fn enqueue_all_coalesced(db: &mut Db, rows: &[WaitingJob]) -> QueryResult<usize> {
    let mut new = 0;
    for rows in rows.chunks(BATCH) {
        let won: Vec<String> = diesel::insert_into(jobs::table)
            .values(rows)
            .on_conflict(WAITING.target())
            .do_nothing()
            .returning(jobs::job_id)
            .get_results_on(db)?;
        new += won.len();
        if won.len() == rows.len() {
            continue;
        }
        let won: HashSet<String> = won.into_iter().collect();
        for row in rows {
            if won.contains(&row.job_id) {
                continue;
            }
            let job = NewJob {
                job_id: &row.job_id,
                kind: row.kind,
                payload: &row.payload,
                mode: row.mode,
                priority: row.priority,
                max_attempts: row.max_attempts,
            };
            new += usize::from(enqueue_coalesced(db, &job, Some(row.run_at))?);
        }
    }
    Ok(new)
}

fn insert(db: &mut Db, job: &NewJob<'_>, at: Option<At>) -> QueryResult<bool> {
    let run_at = sql::<Instant>("coalesce(")
        .bind::<Nullable<Instant>, _>(at)
        .sql(", ")
        .sql(now(db))
        .sql(")");
    diesel::insert_into(jobs::table)
        .values((
            jobs::job_id.eq(job.job_id),
            jobs::kind.eq(job.kind),
            jobs::payload.eq(job.payload),
            jobs::mode.eq(job.mode),
            jobs::priority.eq(job.priority),
            jobs::max_attempts.eq(job.max_attempts),
            jobs::run_at.eq(run_at),
        ))
        .on_conflict(WAITING.target())
        .do_nothing()
        .returning(jobs::id)
        .get_result_on::<i64>(db)
        .optional()
        .map(|row| row.is_some())
}

/// Takes up to `limit` jobs that are due, each with a lease of its own. No two callers get one job,
/// and no job of mode `coalesce` is taken while another run of its id is seen to run, or together with
/// one: beside a run that waits to be tried again there may be a younger one.
///
/// `claim` must be new: the tokens begin with it, so that a claim whose answer was lost can be given
/// back by it.
///
/// With `from`, it looks at the jobs of that priority from that place on, and at no others. PostgreSQL
/// keeps index entries of jobs that have ended, for as long as any transaction that began before
/// their end is open, and a claim from the beginning walks past all of them.
pub fn claim_jobs(
    db: &mut Db,
    kinds: &Kinds,
    claim: &str,
    limit: i64,
    from: Option<Place>,
) -> QueryResult<Vec<Claimed>> {
    let (now, lease) = (now(db), after(db, kinds.lease()));
    let lock = match db {
        Db::Postgres(_) => "for update of jobs skip locked",
        Db::Sqlite(_) => "",
    };
    // SQLite numbers parameters as they appear.
    let (part, limited, named) = match from {
        None => ("", "$1", "$2"),
        Some(_) => ("and priority = $1 and (run_at, id) >= ($2, $3)", "$4", "$5"),
    };
    let statement = format!(
        "with next as materialized ( \
             select id as next_id, job_id as next_job_id, mode as next_mode from jobs \
             where state = 'pending' and run_at <= {now} and kind in ({names}) {part} \
               and (mode = 'once' or not exists ( \
                   select 1 from jobs as other \
                   where other.job_id = jobs.job_id and other.state = 'running')) \
             order by priority desc, run_at, id limit {limited} {lock}) \
         update jobs set state = 'running', fresh = false, attempts = attempts + 1, \
             lease_token = {named} || '-' || id, lease_until = {lease} \
         from next where id = next_id \
           and (mode = 'once' or not exists ( \
               select 1 from next as earlier where earlier.next_mode = 'coalesce' \
                 and earlier.next_job_id = job_id and earlier.next_id < id)) \
         returning id, job_id, kind, payload, attempts, max_attempts, lease_token, priority, \
             run_at",
        names = kinds.names(),
    );
    let statement = sql_query(statement);
    match from {
        None => statement.bind::<BigInt, _>(limit).bind::<Text, _>(claim).load_on(db),
        Some(place) => statement
            .bind::<Integer, _>(place.priority)
            .bind::<Instant, _>(place.run_at)
            .bind::<BigInt, _>(place.id)
            .bind::<BigInt, _>(limit)
            .bind::<Text, _>(claim)
            .load_on(db),
    }
}

/// Gives back what a claim took and nobody started: all of it, whatever its answer would have been.
pub fn release_claim(db: &mut Db, claim: &str) -> QueryResult<usize> {
    let statement = format!(
        "update jobs set {GIVEN_BACK} \
         where state = 'running' and substr(lease_token, 1, length($1)) = $1 returning id"
    );
    sql_query(statement).bind::<Text, _>(claim).load_on::<Id>(db).map(|rows| rows.len())
}

const GIVEN_BACK: &str =
    "state = 'pending', attempts = attempts - 1, lease_token = null, lease_until = null";

/// Gives back what was claimed and not started, or broken off by a stop: pending again, and no attempt.
pub fn release_jobs(db: &mut Db, held: &[Held]) -> QueryResult<usize> {
    on_held(db, held, &format!("update jobs set {GIVEN_BACK}"), "state = 'running'")
        .map(|rows| rows.len())
}

/// Marks as done what these leases still hold, and says which. Twice is as once, so that an
/// acknowledgement whose answer was lost can be sent again.
pub fn complete_jobs(db: &mut Db, held: &[Held]) -> QueryResult<Vec<i64>> {
    let set =
        format!("update jobs set state = 'done', lease_until = null, finished_at = {}", now(db));
    on_held(db, held, &set, "state in ('running', 'done')")
}

#[derive(QueryableByName)]
struct Ended {
    #[diesel(sql_type = Text)]
    state: State,
}

/// Ends a failed attempt: pending again after its wait, or absorbed by the run of its id that waits
/// already, or dead where there is no next attempt, whatever the verdict: an attempt beyond the last
/// cannot be claimed. Where it is now; `None`: the lease is another's.
pub fn fail_attempt(db: &mut Db, held: &Held, verdict: &Verdict) -> QueryResult<Option<State>> {
    let Verdict::Failed { error, wait } = verdict else { return Ok(None) };
    let wait_until = after(db, "$1");
    let statement = format!(
        "update jobs set {}, run_at = case when $1 is null then run_at else {wait_until} end, \
             lease_token = null, lease_until = null, last_error = $2 \
         where id = $3 and lease_token = $4 and state = 'running' returning state",
        ended(db, "($1 is null or attempts >= max_attempts)"),
    );
    let ended = sql_query(statement)
        .bind::<Nullable<Double>, _>(wait)
        .bind::<Text, _>(error)
        .bind::<BigInt, _>(held.id)
        .bind::<Text, _>(&held.token)
        .load_on::<Ended>(db)?;
    Ok(ended.into_iter().next().map(|row| row.state))
}

/// The state of a run that failed, and when it ended.
fn ended(db: &Db, is_last: &str) -> String {
    let absorbed = "mode = 'coalesce' and exists (select 1 from jobs as other \
                    where other.job_id = jobs.job_id and other.fresh)";
    format!(
        "state = case when {absorbed} then 'absorbed' when {is_last} then 'dead' \
             else 'pending' end, \
         finished_at = case when {absorbed} or {is_last} then {} end",
        now(db)
    )
}

/// Lengthens the leases that are still held, and says which those are.
///
/// A row that is locked is just being settled: PostgreSQL passes it over, so that one slow
/// transaction delays nobody's heartbeat, and two updates of many rows cannot deadlock. It counts
/// as held.
pub fn extend_leases(db: &mut Db, kinds: &Kinds, held: &[Held]) -> QueryResult<Vec<i64>> {
    let lease = after(db, kinds.lease());
    if let Db::Postgres(_) = db {
        let statement = format!(
            "with mine as materialized ( \
                 select id as held_id from jobs \
                 where id = any($1) and lease_token = any($2) and state = 'running' \
                 for no key update skip locked) \
             update jobs set lease_until = {lease} from mine where id = held_id"
        );
        on_ids_and_tokens(db, held, statement)?;
    } else {
        let set = format!("update jobs set lease_until = {lease}");
        on_held(db, held, &set, "state = 'running'")?;
    }
    let (ids, tokens) = split(held);
    jobs::table
        .filter(jobs::id.eq_any(ids).and(jobs::lease_token.eq_any(tokens)))
        .filter(jobs::state.eq(State::Running))
        .select(jobs::id)
        .load(db)
}

/// Ends the attempts whose lease has run out, as [`fail_attempt`] does: how many.
///
/// The first time nobody waits: a worker died. What is lost again may be what its workers die of, or
/// only beside that: each waits for a time of its own, up to 10 s, 20 s, … , so that the one does not
/// take the same others with it until all are dead.
pub fn rescue_jobs(db: &mut Db) -> QueryResult<usize> {
    const WHY: &str = "the lease ran out: its worker is gone, or was silent for too long";
    let now = now(db);
    let (lock, random, least) = match db {
        Db::Postgres(_) => ("for update of jobs skip locked", "random()", "least"),
        Db::Sqlite(_) => ("", "(random() & 65535) / 65536.0", "min"),
    };
    let spread = after(db, &format!("10 * {random} * (1 << {least}(attempts - 2, 8))"));
    let statement = format!(
        "with expired as materialized ( \
             select id as expired_id from jobs \
             where state = 'running' and lease_until < {now} {lock}) \
         update jobs set {}, \
             run_at = case when attempts < 2 then {now} else {spread} end, \
             lease_token = null, lease_until = null, last_error = $1 \
         from expired where id = expired_id returning id",
        ended(db, "attempts >= max_attempts"),
    );
    sql_query(statement).bind::<Text, _>(WHY).load_on::<Id>(db).map(|rows| rows.len())
}

/// Stops a job that waits. Of several callers one gets `true`; what runs, or has ended, stays.
pub fn cancel_job(db: &mut Db, id: i64) -> QueryResult<bool> {
    let statement = format!(
        "update jobs set state = 'cancelled', fresh = false, finished_at = {} \
         where id = $1 and state = 'pending' returning id",
        now(db)
    );
    one_row(db, statement, id)
}

/// Gives a job that is dead or was cancelled all its attempts again. Of several callers one gets
/// `true`.
pub fn retry_job(db: &mut Db, id: i64) -> QueryResult<bool> {
    let statement = format!(
        "update jobs set state = 'pending', attempts = 0, finished_at = null, run_at = {} \
         where id = $1 and state in ('dead', 'cancelled') returning id",
        now(db)
    );
    one_row(db, statement, id)
}

/// Records that a tick of a schedule has its job. Of all calls for it, for ever, one gets `true`.
pub fn record_tick(db: &mut Db, schedule: &str, tick: At) -> QueryResult<bool> {
    diesel::insert_into(job_ticks::table)
        .values((job_ticks::schedule.eq(schedule), job_ticks::tick_at.eq(tick)))
        .on_conflict(TICK.target())
        .do_nothing()
        .returning(job_ticks::schedule)
        .get_result_on::<String>(db)
        .optional()
        .map(|row| row.is_some())
}

fn one_row(db: &mut Db, statement: String, id: i64) -> QueryResult<bool> {
    let rows = sql_query(statement).bind::<BigInt, _>(id).load_on::<Id>(db)?;
    Ok(!rows.is_empty())
}

/// Runs `set` on the rows that are held and in the state. A token holds the id of its row, so that
/// no row can match the token of another.
fn on_held(db: &mut Db, held: &[Held], set: &str, state: &str) -> QueryResult<Vec<i64>> {
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let statement = match db {
        Db::Postgres(_) => {
            format!("{set} where id = any($1) and lease_token = any($2) and {state} returning id")
        }
        Db::Sqlite(_) => format!(
            "{set} where id in (select value from json_each($1)) \
             and lease_token in (select value from json_each($2)) and {state} returning id"
        ),
    };
    on_ids_and_tokens(db, held, statement)
}

fn on_ids_and_tokens(db: &mut Db, held: &[Held], statement: String) -> QueryResult<Vec<i64>> {
    let (ids, tokens) = split(held);
    let rows: Vec<Id> = sql_query(statement)
        .bind::<Numbers, _>(List(&ids))
        .bind::<Texts, _>(List(&tokens))
        .load_on(db)?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

fn split(held: &[Held]) -> (Vec<i64>, Vec<&str>) {
    held.iter().map(|held| (held.id, held.token.as_str())).unzip()
}
