//! What a transaction has to tell the rest of its process once it has committed: that there is work.
//!
//! Whoever enqueues says so with [`leave`], on the thread of the transaction; the pool looks with
//! [`take`] when that has ended, and wakes who waits. A process that dies in between loses nothing:
//! who waits also looks by itself from time to time.

use std::cell::Cell;

thread_local! {
    static LEFT: Cell<bool> = const { Cell::new(false) };
}

/// Says that the transaction of this thread made work.
pub fn leave() {
    LEFT.set(true);
}

/// Whether a transaction of this thread made work since the last call.
pub(super) fn take() -> bool {
    LEFT.take()
}
