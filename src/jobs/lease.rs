//! What a handler holds of its job.

use super::model::{Claimed, Held};
use super::{Failed, guards, store};
use crate::db::Db;
use crate::db::pool::Pool;
use crate::db::tx::{Stopped, Work};
use apalis_core::task::Task;
use apalis_core::task::data::MissingDataError;
use apalis_core::task::from_request::FromRequest;
use diesel::QueryResult;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The lease of the job that runs. A handler takes it as an argument.
#[derive(Clone, Debug)]
pub struct Lease {
    held: Held,
    attempt: i32,
    max_attempts: i32,
    done: Arc<AtomicBool>,
    lost: Arc<AtomicBool>,
}

impl Lease {
    pub(super) fn new(row: &Claimed) -> Self {
        Self {
            held: Held { id: row.id, token: row.lease_token.clone() },
            attempt: row.attempts,
            max_attempts: row.max_attempts,
            done: Arc::default(),
            lost: Arc::default(),
        }
    }

    /// The row, and what proves that it is this worker's.
    #[must_use]
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// The number of this attempt, from 1.
    #[must_use]
    pub fn attempt(&self) -> i32 {
        self.attempt
    }

    /// Whether there is no attempt after this one.
    #[must_use]
    pub fn is_last_attempt(&self) -> bool {
        self.attempt >= self.max_attempts
    }

    /// Runs `work` and completes the job in one transaction: the effect of the job exists once,
    /// because without the lease nothing happens.
    ///
    /// # Errors
    /// [`Failed::Stale`] where another worker may have the job; whatever `work` returns.
    pub async fn finish(
        &self,
        pool: &Pool,
        mut work: impl FnMut(&mut Db) -> Work<(), Failed> + Send + 'static,
    ) -> Result<(), Failed> {
        let held = [self.held.clone()];
        let finished: Work<(), Failed> = pool
            .write(move |db| {
                work(db)?;
                // Last, so that the row is locked for the commit only: the heartbeat wants it too.
                if guards::complete_jobs(db, &held)?.is_empty() {
                    return Err(Stopped::Because(Failed::Stale));
                }
                Ok(())
            })
            .await;
        finished?;
        self.done.store(true, Ordering::Release);
        Ok(())
    }

    /// Whether the job is this worker's still, as a transaction sees it. A handler that writes in
    /// several transactions asks this in each: then one that was silent for too long changes nothing.
    ///
    /// # Errors
    /// When the database fails.
    pub fn holds(&self, db: &mut Db) -> QueryResult<bool> {
        store::is_held(db, &self.held)
    }

    /// Whether the job was completed by [`Lease::finish`].
    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Whether another worker may have the job by now. A long handler asks this between its steps.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    pub(super) fn lose(&self) {
        self.lost.store(true, Ordering::Release);
    }
}

impl<Args: Sync> FromRequest<Task<Args>> for Lease {
    type Error = MissingDataError;

    async fn from_request(task: &Task<Args>) -> Result<Self, MissingDataError> {
        task.data().get_checked::<Self>().cloned()
    }
}
