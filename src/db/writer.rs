//! The one writer of SQLite: a thread, a bounded queue, and one `COMMIT` for all that waits.
//!
//! SQLite has one write lock. Requests that fight for it with connections of their own see
//! "database is locked" and starve each other; behind a queue each waits its turn. What waits is
//! committed together, each unit of work in a savepoint of its own: the wait for the disk, which
//! is most of the cost, is paid once. A caller is answered only after that commit.

use super::pool::{News, PoolError, spread};
use super::tx::{Stopped, Work};
use super::{Db, Location, copy, tx};
use diesel::result::{DatabaseErrorKind, Error};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;

/// Units of work that may wait before a further one is refused.
pub(super) const QUEUE: usize = 512;

/// Units of work that share one commit, at most.
const BATCH: usize = 64;

/// Runs in the transaction of a batch, and leaves what to tell its caller once that has ended. Where
/// there is no transaction, it is told why.
type Job = Box<dyn FnOnce(Result<&mut Db, &Error>) -> Result<Answer, Error> + Send>;
type Answer = Box<dyn FnOnce(Option<&Error>) + Send>;

/// What the thread is told.
enum Order {
    Run(Job),
    /// Do what waits before this, and nothing more.
    Stop,
}

/// The way to the writer. When the last clone is dropped, or one is told to stop, the thread ends
/// what waits, folds the write-ahead log into the file, and ends.
#[derive(Clone)]
pub(super) struct Writer {
    orders: SyncSender<Order>,
    unanswered: Arc<AtomicUsize>,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(location: Location, news: News) -> Result<Self, PoolError> {
        let mut db = Db::open(&location).map_err(PoolError::unreachable)?;
        let (sender, receiver) = sync_channel(QUEUE);
        let thread = thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || run(&mut db, &location, &receiver, &news))
            .map_err(|error| PoolError::Unreachable(error.to_string()))?;
        let thread = Arc::new(Mutex::new(Some(thread)));
        Ok(Self { orders: sender, unanswered: Arc::default(), thread })
    }

    /// Waits until what was queued is on disk and the thread has ended. What comes later is refused.
    pub(super) fn stop(&self) {
        // Where the thread is gone, there is nothing to tell it.
        drop(self.orders.send(Order::Stop));
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer has panicked");
        }
    }

    /// Queues `work` and waits until what it did is on disk.
    pub(super) async fn write<T, Reason>(
        &self,
        work: impl FnMut(&mut Db) -> Work<T, Reason> + Send + 'static,
    ) -> Work<T, Reason>
    where
        T: Send + 'static,
        Reason: Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let _unanswered = Unanswered::add(&self.unanswered);
        self.orders.try_send(Order::Run(job(work, sender))).map_err(|error| match error {
            TrySendError::Full(_) => PoolError::Busy,
            TrySendError::Disconnected(_) => PoolError::Cancelled,
        })?;
        receiver.await.map_err(|_| PoolError::Cancelled)?
    }

    /// Units of work that wait, or run now.
    pub(super) fn unanswered(&self) -> usize {
        self.unanswered.load(Ordering::Relaxed)
    }
}

/// A unit of work whose caller waits for its answer.
struct Unanswered<'a>(&'a AtomicUsize);

impl<'a> Unanswered<'a> {
    fn add(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn job<T: Send + 'static, Reason: Send + 'static>(
    mut work: impl FnMut(&mut Db) -> Work<T, Reason> + Send + 'static,
    sender: oneshot::Sender<Work<T, Reason>>,
) -> Job {
    let span = tracing::Span::current();
    Box::new(move |db| {
        let db = match db {
            Ok(db) => db,
            Err(error) => {
                // A caller that went away no longer wants to know.
                drop(sender.send(Err(Stopped::Database(copy_of(error)))));
                return Ok(Box::new(|_: Option<&Error>| {}));
            }
        };
        tx::savepoint(db)?;
        let result = catch_unwind(AssertUnwindSafe(|| span.in_scope(|| work(db))))
            .unwrap_or(Err(Stopped::Pool(PoolError::Cancelled)));
        match result {
            Ok(_) => tx::commit(db)?,
            Err(_) => tx::rollback(db)?,
        }
        Ok(Box::new(move |failure: Option<&Error>| {
            let result = match failure {
                None => result,
                Some(error) => Err(Stopped::Database(copy_of(error))),
            };
            // A caller that went away no longer wants to know.
            drop(sender.send(result));
        }))
    })
}

fn run(db: &mut Db, location: &Location, orders: &Receiver<Order>, news: &News) {
    let mut stops = false;
    while !stops && let Ok(Order::Run(first)) = orders.recv() {
        let more = orders.try_iter().take(BATCH - 1).map_while(|order| match order {
            Order::Run(job) => Some(job),
            Order::Stop => {
                stops = true;
                None
            }
        });
        let batch = std::iter::once(first).chain(more);
        let mut answers = Vec::new();
        let ended = commit_together(db, batch, &mut answers);
        spread(news, ended.is_ok());
        if let Err(error) = &ended {
            tracing::error!(%error, "a batch of writes failed");
        }
        for answer in answers {
            answer(ended.as_ref().err());
        }
        if ended.is_err() {
            // What state the connection is in is anybody's guess.
            match Db::open(location) {
                Ok(fresh) => *db = fresh,
                Err(error) => tracing::error!(%error, "the database cannot be opened again"),
            }
        }
    }
    match copy::fold(db) {
        Ok(true) => {}
        Ok(false) => tracing::warn!("another program uses the database: its log stays beside it"),
        Err(error) => tracing::error!(%error, "the log of the database cannot be folded into it"),
    }
}

/// A job dropped without an answer tells its caller that it was cancelled.
fn commit_together(
    db: &mut Db,
    batch: impl Iterator<Item = Job>,
    answers: &mut Vec<Answer>,
) -> Result<(), Error> {
    if let Err(error) = tx::begin(db) {
        // Another program has had the lock for longer than we wait for it. None of these is cancelled:
        // each may be tried again.
        for job in batch {
            drop(job(Err(&error))?);
        }
        return Err(error);
    }
    for job in batch {
        answers.push(job(Ok(db))?);
    }
    tx::commit(db)
}

/// `diesel::result::Error` cannot be cloned, and each caller of a batch needs one.
fn copy_of(error: &Error) -> Error {
    Error::DatabaseError(DatabaseErrorKind::Unknown, Box::new(error.to_string()))
}
