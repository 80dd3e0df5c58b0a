//! The layer that settles every attempt, and the task that writes it down.
//!
//! apalis drains the futures of this layer at a stop, so that nothing here needs a flush of its
//! own. An acknowledgement is written with the token of its claim: a stale one changes nothing.

use super::backoff::backoff;
use super::keeper::Leases;
use super::lease::Lease;
use super::model::{Held, State, Verdict};
use super::tally::Tally;
use super::{Failed, guards};
use crate::db::Db;
use crate::db::pool::Pool;
use crate::db::tx::{Stopped, Work};
use apalis_core::error::BoxDynError;
use apalis_core::task::Task;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tower_layer::Layer;
use tower_service::Service;

/// Acknowledgements that share a transaction, at most.
const BATCH: usize = 128;
/// The longest text of an error that is kept, in characters.
const LONGEST_ERROR: usize = 1000;
/// By how much more a failed attempt waits, at most, so that many do not come back at once.
const SPREAD: f64 = 0.1;
/// How often an acknowledgement is tried that the database itself refuses.
const REFUSALS: usize = 5;

/// Where an attempt ended: `None`, the lease was another's.
type Ending = Option<State>;

pub(super) struct Ack {
    held: Held,
    verdict: Verdict,
    written: oneshot::Sender<Ending>,
}

/// Wraps the handlers of a worker.
#[derive(Clone)]
pub struct AckLayer {
    pub(super) leases: Arc<Leases>,
    pub(super) acks: mpsc::UnboundedSender<Ack>,
    pub(super) tally: Tally,
}

impl<S> Layer<S> for AckLayer {
    type Service = AckService<S>;

    fn layer(&self, inner: S) -> AckService<S> {
        AckService { inner, layer: self.clone() }
    }
}

/// A handler whose attempts are settled.
pub struct AckService<S> {
    inner: S,
    layer: AckLayer,
}

/// Ends the heartbeat when the attempt ends, in whichever way: a dropped future too.
struct Beating(Arc<Leases>, Held);

impl Drop for Beating {
    fn drop(&mut self) {
        self.0.let_go(std::iter::once(&self.1));
    }
}

impl<S, Args> Service<Task<Args>> for AckService<S>
where
    S: Service<Task<Args>, Response = ()>,
    S::Error: Into<BoxDynError>,
    S::Future: Send + 'static,
{
    type Response = ();
    type Error = BoxDynError;
    type Future = BoxFuture<'static, Result<(), BoxDynError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxDynError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, task: Task<Args>) -> Self::Future {
        let Some(lease) = task.data().get::<Lease>().cloned() else {
            // The backend puts it there; without it nothing may run.
            return Box::pin(async { Err(Failed::Stale.into()) });
        };
        let leases = self.layer.leases.clone();
        let beating = Beating(leases.clone(), lease.held().clone());
        let (acks, tally) = (self.layer.acks.clone(), self.layer.tally.clone());
        let running = self.inner.call(task);
        Box::pin(async move {
            let _beating = beating;
            let result = running.await.map_err(Into::into);
            leases.ended(lease.held());
            if lease.is_done() {
                tally.done.inc();
                return Ok(());
            }
            let verdict = verdict(&lease, &result);
            let (written, ending) = oneshot::channel();
            let ack = Ack { held: lease.held().clone(), verdict, written };
            let ending = match acks.send(ack) {
                Ok(()) => ending.await.unwrap_or(None),
                Err(_) => None,
            };
            let count = match ending {
                Some(State::Done) => &tally.done,
                Some(State::Dead) => &tally.dead,
                Some(_) => &tally.failed,
                None => &tally.stale,
            };
            count.inc();
            if let Err(error) = &result {
                tracing::warn!(job = lease.held().id, attempt = lease.attempt(), %error,
                               ?ending, "an attempt failed");
            }
            if ending.is_none() { Err(Failed::Stale.into()) } else { result }
        })
    }
}

fn verdict(lease: &Lease, result: &Result<(), BoxDynError>) -> Verdict {
    let Err(error) = result else { return Verdict::Done };
    let wait = match error.downcast_ref::<Failed>() {
        Some(Failed::Later { wait, .. }) => wait.as_secs_f64(),
        _ => backoff(lease.attempt(), SPREAD, rand::random()),
    };
    Verdict::Failed {
        // PostgreSQL refuses a NUL in a text.
        error: error.to_string().replace('\0', "").chars().take(LONGEST_ERROR).collect(),
        wait: (!lease.is_last_attempt()).then_some(wait),
    }
}

/// Writes acknowledgements, all that wait in one transaction, until the database has taken them.
/// One that the database refuses for itself does not hold up the others.
pub(super) async fn write(pool: Pool, leases: Arc<Leases>, mut acks: mpsc::UnboundedReceiver<Ack>) {
    let mut batch = Vec::new();
    while acks.recv_many(&mut batch, BATCH).await > 0 {
        let settled = match together(&pool, &batch).await {
            Some(endings) => endings,
            None => one_by_one(&pool, &batch).await,
        };
        leases.let_go(batch.iter().map(|ack| &ack.held));
        for (ack, ending) in batch.drain(..).zip(settled) {
            // An attempt that was dropped no longer wants to know.
            let _ = ack.written.send(ending);
        }
    }
}

/// `None`: the database refuses something in it.
async fn together(pool: &Pool, batch: &[Ack]) -> Option<Vec<Ending>> {
    let all: Arc<Vec<_>> =
        Arc::new(batch.iter().map(|ack| (ack.held.clone(), ack.verdict.clone())).collect());
    let mut pause = Pause::default();
    loop {
        let part = all.clone();
        let is_done = part.iter().all(|(_, verdict)| *verdict == Verdict::Done);
        let settled: Work<Vec<Ending>> = if is_done {
            pool.statement(move |db| Ok(settle(db, &part)?)).await
        } else {
            pool.write(move |db| Ok(settle(db, &part)?)).await
        };
        match settled {
            Ok(endings) => return Some(endings),
            Err(stopped) => {
                tracing::warn!(?stopped, acks = all.len(), "no acknowledgement");
                if is_refused(pool, &stopped).await {
                    return None;
                }
            }
        }
        pause.take().await;
    }
}

async fn one_by_one(pool: &Pool, batch: &[Ack]) -> Vec<Ending> {
    let mut endings = Vec::with_capacity(batch.len());
    for ack in batch {
        let mut ending = None;
        for _ in 0..REFUSALS {
            if let Some(settled) = together(pool, std::slice::from_ref(ack)).await {
                ending = settled.into_iter().next().flatten();
                break;
            }
        }
        endings.push(ending);
    }
    endings
}

/// Whether the database works, and it is the statement that it does not take.
async fn is_refused<Reason>(pool: &Pool, stopped: &Stopped<Reason>) -> bool {
    if matches!(stopped, Stopped::Pool(_)) {
        return false;
    }
    let answer: Work<()> = pool.read(|db| Ok(super::store::answers(db)?)).await;
    answer.is_ok()
}

/// Longer with each time.
struct Pause(Duration);

impl Default for Pause {
    fn default() -> Self {
        Self(Duration::from_millis(50))
    }
}

impl Pause {
    async fn take(&mut self) {
        tokio::time::sleep(self.0).await;
        self.0 = (self.0 * 2).min(Duration::from_secs(2));
    }
}

/// How each of the attempts ended.
fn settle(db: &mut Db, all: &[(Held, Verdict)]) -> diesel::QueryResult<Vec<Ending>> {
    let done: Vec<_> = all
        .iter()
        .filter(|(_, verdict)| *verdict == Verdict::Done)
        .map(|(held, _)| held.clone())
        .collect();
    let ours = guards::complete_jobs(db, &done)?;
    all.iter()
        .map(|(held, verdict)| match verdict {
            Verdict::Done => Ok(ours.contains(&held.id).then_some(State::Done)),
            Verdict::Failed { .. } => guards::fail_attempt(db, held, verdict),
        })
        .collect()
}
