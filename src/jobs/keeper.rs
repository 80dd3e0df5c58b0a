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
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::MissedTickBehavior;

/// Every lease of a worker, and what its job occupies: a slot until its attempt has ended, and room
/// until that is written down. So the next jobs are claimed while it is written that the last ones
/// ended; a database that takes claims and no acknowledgements gets no further.
#[derive(Debug)]
pub struct Leases {
    slots: Arc<Semaphore>,
    room: Arc<Semaphore>,
    held: Mutex<HashMap<Held, Holding>>,
}

#[derive(Debug)]
struct Holding {
    lease: Lease,
    slot: Option<OwnedSemaphorePermit>,
    _room: OwnedSemaphorePermit,
}

/// What claimed jobs are going to occupy.
pub(super) struct Free {
    slots: OwnedSemaphorePermit,
    room: OwnedSemaphorePermit,
}

impl Free {
    pub(super) fn jobs(&self) -> usize {
        self.slots.num_permits().min(self.room.num_permits())
    }
}

impl Leases {
    pub(super) fn new(slots: usize) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(slots)),
            room: Arc::new(Semaphore::new(slots.saturating_mul(2))),
            held: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Held, Holding>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until at least one more job may be held, and takes all that is free then.
    pub(super) async fn free(&self) -> Result<Free, AcquireError> {
        let mut free = Free {
            slots: self.slots.clone().acquire_owned().await?,
            room: self.room.clone().acquire_owned().await?,
        };
        // Attempts that end together free several.
        tokio::task::yield_now().await;
        take_all(&self.slots, &mut free.slots);
        take_all(&self.room, &mut free.room);
        Ok(free)
    }

    /// Holds a lease; `false` where nothing is free for it.
    pub(super) fn hold(&self, lease: &Lease, free: &mut Free) -> bool {
        let (Some(slot), Some(room)) = (free.slots.split(1), free.room.split(1)) else {
            return false;
        };
        let holding = Holding { lease: lease.clone(), slot: Some(slot), _room: room };
        let mut held = self.lock();
        // Where the worker was silent for too long, it may have claimed from itself.
        for (_, earlier) in held.iter().filter(|(one, _)| one.id == lease.held().id) {
            earlier.lease.lose();
        }
        held.insert(lease.held().clone(), holding);
        true
    }

    /// Frees the slot of an attempt that has ended. Its lease is kept until that is written down.
    pub(super) fn ended(&self, one: &Held) {
        let mut held = self.lock();
        if let Some(holding) = held.get_mut(one) {
            holding.slot = None;
        }
    }

    /// Ends the heartbeat of these leases and frees what they occupy.
    pub(super) fn let_go<'a>(&self, gone: impl Iterator<Item = &'a Held>) {
        let mut held = self.lock();
        for one in gone {
            held.remove(one);
        }
    }

    /// What is held now.
    pub(super) fn held(&self) -> Vec<Held> {
        self.lock().keys().cloned().collect()
    }

    /// What has not ended yet. How the others ended is being written down.
    pub(super) fn running(&self) -> Vec<Held> {
        let held = self.lock();
        let running = held.iter().filter(|(_, holding)| holding.slot.is_some());
        running.map(|(one, _)| one.clone()).collect()
    }

    fn lose_all_but(&self, asked: &[Held], kept: &HashSet<i64>) {
        let held = self.lock();
        for one in asked.iter().filter(|one| !kept.contains(&one.id)) {
            if let Some(holding) = held.get(one) {
                holding.lease.lose();
            }
        }
    }
}

/// Adds what else is free now.
fn take_all(semaphore: &Arc<Semaphore>, taken: &mut OwnedSemaphorePermit) {
    let free = u32::try_from(semaphore.available_permits()).unwrap_or(u32::MAX);
    if let Ok(more) = semaphore.clone().try_acquire_many_owned(free) {
        taken.merge(more);
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
