//! Sending what is due: claim, send, mark.
//!
//! What is always true: what is claimed is sent by one worker at a time, as long as that one is not
//! silent for longer than [`LEASE`]; how an attempt ended is written down only by whoever still holds
//! its lease. What was sent by a worker that died before it wrote that down is sent again: no sender
//! can know more than that.

use super::channels::{self, End, Sending};
use super::model::{Channel, Outcome, Parcel};
use super::{guards, store};
use crate::app::App;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::pool::Pool;
use crate::db::tx::Work;
use crate::jobs::backoff::backoff;
use crate::jobs::lease::Lease;
use crate::jobs::{Failed, Job, enqueue};
use crate::preferences;
use apalis_core::worker::context::WorkerContext;
use diesel::QueryResult;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use uuid::Uuid;

/// How long a worker may be silent before another sends what it had claimed.
pub const LEASE: Duration = Duration::from_mins(2);

/// How long one attempt may take, whatever the channel.
pub const ATTEMPT: Duration = Duration::from_mins(1);

/// How long a look at the database may take within an attempt.
pub(super) const LOOK: Duration = Duration::from_secs(10);

/// What is left of a lease when an attempt that took as long as it may is marked. An attempt does not
/// begin later, either.
const MARKING: Duration = Duration::from_secs(30);

const _: () = assert!(
    LOOK.as_secs() + ATTEMPT.as_secs() + MARKING.as_secs() < LEASE.as_secs(),
    "an attempt that takes as long as it may ends within its lease"
);

/// Attempts before a delivery is dead.
pub const MOST_ATTEMPTS: i32 = 10;

/// How much of its wait a failed attempt waits beyond it, at most.
const SPREAD: f64 = 0.2;

/// The longest wait that somebody who takes messages can ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(6);

/// How long it is before somebody who found nothing due looks again, while something is on its way.
const AGAIN: Duration = Duration::from_millis(500);

/// After so long a run ends, and another goes on.
const RUN: Duration = Duration::from_mins(5);

/// What its user is told of a database that does not answer.
pub(super) const AWAY: &str = "the database is away";

/// Characters of an error that are kept.
const LONGEST_ERROR: usize = 500;

/// Sends all that is due through a channel, as the job of that channel.
///
/// # Errors
/// When the database fails: what was claimed is settled before, as far as it can be.
pub(super) async fn drain<J: Job + Copy>(
    channel: Channel,
    job: J,
    app: &App,
    lease: &Lease,
    worker: &WorkerContext,
) -> Result<(), Failed> {
    let at_once = channels::at_once(channel);
    let began = Instant::now();
    let mut next_look = began;
    // Tasks of their own, which go on while this one waits for a claim: each may have its turn at the
    // database. They end with this future.
    let mut running = JoinSet::new();
    let mut failure = None;
    let is_cut_short = loop {
        let stops = lease.is_lost() || worker.is_shutting_down() || began.elapsed() >= RUN;
        let looks =
            running.len() <= at_once / 2 && (running.is_empty() || Instant::now() >= next_look);
        if looks && !stops && failure.is_none() {
            let wanted = at_once - running.len();
            // Before the lease begins: whoever is stopped in between believes it shorter, not longer.
            let claimed_at = Instant::now();
            match claim(&app.pool, channel, wanted).await {
                Ok(parcels) => {
                    if parcels.len() < wanted {
                        next_look = Instant::now() + AGAIN;
                    }
                    for parcel in parcels {
                        running.spawn(deliver(app.clone(), channel, parcel, claimed_at));
                    }
                }
                Err(error) => failure = Some(error),
            }
        }
        if running.is_empty() {
            break stops;
        }
        tokio::select! {
            Some(ended) = running.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "an attempt to deliver did not end");
                }
            }
            () = tokio::time::sleep(AGAIN) => {}
        }
    };
    if let Some(error) = failure {
        return Err(error);
    }
    lease
        .finish(&app.pool, move |db| {
            if is_cut_short {
                enqueue(db, &job)?;
            }
            Ok(())
        })
        .await
}

/// Claims up to so many deliveries, with all that their sender must know.
async fn claim(pool: &Pool, channel: Channel, wanted: usize) -> Result<Vec<Parcel>, Failed> {
    let limit = i64::try_from(wanted).unwrap_or(i64::MAX);
    let claimed: Work<Vec<Parcel>> = pool
        .read_then_write(
            move |db| {
                Ok(if store::is_due(db, channel)? {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(Vec::new())
                })
            },
            move |db, ()| {
                // A transaction that begins again claims anew.
                let claim = Uuid::new_v4().simple().to_string();
                let claimed = guards::claim_deliveries(db, channel, &claim, LEASE, limit)?;
                Ok(store::parcels(db, claimed)?)
            },
        )
        .await;
    Ok(claimed?)
}

/// One attempt, and its mark.
async fn deliver(app: App, channel: Channel, parcel: Parcel, claimed_at: Instant) {
    // Whoever was stopped in between begins nothing that another may be at.
    if claimed_at.elapsed() + LOOK + ATTEMPT + MARKING > LEASE {
        return;
    }
    let (outcome, sending) = attempt(&app, channel, &parcel).await;
    let (held, ended, now) = (parcel.held, outcome.clone(), app.clock.now());
    let settled = insist(&app.pool, claimed_at, move |db| {
        // What has arrived has arrived, whoever holds the delivery by now.
        for device in &sending.receipts {
            guards::record_receipt(db, held.id, *device, now)?;
        }
        for (device, seen) in &sending.gone {
            guards::drop_subscription(db, *device, *seen)?;
        }
        guards::settle_delivery(db, &held, &ended)
    })
    .await;
    match settled {
        Some(true) => app.deliveries.count(channel, &outcome),
        Some(false) => app.deliveries.count_stale(channel),
        None => tracing::warn!(?outcome, "nobody could write down how a delivery ended"),
    }
}

async fn attempt(app: &App, channel: Channel, parcel: &Parcel) -> (Outcome, Sending) {
    let nothing = Sending::from(End::Arrived);
    if parcel.attempt > MOST_ATTEMPTS {
        let error = "the worker of the last attempt is gone".to_owned();
        return (Outcome::Failed { error, wait: None }, nothing);
    }
    let now = app.clock.now();
    if let Some(over) = parcel.hours.and_then(|hours| hours.over_at(*now)) {
        return (Outcome::Deferred((over - *now).as_seconds_f64()), nothing);
    }
    match is_paused(app, parcel.user_id, now).await {
        Ok(false) => {}
        // It is in the list; whoever is on vacation is not to come back to a heap of old messages.
        Ok(true) => return (Outcome::Skipped("the user's day is paused"), nothing),
        Err(error) => return (failed(parcel, &error, None), nothing),
    }
    let sent = tokio::time::timeout(ATTEMPT, channels::send(app, channel, parcel)).await;
    let sending =
        sent.unwrap_or_else(|_| End::failed(format!("it took longer than {ATTEMPT:?}")).into());
    let outcome = match &sending.end {
        End::Arrived => Outcome::Sent,
        End::Nowhere(why) => Outcome::Skipped(why),
        End::Refused(error) => Outcome::Failed { error: kept(error), wait: None },
        End::Failed { error, retry_after } => failed(parcel, error, *retry_after),
    };
    (outcome, sending)
}

/// Whether it is a day on which nothing is sent to a user.
async fn is_paused(app: &App, user_id: i64, now: At) -> Result<bool, String> {
    let look = app.pool.read(move |db| Ok(preferences::is_paused(db, user_id, now)?));
    let paused: Option<Work<bool>> = tokio::time::timeout(LOOK, look).await.ok();
    match paused {
        Some(Ok(is_paused)) => Ok(is_paused),
        looked => {
            tracing::warn!(?looked, "nobody knows whether a user's day is paused");
            Err(AWAY.to_owned())
        }
    }
}

fn failed(parcel: &Parcel, error: &str, retry_after: Option<Duration>) -> Outcome {
    let asked = retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER).as_secs_f64();
    let wait = backoff(parcel.attempt, SPREAD, rand::random()).max(asked);
    Outcome::Failed { error: kept(error), wait: (parcel.attempt < MOST_ATTEMPTS).then_some(wait) }
}

/// As much of an error as is kept.
fn kept(error: &str) -> String {
    // PostgreSQL refuses a NUL in a text.
    error.replace('\0', "").chars().take(LONGEST_ERROR).collect()
}

/// Writes down what has happened, in one transaction, again and again while the database is away,
/// until the lease is over: what is not written down happens once more. `None`: nobody could.
async fn insist<T: Send + 'static>(
    pool: &Pool,
    claimed_at: Instant,
    work: impl FnMut(&mut Db) -> QueryResult<T> + Clone + Send + 'static,
) -> Option<T> {
    let mut pause = Duration::from_millis(50);
    loop {
        let mut work = work.clone();
        let done: Work<T> = pool.write(move |db| Ok(work(db)?)).await;
        match done {
            Ok(value) => return Some(value),
            Err(stopped) => tracing::warn!(?stopped, "what was sent cannot be written down"),
        }
        if claimed_at.elapsed() >= LEASE {
            return None;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(2));
    }
}
