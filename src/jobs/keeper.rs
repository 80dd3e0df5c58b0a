//! The leases that this process holds: how many, for which jobs, for how long.

use super::guards;
use super::lease::Lease;
use super::model::Held;
use super::registry::Kinds;
use super::tally::{Tally, count};
use crate::db::pool::Pool;
use crate::db::tx::Work;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::MissedTickBehavior;

/// Every lease of a worker, each with the slot that its job occupies.
#[derive(Debug)]
pub struct Leases {
    pub(super) slots: Arc<Semaphore>,
    held: Mutex<HashMap<i64, (Lease, OwnedSemaphorePermit)>>,
}

impl Leases {
    pub(super) fn new(slots: usize) -> Self {
        Self { slots: Arc::new(Semaphore::new(slots)), held: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, (Lease, OwnedSemaphorePermit)>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn hold(&self, lease: &Lease, slot: OwnedSemaphorePermit) {
        self.lock().insert(lease.held().id, (lease.clone(), slot));
    }

    /// Ends the heartbeat of these leases and frees their slots, all in one moment.
    pub(super) fn let_go<'a>(&self, gone: impl Iterator<Item = &'a Held>) {
        let mut held = self.lock();
        let mut slots: Option<OwnedSemaphorePermit> = None;
        for one in gone {
            // The job may have been claimed again, by this very worker.
            if held.get(&one.id).is_none_or(|(lease, _)| lease.held() != one) {
                continue;
            }
            let Some((_, slot)) = held.remove(&one.id) else { continue };
            match &mut slots {
                Some(slots) => slots.merge(slot),
                None => slots = Some(slot),
            }
        }
    }

    /// What is held now.
    pub(super) fn held(&self) -> Vec<Held> {
        self.lock().values().map(|(lease, _)| lease.held().clone()).collect()
    }

    fn lose_all_but(&self, asked: &[Held], kept: &HashSet<i64>) {
        let held = self.lock();
        for one in asked.iter().filter(|one| !kept.contains(&one.id)) {
            if let Some((lease, _)) = held.get(&one.id).filter(|(lease, _)| lease.held() == one) {
                lease.lose();
            }
        }
    }
}

/// Lengthens the leases three times in the shortest of them, for as long as this future lives:
/// nothing that apalis polls, or does not poll, stops it.
pub(super) async fn heartbeat(pool: Pool, leases: Arc<Leases>, kinds: Kinds) {
    let mut tick = tokio::time::interval(kinds.shortest_lease() / 3);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let asked = leases.held();
        if asked.is_empty() {
            continue;
        }
        let (held, kinds) = (asked.clone(), kinds.clone());
        let kept: Work<Vec<i64>> =
            pool.statement(move |db| Ok(guards::extend_leases(db, &kinds, &held)?)).await;
        match kept {
            Ok(kept) => leases.lose_all_but(&asked, &kept.into_iter().collect()),
            Err(error) => tracing::warn!(?error, jobs = asked.len(), "no heartbeat"),
        }
    }
}

/// Rescues what nobody's heartbeat reaches, once in every `pause`.
pub(super) async fn sweep(pool: Pool, tally: Tally, pause: Duration) {
    let mut tick = tokio::time::interval(pause);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let rescued: Work<usize> = pool.statement(|db| Ok(guards::rescue_jobs(db)?)).await;
        match rescued {
            Ok(0) => {}
            Ok(jobs) => {
                tally.rescued.inc_by(count(jobs));
                tracing::warn!(jobs, "leases ran out");
            }
            Err(error) => tracing::warn!(?error, "no sweep"),
        }
    }
}
