//! Turns at something of which there are only so many: connections, cores.
//!
//! Those who wait are served in order. Only so many may wait, and only so long: a server that is
//! overloaded says so at once, and its latency does not grow.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Those who have a turn, and those who wait for one.
#[derive(Clone, Debug)]
pub struct Turns {
    free: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    size: usize,
    most_waiting: usize,
    patience: Duration,
}

/// Why there is no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTurn {
    /// Too many wait already.
    #[error("too many wait")]
    Busy,
    /// The wait was too long.
    #[error("the wait was too long")]
    TimedOut,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _permit: OwnedSemaphorePermit,
}

impl Turns {
    /// `size` turns at once; `most_waiting` may wait for one, each for `patience`.
    #[must_use]
    pub fn new(size: usize, most_waiting: usize, patience: Duration) -> Self {
        let size = size.clamp(1, Semaphore::MAX_PERMITS);
        let free = Arc::new(Semaphore::new(size));
        Self { free, waiting: Arc::default(), size, most_waiting, patience }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// [`NoTurn`].
    pub async fn take(&self) -> Result<Turn, NoTurn> {
        if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(Turn { _permit: permit });
        }
        let _place = Place::take(&self.waiting, self.most_waiting)?;
        match timeout(self.patience, Arc::clone(&self.free).acquire_owned()).await {
            // Nobody closes the semaphore.
            Ok(Ok(permit)) => Ok(Turn { _permit: permit }),
            Ok(Err(_)) | Err(_) => Err(NoTurn::TimedOut),
        }
    }

    /// A turn, where one is free.
    #[must_use]
    pub fn try_take(&self) -> Option<Turn> {
        let permit = Arc::clone(&self.free).try_acquire_owned().ok()?;
        Some(Turn { _permit: permit })
    }

    /// How many wait, and how many have a turn.
    #[must_use]
    pub fn load(&self) -> (usize, usize) {
        let in_use = self.size.saturating_sub(self.free.available_permits());
        (self.waiting.load(Ordering::Relaxed), in_use)
    }
}

/// A place in the queue, given back also when whoever waits goes away.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize, most: usize) -> Result<Self, NoTurn> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) >= most {
            return Err(NoTurn::Busy);
        }
        Ok(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
