//! A worker that runs: apalis around the queue.

use super::backend::{Queue, Settings};
use super::guards;
use super::keeper::Leases;
use super::registry::Registry;
use super::schedule::{self, Schedule};
use super::tally::Tally;
use crate::db::pool::Pool;
use crate::db::tx::Work;
use apalis::layers::WorkerBuilderExt;
use apalis_core::error::WorkerError;
use apalis_core::worker::builder::WorkerBuilder;
use apalis_core::worker::context::WorkerContext;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use uuid::Uuid;

/// How soon the schedules are looked at again after a failure.
const AGAIN: Duration = Duration::from_secs(2);
/// The databases' clocks count milliseconds.
const GRAIN: Duration = Duration::from_millis(5);

/// A worker that runs on the runtime that started it.
pub struct Worker {
    pool: Pool,
    context: WorkerContext,
    stopping: watch::Sender<bool>,
    leases: Arc<Leases>,
    run: JoinHandle<Result<(), WorkerError>>,
    clock: AbortHandle,
}

impl Worker {
    /// Starts one. `data` is what its handlers extract as `Data<…>`.
    pub fn start<Shared: Clone + Send + Sync + 'static>(
        pool: Pool,
        settings: Settings,
        registry: Registry,
        schedules: &'static [Schedule],
        tally: Tally,
        data: Shared,
    ) -> Self {
        // A new name with every start: nothing that an earlier process held is taken for its own.
        let context = WorkerContext::new(&format!("traverse-{}", Uuid::new_v4().simple()));
        let (stopping, stopped) = watch::channel(false);
        let queue = Queue::new(pool.clone(), settings, &registry, tally, stopped);
        let leases = queue.leases();
        let worker = WorkerBuilder::new(&context)
            .backend(queue)
            .data(data)
            .enable_tracing()
            .catch_panic()
            .build(registry);
        let run = tokio::spawn(worker.run());
        let clock = tokio::spawn(keep(pool.clone(), schedules)).abort_handle();
        Self { pool, context, stopping, leases, run, clock }
    }

    /// Stops: claims nothing more, gives back what has not started, and waits for what runs. What
    /// runs longer than `limit` is dropped and given back too: that it was stopped is no failure of
    /// its own, and must not be its last.
    pub async fn stop(mut self, limit: Duration) {
        self.clock.abort();
        // An error means that the worker has ended by itself.
        let _ = self.stopping.send(true);
        // Before it has begun, apalis refuses, and would begin afterwards.
        while self.context.stop().is_err() && !self.run.is_finished() {
            tokio::task::yield_now().await;
        }
        if let Ok(ended) = tokio::time::timeout(limit, &mut self.run).await {
            if let Ok(Err(error)) = ended {
                tracing::error!(%error, "the worker ended");
            }
            return;
        }
        let held = self.leases.running();
        self.run.abort();
        drop(self.run.await);
        tracing::warn!(jobs = held.len(), "what still ran is dropped");
        let given_back: Work<usize> =
            self.pool.statement(move |db| Ok(guards::release_jobs(db, &held)?)).await;
        if let Err(stopped) = given_back {
            tracing::warn!(?stopped, "their leases will run out");
        }
    }
}

/// Makes the jobs of the schedules when it is time, for as long as this future lives.
async fn keep(pool: Pool, schedules: &'static [Schedule]) {
    loop {
        let due: Work<_> = pool.read(move |db| Ok(schedule::due(db, schedules)?)).await;
        let wait = match due {
            Ok((due, wait)) => {
                for schedule in due {
                    make(&pool, schedule).await;
                }
                wait
            }
            Err(stopped) => {
                tracing::warn!(?stopped, "the schedules cannot be looked at");
                AGAIN
            }
        };
        // A little late, so that the tick is not missed by the grain of a clock.
        tokio::time::sleep(wait + GRAIN).await;
    }
}

async fn make(pool: &Pool, schedule: &'static Schedule) {
    let kept: Work<bool> = pool.write(move |db| Ok(schedule::keep(db, schedule)?)).await;
    match kept {
        Ok(made) => tracing::debug!(schedule = schedule.name, made, "a tick"),
        // It is due still, and looked at again within a minute.
        Err(stopped) => tracing::warn!(schedule = schedule.name, ?stopped, "no job for a tick"),
    }
}
