//! What the worker of this process has done, for `/metrics`.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Adds to it.
    pub fn add(&self, by: usize) {
        self.0.fetch_add(u64::try_from(by).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// What it has come to.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counts of a process.
#[derive(Debug, Default)]
pub struct Tally {
    /// Attempts that had their effect.
    pub done: Count,
    /// Attempts that failed and will be repeated.
    pub failed: Count,
    /// Attempts that failed for the last time.
    pub dead: Count,
    /// Acknowledgements that changed nothing, because the lease was another's.
    pub stale: Count,
    /// Jobs that were claimed, not started and given back.
    pub released: Count,
    /// Jobs whose lease had run out.
    pub rescued: Count,
}
