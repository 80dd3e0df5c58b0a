//! Room on disk for the files that are to be imported: so much for all of them together, those that
//! are still being sent and those that wait for their turn, so that no number of clients fills it.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of one share.
pub const SHARE: usize = 256 << 10;

/// Shares of the room: 2 GiB, four of the largest files.
const SHARES: usize = (2 << 30) / SHARE;

/// The room that a process has.
#[derive(Clone, Debug)]
pub struct Room {
    free: Arc<Semaphore>,
}

/// Some shares of the room, until they are dropped.
#[derive(Debug)]
pub struct Held {
    _shares: OwnedSemaphorePermit,
}

impl Default for Room {
    fn default() -> Self {
        Self { free: Arc::new(Semaphore::new(SHARES)) }
    }
}

impl Room {
    /// Takes shares for so many bytes; `None` where there are not as many.
    #[must_use]
    pub fn take(&self, bytes: usize) -> Option<Held> {
        let shares = u32::try_from(bytes.div_ceil(SHARE)).ok()?;
        let held = Arc::clone(&self.free).try_acquire_many_owned(shares).ok()?;
        Some(Held { _shares: held })
    }

    /// Bytes that are free.
    #[must_use]
    pub fn free(&self) -> usize {
        self.free.available_permits() * SHARE
    }
}
