//! What apalis polls.
//!
//! apalis polls a backend only while the worker runs and has not been asked to stop; during a drain
//! it polls nothing. So [`Queue`] is only the mailbox: a task of its own claims, others hold the
//! leases, and no error of the database can reach apalis at all (`Error = Infallible`).

use super::ack::{self, Ack, AckLayer};
use super::keeper::{self, Free, Leases};
use super::lease::Lease;
use super::model::{Claimed, Held, Place};
use super::registry::{Kinds, Registry};
use super::tally::{Tally, count};
use super::{guards, store};
use crate::db::pool::Pool;
use crate::db::tx::Work;
use apalis_core::backend::finalize::Ephemeral;
use apalis_core::backend::{Backend, BackendConfig};
use apalis_core::task::Task;
use apalis_core::task::builder::TaskBuilder;
use apalis_core::task::task_id::TaskId;
use apalis_core::worker::context::WorkerContext;
use futures_util::task::AtomicWaker;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::Instant;
use uuid::Uuid;

/// The first wait after a claim that failed; it doubles, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// For how long claims that find all they want go on where the last one ended, at most. For as long
/// may something wait that has come before that place.
const IN_PART: Duration = Duration::from_secs(1);

/// How a worker works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Jobs that run at once.
    pub slots: usize,
    /// How long an idle worker waits before it looks again, up to a quarter more.
    pub poll: Duration,
    /// How often leases that ran out are looked for.
    pub sweep: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { slots: 16, poll: Duration::from_secs(1), sweep: Duration::from_secs(15) }
    }
}

/// The rows between claim and start.
#[derive(Debug)]
struct Inbox {
    is_open: bool,
    rows: VecDeque<(Claimed, Lease)>,
}

#[derive(Debug)]
struct Mail {
    inbox: Mutex<Inbox>,
    arrived: AtomicWaker,
}

impl Mail {
    fn lock(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the claimer needs.
#[derive(Clone)]
struct Desk {
    pool: Pool,
    settings: Settings,
    kinds: Kinds,
    leases: Arc<Leases>,
    mail: Arc<Mail>,
    tally: Tally,
    stopping: watch::Receiver<bool>,
}

/// The backend.
pub struct Queue {
    desk: Desk,
    acks: Option<mpsc::UnboundedReceiver<Ack>>,
    claimer: Option<JoinHandle<()>>,
    keepers: Vec<AbortHandle>,
}

impl Queue {
    /// A backend for the kinds of the registry. It stops to claim when `stopping` becomes true:
    /// apalis tells a backend about a stop only after the drain.
    #[must_use]
    pub fn new(
        pool: Pool,
        settings: Settings,
        registry: &Registry,
        tally: Tally,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let inbox = Inbox { is_open: true, rows: VecDeque::new() };
        let desk = Desk {
            pool,
            kinds: registry.kinds(),
            leases: Arc::new(Leases::new(settings.slots)),
            mail: Arc::new(Mail { inbox: inbox.into(), arrived: AtomicWaker::new() }),
            settings,
            tally,
            stopping,
        };
        Self { desk, acks: None, claimer: None, keepers: Vec::new() }
    }

    /// What this worker holds.
    #[must_use]
    pub fn leases(&self) -> Arc<Leases> {
        self.desk.leases.clone()
    }

    /// At the first poll, and not in `middleware`: that may be called outside of a runtime.
    fn start(&mut self) {
        let Some(acks) = self.acks.take() else { return };
        let Desk { pool, leases, kinds, tally, settings, .. } = self.desk.clone();
        // It ends with its last sender, after the drain.
        tokio::spawn(ack::write(pool.clone(), leases.clone(), acks));
        let heartbeat = tokio::spawn(keeper::heartbeat(pool.clone(), leases, kinds));
        let sweep = tokio::spawn(keeper::sweep(pool, tally, settings.sweep));
        self.keepers = vec![heartbeat.abort_handle(), sweep.abort_handle()];
        self.claimer = Some(tokio::spawn(claim(self.desk.clone())));
    }
}

impl Backend for Queue {
    type Task = Task<Claimed>;
    type Error = Infallible;

    fn poll_ready(
        &mut self,
        _: &mut Context<'_>,
        _: &WorkerContext,
    ) -> Poll<Result<(), Infallible>> {
        self.start();
        Poll::Ready(Ok(()))
    }

    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        _: &WorkerContext,
    ) -> Poll<Option<Result<Task<Claimed>, Infallible>>> {
        self.desk.mail.arrived.register(cx.waker());
        let Some((row, lease)) = self.desk.mail.lock().rows.pop_front() else {
            return Poll::Pending;
        };
        let attempts = |number: i32| usize::try_from(number).unwrap_or(0);
        let task = TaskBuilder::new(row.clone())
            .task_id(TaskId::from_string(row.job_id))
            // apalis counts the one that starts.
            .attempt(attempts(row.attempts - 1))
            .max_attempts(attempts(row.max_attempts))
            .data(lease)
            .build();
        Poll::Ready(Some(Ok(task)))
    }

    fn poll_close(
        &mut self,
        cx: &mut Context<'_>,
        _: &WorkerContext,
    ) -> Poll<Result<(), Infallible>> {
        if let Some(claimer) = &mut self.claimer {
            // It has given back what nobody started, or it panicked: then the leases run out.
            drop(ready!(Pin::new(claimer).poll(cx)));
            self.claimer = None;
        }
        Poll::Ready(Ok(()))
    }
}

impl BackendConfig for Queue {
    type Args = Claimed;
    type Id = String;
    /// With `Durable` apalis decodes, and ends the worker when it cannot.
    type Kind = Ephemeral;
    type Config = Settings;
    type Layer = AckLayer;

    fn config(&self) -> &Settings {
        &self.desk.settings
    }

    fn middleware(&mut self, _: &mut WorkerContext) -> AckLayer {
        let (acks, receiver) = mpsc::unbounded_channel();
        self.acks = Some(receiver);
        AckLayer { leases: self.desk.leases.clone(), acks, tally: self.desk.tally.clone() }
    }
}

/// A worker that is dropped drops its handlers too: nothing may lengthen their leases.
impl Drop for Queue {
    fn drop(&mut self) {
        self.desk.mail.lock().is_open = false;
        self.keepers.iter().for_each(AbortHandle::abort);
    }
}

async fn claim(mut desk: Desk) {
    let mut news = desk.pool.news();
    let mut pause = FIRST_PAUSE;
    // Where the last claim ended, and since when no claim has begun at the beginning.
    let (mut end, mut whole) = (None, Instant::now());
    // Whether the last claim found all that it wanted.
    let mut is_full = false;
    let leases = desk.leases.clone();
    loop {
        let free = tokio::select! {
            biased;
            () = stop(&mut desk.stopping) => break,
            free = leases.free() => free,
        };
        // Nobody closes the semaphores.
        let Ok(mut free) = free else { break };
        news.mark_unchanged();
        let wanted = free.jobs();
        let from = end.filter(|_| whole.elapsed() < IN_PART);
        if from.is_none() {
            whole = Instant::now();
        }
        let wait = match take(&desk, wanted, from, is_full).await {
            Ok(rows) => {
                pause = FIRST_PAUSE;
                is_full = rows.len() == wanted;
                // SQLite keeps no entries of what has ended.
                end = if is_full && !desk.pool.has_one_writer() { last(&rows) } else { None };
                let late = post(&desk, rows, &mut free);
                give_back(&desk, late).await;
                if is_full || from.is_some() {
                    continue;
                }
                desk.settings.poll.mul_f64(1.0 + rand::random::<f64>() / 4.0)
            }
            Err(error) => {
                (end, is_full) = (None, false);
                tracing::warn!(%error, "no claim");
                pause = (pause * 2).min(LONGEST_PAUSE);
                pause
            }
        };
        drop(free);
        tokio::select! {
            () = stop(&mut desk.stopping) => break,
            // Nobody drops the sender while the pool is there.
            _ = news.changed() => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
    let waiting = {
        let mut inbox = desk.mail.lock();
        inbox.is_open = false;
        std::mem::take(&mut inbox.rows)
    };
    give_back(&desk, waiting.into_iter().map(|(_, lease)| lease.held().clone()).collect()).await;
}

/// The last place that a claim took.
fn last(rows: &[Claimed]) -> Option<Place> {
    let places =
        rows.iter().map(|row| Place { priority: row.priority, run_at: row.run_at, id: row.id });
    places.max_by_key(|place| (Reverse(place.priority), place.run_at, place.id))
}

/// Returns when the worker is asked to stop, or when nobody can ask any more.
async fn stop(stopping: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone.
    drop(stopping.wait_for(|stopping| *stopping).await);
}

/// Takes up to so many jobs. Where nobody knows whether the claim went through, all that it may
/// have taken is given back first. Where work is `expected`, SQLite is not asked for it before its
/// writer: so the claim shares the commit of the acknowledgements.
async fn take(
    desk: &Desk,
    wanted: usize,
    from: Option<Place>,
    expected: bool,
) -> Result<Vec<Claimed>, String> {
    let claim = Uuid::new_v4().simple().to_string();
    let limit = i64::try_from(wanted).unwrap_or(i64::MAX);
    let (name, kinds) = (claim.clone(), desk.kinds.clone());
    let taken: Work<Vec<Claimed>> = if desk.pool.has_one_writer() && !expected {
        let asked = kinds.clone();
        desk.pool
            .read_then_write(
                move |db| {
                    Ok(if store::is_ready(db, &asked)? {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(Vec::new())
                    })
                },
                move |db, ()| Ok(guards::claim_jobs(db, &kinds, &name, limit, from)?),
            )
            .await
    } else {
        desk.pool.statement(move |db| Ok(guards::claim_jobs(db, &kinds, &name, limit, from)?)).await
    };
    let Err(stopped) = taken else { return taken.map_err(|_| String::new()) };
    let error = format!("{stopped:?}");
    let mut pause = FIRST_PAUSE;
    loop {
        let name = claim.clone();
        let given_back: Work<usize> =
            desk.pool.statement(move |db| Ok(guards::release_claim(db, &name)?)).await;
        match given_back {
            Ok(jobs) => {
                desk.tally.released.inc_by(count(jobs));
                return Err(error);
            }
            // They come back by themselves when their leases run out.
            Err(_) if *desk.stopping.borrow() => return Err(error),
            Err(again) => tracing::warn!(?again, "the database is away"),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Puts rows into the mailbox, each with its slot; gives those back that came after its end.
fn post(desk: &Desk, rows: Vec<Claimed>, free: &mut Free) -> Vec<Held> {
    let mut late = Vec::new();
    let mut inbox = desk.mail.lock();
    for row in rows {
        let lease = Lease::new(&row);
        if inbox.is_open && desk.leases.hold(&lease, free) {
            inbox.rows.push_back((row, lease));
        } else {
            late.push(lease.held().clone());
        }
    }
    drop(inbox);
    desk.mail.arrived.wake();
    late
}

/// Gives back what no one started. After a while of trying, it comes back by itself.
async fn give_back(desk: &Desk, held: Vec<Held>) {
    if held.is_empty() {
        return;
    }
    desk.leases.let_go(held.iter());
    let began = Instant::now();
    let mut pause = FIRST_PAUSE;
    while began.elapsed() < desk.kinds.shortest_lease() {
        let part = held.clone();
        let released: Work<usize> =
            desk.pool.statement(move |db| Ok(guards::release_jobs(db, &part)?)).await;
        match released {
            Ok(jobs) => {
                desk.tally.released.inc_by(count(jobs));
                tracing::info!(jobs, "given back");
                return;
            }
            Err(stopped) => tracing::warn!(?stopped, "nothing is given back"),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
