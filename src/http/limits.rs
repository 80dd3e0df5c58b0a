//! Every limit of the server, in one place. `docs/operations.md` tells operators the same.
//!
//! Nothing that a client sends or withholds holds memory, a connection or a place in a queue for
//! ever. Two limits are those of the HTTP library and cannot be set: a request's head has at most
//! 96 headers and 128 KiB; what is larger, is not HTTP, or does not come in time is answered 431, 400
//! or 408 without a body before any of this program runs, and the connection is closed.

use actix_web::http::Method;
use std::time::Duration;

/// A connection must have sent the head of its first request after this long; else 408.
pub const HEAD: Duration = Duration::from_secs(10);

/// An idle connection is kept this long for its next request: longer than the 60 s for which
/// common proxies keep theirs, so that a proxy never sends on one that is just being closed.
pub const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// A connection that is being closed is read for this long, so that the client, which may still
/// be sending, gets to see the answer.
pub const CLOSING: Duration = Duration::from_secs(5);

/// An ordinary request, its body included, is answered after this long: with 408 when the client
/// was still sending, with 503 when the server was not done.
pub const REQUEST: Duration = Duration::from_secs(30);

/// A body must bring [`PROGRESS`] bytes, or end, in each such time that is spent waiting for it;
/// else 408. It counts for every request, also for those that [`REQUEST`] does not bound.
pub const STALLED: Duration = Duration::from_secs(30);

/// See [`STALLED`].
pub const PROGRESS: usize = 32 * 1024;

/// A client that has accepted nothing of an answer for this long is disconnected.
pub const UNREAD: Duration = Duration::from_secs(30);

/// A server that is told to stop finishes what runs, for this long.
pub const STOPPING_SECONDS: u64 = 30;

/// Connections to one process at once; further ones wait in the [`BACKLOG`].
pub const CONNECTIONS: usize = 4096;

/// Connections that the system accepts for a process that is busy.
pub const BACKLOG: i32 = 1024;

/// The longest path and query, in bytes; else 414.
pub const TARGET: usize = 8 * 1024;

/// All headers of a request together, in bytes; else 431.
pub const HEADERS: usize = 32 * 1024;

/// How long `/readyz` waits for the database.
pub const READY: Duration = Duration::from_secs(2);

/// What is due today is listed to so many revisions; then the answer says that there are more.
pub const DUE: i64 = 5_000;

/// One call that plans everything again works through so many solves; then the answer says after
/// which one to go on. Each batch of them is a transaction of its own.
pub const PLANNED_AGAIN: usize = 5_000;

/// The routes that take as long as their body or their answer: [`REQUEST`] does not bound them.
const UNBOUNDED: [(&Method, &str); 1] = [(&Method::POST, "/api/v1/imports")];

/// Whether a request to a route has to be answered after [`REQUEST`].
#[must_use]
pub fn is_bounded(method: &Method, route: &str) -> bool {
    !UNBOUNDED.contains(&(method, route))
}
