//! The pool, and the step from async handlers to sync statements.
//!
//! No function takes a pool while it holds a connection: a storm of duplicates would deadlock it.

use super::outage::Outage;
use super::tx::{Stopped, Work};
use super::writer::Writer;
use super::{Db, Location, Unopened, news, tx};
use crate::turns::{NoTurn, Turns};
use diesel::connection::SimpleConnection;
use diesel::r2d2::{self, ManageConnection};
use diesel::result::{DatabaseErrorKind as Kind, Error};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Requests that may wait for a connection before a further one is refused.
const WAITING: usize = 512;

/// How long a request waits for a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long opening a connection may take.
const CONNECTING: Duration = Duration::from_secs(5);

/// PostgreSQL gives work up for a deadlock or for a wait that was too long, and Diesel does not tell
/// that from a fault of the statement. A fault shows at once, the others after this long.
const SLOW: Duration = Duration::from_millis(500);

/// Why a unit of work never reached the database, or nobody knows whether it did.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum PoolError {
    /// Too many wait already.
    #[error("too many requests wait for the database")]
    Busy,
    /// The wait for a connection was too long.
    #[error("no connection to the database in time")]
    TimedOut,
    /// The server does not answer.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// The server gave the work up, since it waited or took too long.
    #[error("the work took too long, or waited too long for a lock: {0}")]
    GivenUp(String),
    /// The thread that ran the work is gone.
    #[error("the work was cancelled")]
    Cancelled,
}

impl PoolError {
    #[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` wants")]
    pub(super) fn unreachable(error: Unopened) -> Self {
        Self::Unreachable(error.to_string())
    }
}

impl From<NoTurn> for PoolError {
    fn from(reason: NoTurn) -> Self {
        match reason {
            NoTurn::Busy => Self::Busy,
            NoTurn::TimedOut => Self::TimedOut,
        }
    }
}

impl<Reason> From<NoTurn> for Stopped<Reason> {
    fn from(reason: NoTurn) -> Self {
        Self::Pool(reason.into())
    }
}

/// Connections to one database, shared by all of a process.
#[derive(Clone)]
pub struct Pool {
    connections: r2d2::Pool<Connections>,
    /// On SQLite all writes go through it, and `connections` only read.
    writer: Option<Writer>,
    turns: Turns,
    losses: Arc<AtomicUsize>,
    news: News,
}

/// Counts the transactions of the process that made work for it.
pub(super) type News = Arc<watch::Sender<u64>>;

/// Wakes who waits for work, where the transaction that ended on this thread made some.
pub(super) fn spread(news: &News, committed: bool) {
    if news::take() && committed {
        news.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl Pool {
    /// Opens `size` connections (on SQLite: readers, beside the writer) to a migrated database.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn open(location: &Location, size: u32) -> Result<Self, PoolError> {
        let news = News::default();
        let writer = match location {
            Location::Postgres(_) => None,
            Location::Sqlite(_) => Some(Writer::start(location.clone(), news.clone())?),
        };
        let outage = Outage::default();
        let connections = r2d2::Pool::builder()
            .error_handler(Box::new(outage.clone()))
            .max_size(size)
            .min_idle(Some(1))
            .test_on_check_out(false)
            .connection_timeout(CONNECTING)
            .build(Connections { location: location.clone(), outage })
            .map_err(|error| PoolError::Unreachable(error.to_string()))?;
        let turns = Turns::new(usize::try_from(size).unwrap_or(usize::MAX), WAITING, PATIENCE);
        Ok(Self { connections, writer, turns, losses: Arc::default(), news })
    }

    /// Ends: what waits is written, and SQLite's file is whole without the log beside it. Whoever
    /// writes later is refused.
    pub fn close(&self) {
        if let Some(writer) = &self.writer {
            writer.stop();
        }
    }

    /// Runs `work` in one write transaction. It may run again after a deadlock.
    ///
    /// # Errors
    /// Whatever `work` returns, or why it did not run. After an error nothing of it is stored,
    /// except where the connection was lost during the commit.
    pub async fn write<T, Reason>(
        &self,
        mut work: impl FnMut(&mut Db) -> Work<T, Reason> + Send + 'static,
    ) -> Work<T, Reason>
    where
        T: Send + 'static,
        Reason: Send + 'static,
    {
        match &self.writer {
            Some(writer) => writer.write(work).await,
            None => self.on_connection(move |db| tx::write(db, &mut work)).await,
        }
    }

    /// Runs `work`, which only reads, without a transaction around it.
    ///
    /// # Errors
    /// Whatever `work` returns, or why it did not run.
    pub async fn read<T, Reason>(
        &self,
        work: impl FnMut(&mut Db) -> Work<T, Reason> + Send + 'static,
    ) -> Work<T, Reason>
    where
        T: Send + 'static,
        Reason: Send + 'static,
    {
        self.on_connection(work).await
    }

    /// Runs `work`, which is one statement that writes, and so needs no transaction around it: on
    /// PostgreSQL that saves two round trips.
    ///
    /// # Errors
    /// Whatever `work` returns, or why it did not run.
    pub async fn statement<T, Reason>(
        &self,
        work: impl FnMut(&mut Db) -> Work<T, Reason> + Send + 'static,
    ) -> Work<T, Reason>
    where
        T: Send + 'static,
        Reason: Send + 'static,
    {
        match &self.writer {
            Some(writer) => writer.write(work).await,
            None => self.on_connection(work).await,
        }
    }

    /// Whether all writes wait for one writer: then it pays to look before one writes.
    #[must_use]
    pub fn has_one_writer(&self) -> bool {
        self.writer.is_some()
    }

    /// Tells when a transaction of this process has made work; see [`news`].
    #[must_use]
    pub fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Runs `read`, which only reads, without a transaction around it. Where it goes on with what it
    /// found, runs `write` on that in one write transaction, which may run again after a deadlock.
    /// Between the two others may write, so that what was found may have changed.
    ///
    /// Together they cost one turn at a connection and one step out of async code, not two; on
    /// SQLite `write` waits for the writer.
    ///
    /// # Errors
    /// As those of [`Self::read`] and [`Self::write`].
    pub async fn read_then_write<Found, T, Reason>(
        &self,
        mut read: impl FnMut(&mut Db) -> Work<ControlFlow<T, Found>, Reason> + Send + 'static,
        mut write: impl FnMut(&mut Db, &Found) -> Work<T, Reason> + Send + 'static,
    ) -> Work<T, Reason>
    where
        Found: Send + 'static,
        T: Send + 'static,
        Reason: Send + 'static,
    {
        let Some(writer) = &self.writer else {
            return self
                .on_connection(move |db| match read(db)? {
                    ControlFlow::Break(answer) => Ok(answer),
                    ControlFlow::Continue(found) => tx::write(db, |db| write(db, &found)),
                })
                .await;
        };
        match self.on_connection(read).await? {
            ControlFlow::Break(answer) => Ok(answer),
            ControlFlow::Continue(found) => writer.write(move |db| write(db, &found)).await,
        }
    }

    /// Units of work that wait for a connection now, and connections in use. On SQLite each write
    /// that is not answered yet counts as one that waits.
    #[must_use]
    pub fn load(&self) -> (usize, usize) {
        let (waiting, in_use) = self.turns.load();
        (waiting + self.writer.as_ref().map_or(0, Writer::unanswered), in_use)
    }

    async fn on_connection<T, Reason>(
        &self,
        mut work: impl FnMut(&mut Db) -> Work<T, Reason> + Send + 'static,
    ) -> Work<T, Reason>
    where
        T: Send + 'static,
        Reason: Send + 'static,
    {
        let turn = self.turns.take().await?;
        let (pool, losses) = (self.connections.clone(), self.losses.clone());
        let news = self.news.clone();
        let span = tracing::Span::current();
        actix_web::web::block(move || {
            // The connection is in use also when whoever asked for it no longer waits.
            let _turn = turn;
            let result = span.in_scope(|| run(&pool, &losses, &mut work));
            spread(&news, result.is_ok());
            result
        })
        .await
        .map_err(|_| PoolError::Cancelled)?
    }
}

/// Runs `work` on a connection. After a connection was lost, each other one is tried before its
/// next use and replaced where it is dead too: a restarted server costs only what was in flight.
fn run<T, Reason>(
    pool: &r2d2::Pool<Connections>,
    losses: &AtomicUsize,
    work: &mut impl FnMut(&mut Db) -> Work<T, Reason>,
) -> Work<T, Reason> {
    let mut connection = loop {
        let mut connection =
            pool.get().map_err(|error| PoolError::Unreachable(error.to_string()))?;
        let seen = losses.load(Ordering::Relaxed);
        if connection.checked == seen || connection.is_alive() {
            connection.checked = seen;
            break connection;
        }
    };
    let began = Instant::now();
    let result = work(&mut connection.db);
    let elapsed = began.elapsed();
    match &result {
        Err(Stopped::Database(error)) if is_odd(error) && !connection.is_alive() => {
            losses.fetch_add(1, Ordering::Relaxed);
            Err(PoolError::Unreachable(error.to_string()).into())
        }
        Err(Stopped::Database(error))
            if elapsed >= SLOW && tx::is_transient(&connection.db, error) =>
        {
            Err(PoolError::GivenUp(error.to_string()).into())
        }
        _ => result,
    }
}

/// Whether an error may mean that the connection is gone. A violated constraint does not.
fn is_odd(error: &Error) -> bool {
    match error {
        Error::DatabaseError(kind, _) => {
            matches!(kind, Kind::Unknown | Kind::ClosedConnection | Kind::UnableToSendCommand)
        }
        Error::BrokenTransactionManager | Error::RollbackErrorOnCommit { .. } => true,
        _ => false,
    }
}

/// A pooled connection and what is known of its health.
struct Connection {
    db: Db,
    /// How many losses the pool had seen when this one was last known to be alive.
    checked: usize,
    dead: bool,
}

impl Connection {
    fn is_alive(&mut self) -> bool {
        self.dead = self.db.batch_execute("select 1").is_err();
        !self.dead
    }
}

/// Opens connections for r2d2.
struct Connections {
    location: Location,
    outage: Outage,
}

impl ManageConnection for Connections {
    type Connection = Connection;
    type Error = Unopened;

    fn connect(&self) -> Result<Connection, Unopened> {
        let mut db = Db::open(&self.location)?;
        if let Db::Sqlite(_) = &db {
            db.batch_execute("pragma query_only = on").map_err(Unopened::from)?;
        }
        self.outage.ends();
        Ok(Connection { db, checked: usize::MAX, dead: false })
    }

    fn is_valid(&self, connection: &mut Connection) -> Result<(), Unopened> {
        connection.db.batch_execute("select 1").map_err(Unopened::from)
    }

    fn has_broken(&self, connection: &mut Connection) -> bool {
        connection.dead || std::thread::panicking()
    }
}
