//! The queue of background jobs: an apalis backend over a table of our own, so that a job is
//! enqueued in the transaction of its cause.
//!
//! What is always true: a job that was enqueued runs, and its effect exists once, whatever process
//! dies. [`enqueue`] is what domains call. [`registry`] is the list of kinds with their handlers,
//! [`backend`] is what apalis polls, [`keeper`] holds the leases, [`ack`] settles each attempt,
//! [`schedule`] makes jobs of ticks. `docs/architecture.md` draws it.

pub mod ack;
pub mod backend;
pub mod backoff;
pub mod guards;
pub mod keeper;
pub mod lease;
pub mod model;
pub mod purge;
pub mod registry;
pub mod routes;
pub mod schedule;
pub mod store;
pub mod tally;
pub mod worker;

use crate::db::instant::At;
use crate::db::pool::PoolError;
use crate::db::tx::Stopped;
use crate::db::{Db, news};
use diesel::QueryResult;
use model::{JobRow, Mode, NewJob, State, WaitingJob};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;

/// One kind of job, and what its rows carry.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name of the kind: `a-z` and `-`.
    const KIND: &'static str;
    /// What an id means.
    const MODE: Mode;
    /// The higher goes first.
    const PRIORITY: i32 = 0;
    /// Attempts before the job is dead.
    const MAX_ATTEMPTS: i32 = 10;
    /// How long a worker may be silent before another takes the job.
    const LEASE: Duration = Duration::from_mins(2);
    /// How long one attempt may take.
    const TIMEOUT: Duration = Duration::from_mins(10);

    /// What names the job among all jobs. It begins with the kind, so that no two kinds share one.
    fn id(&self) -> String;
}

/// Why an attempt did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// A statement failed.
    #[error(transparent)]
    Database(#[from] diesel::result::Error),
    /// The work did not reach the database.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// Another worker may have the job by now.
    #[error("the lease is not this worker's any more")]
    Stale,
    /// The row is not what the kind carries.
    #[error("the payload cannot be read: {0}")]
    Payload(#[from] serde_json::Error),
    /// The attempt took longer than its kind may.
    #[error("it took longer than {0:?}")]
    TimedOut(Duration),
    /// Somebody else asked to wait.
    #[error("{why}")]
    Later {
        /// For how long.
        wait: Duration,
        /// In the words of the log.
        why: String,
    },
    /// The handler says why.
    #[error("{0}")]
    Because(String),
}

impl<Reason: Into<Self>> From<Stopped<Reason>> for Failed {
    fn from(stopped: Stopped<Reason>) -> Self {
        match stopped {
            Stopped::Because(reason) => reason.into(),
            Stopped::Database(error) => Self::Database(error),
            Stopped::Pool(error) => Self::Pool(error),
        }
    }
}

impl From<std::convert::Infallible> for Failed {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

/// Puts a job into the queue, in the caller's transaction, and wakes a worker of this process once
/// that has committed. `false`: the id is taken, as its [`Mode`] says.
///
/// # Errors
/// When the database fails.
pub fn enqueue<J: Job>(db: &mut Db, job: &J) -> QueryResult<bool> {
    enqueue_at(db, job, None)
}

/// As [`enqueue`], to run no earlier than an instant.
///
/// # Errors
/// When the database fails.
pub fn enqueue_at<J: Job>(db: &mut Db, job: &J, at: Option<At>) -> QueryResult<bool> {
    let payload = payload(job)?;
    let id = job.id();
    let new = NewJob {
        job_id: &id,
        kind: J::KIND,
        payload: &payload,
        mode: J::MODE,
        priority: J::PRIORITY,
        max_attempts: J::MAX_ATTEMPTS,
    };
    let is_new = match J::MODE {
        Mode::Once => guards::enqueue_once(db, &new, at)?,
        Mode::Coalesce => guards::enqueue_coalesced(db, &new, at)?,
    };
    // A run that waits was locked until the commit, so that claims have passed over it.
    if is_new || J::MODE == Mode::Coalesce {
        news::leave();
    }
    Ok(is_new)
}

/// Puts many jobs into the queue, as [`enqueue`] does one: how many of them are new. Those of mode
/// `coalesce` go in together.
///
/// # Errors
/// When the database fails.
pub fn enqueue_all<J: Job>(db: &mut Db, all: &[J]) -> QueryResult<usize> {
    if all.is_empty() {
        return Ok(0);
    }
    if J::MODE == Mode::Once {
        return all.iter().try_fold(0, |new, job| Ok(new + usize::from(enqueue(db, job)?)));
    }
    let run_at = store::clock(db)?;
    let row = |job: &J| {
        Ok(WaitingJob {
            job_id: job.id(),
            kind: J::KIND,
            payload: payload(job)?,
            mode: J::MODE,
            priority: J::PRIORITY,
            max_attempts: J::MAX_ATTEMPTS,
            run_at,
        })
    };
    let rows: Vec<WaitingJob> = all.iter().map(row).collect::<QueryResult<_>>()?;
    let new = guards::enqueue_all_coalesced(db, &rows)?;
    news::leave();
    Ok(new)
}

fn payload<J: Job>(job: &J) -> QueryResult<String> {
    serde_json::to_string(job)
        .map_err(|error| diesel::result::Error::SerializationError(Box::new(error)))
}

/// As [`enqueue`], to run no earlier than after `wait`, by the clock of the database.
///
/// # Errors
/// When the database fails.
pub fn enqueue_after<J: Job>(db: &mut Db, job: &J, wait: Duration) -> QueryResult<bool> {
    let now = store::clock(db)?;
    enqueue_at(db, job, Some((*now + wait).into()))
}

/// Whether a job waits, or runs.
///
/// # Errors
/// When the database fails.
pub fn is_open<J: Job>(db: &mut Db, job: &J) -> QueryResult<bool> {
    store::is_open(db, &job.id())
}

/// Within how many seconds a worker anywhere has kept a tick: some schedule has one each minute.
const SEEN: f64 = 150.0;

/// How the queue is served, by whichever process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Whether a worker is there: one that lives keeps the ticks of the schedules.
    pub has_worker: bool,
    /// For how many seconds the job that has been due the longest has waited; 0 where none is due.
    pub lag: f64,
}

/// How the queue is served now.
///
/// # Errors
/// When the database fails.
pub fn standing(db: &mut Db) -> QueryResult<Standing> {
    let now = store::clock(db)?;
    let tick = store::last_tick(db)?;
    let is_recent = |tick: At| (*now - *tick).as_seconds_f64() < SEEN;
    Ok(Standing {
        has_worker: tick.is_some_and(is_recent),
        lag: store::lag(db)?.unwrap_or_default(),
    })
}

/// What became of an admin's wish.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// It was done: the job as it is now.
    Granted(JobRow),
    /// The state of the job does not allow it.
    Refused(JobRow),
}

/// Gives a job that is dead, or was cancelled, all its attempts again. `None`: there is no such job.
///
/// # Errors
/// When the database fails.
pub fn retry(db: &mut Db, id: i64) -> QueryResult<Option<Wish>> {
    let is_revived = guards::retry_job(db, id)?;
    if is_revived {
        news::leave();
    }
    wish(db, id, is_revived)
}

/// Stops a job that waits. `None`: there is no such job.
///
/// # Errors
/// When the database fails.
pub fn cancel(db: &mut Db, id: i64) -> QueryResult<Option<Wish>> {
    let is_stopped = guards::cancel_job(db, id)?;
    wish(db, id, is_stopped)
}

fn wish(db: &mut Db, id: i64, is_granted: bool) -> QueryResult<Option<Wish>> {
    let job = store::find(db, id)?;
    Ok(job.map(|job| if is_granted { Wish::Granted(job) } else { Wish::Refused(job) }))
}

/// A job by its row.
///
/// # Errors
/// When the database fails.
pub fn find(db: &mut Db, id: i64) -> QueryResult<Option<JobRow>> {
    store::find(db, id)
}

/// Jobs of a state and of a kind, newest first, older than the row `before`.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    state: Option<State>,
    kind: Option<&str>,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<JobRow>> {
    store::list(db, state, kind, before, limit)
}

/// What has not ended well, and the present by which it is late.
///
/// # Errors
/// When the database fails.
pub fn depths(db: &mut Db) -> QueryResult<(Vec<store::Depth>, At)> {
    Ok((store::depths(db)?, store::clock(db)?))
}
