//! Write transactions.

use super::{Db, pool::PoolError};
use diesel::connection::{
    AnsiTransactionManager, Connection, SimpleConnection, TransactionManager,
};
use diesel::result::{DatabaseErrorKind as Kind, Error, QueryResult};
use std::convert::Infallible;
use std::thread;
use std::time::{Duration, Instant};

/// Why a unit of work ended without effect: its transaction is rolled back.
#[derive(Debug)]
pub enum Stopped<Reason> {
    /// The domain refused it.
    Because(Reason),
    /// A statement failed.
    Database(Error),
    /// It never reached the database.
    Pool(PoolError),
}

/// The result of a unit of work that may be refused for a `Reason`.
pub type Work<T, Reason = Infallible> = Result<T, Stopped<Reason>>;

impl<Reason> From<Error> for Stopped<Reason> {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

impl<Reason> From<PoolError> for Stopped<Reason> {
    fn from(error: PoolError) -> Self {
        Self::Pool(error)
    }
}

/// How often a transaction that PostgreSQL aborted to break a deadlock begins, at most.
const ATTEMPTS: u32 = 5;

/// None begins again later than this: less than PostgreSQL's `lock_timeout`, so that a wait for a lock
/// that was too long is not repeated.
const BEGINNINGS: Duration = Duration::from_secs(4);

/// Runs `work` in one write transaction.
///
/// SQLite takes its write lock at `BEGIN IMMEDIATE`, so no later statement fails for lock
/// promotion. PostgreSQL runs at READ COMMITTED; a transaction that it aborts for a deadlock or
/// a serialization failure is run again, a bounded number of times and for a bounded time. A nested
/// call is an error.
///
/// Whoever locks several rows does so in one order, so that nobody waits in a circle: the pause whose
/// dues are spread, problems (by their identity), then solves (by their numbers), then what hangs on a
/// solve or came with it (revisions, reviews, entries, submissions, XP), then the ring day, then pairs
/// of people (by the lower number, then the higher), a group, the account, and last the jobs that several
/// enqueue under one id, such as the one that sends notifications. What is inserted locks what it refers
/// to. A submission that causes
/// something is written, or given its verdict, after its solve was locked; whoever only deletes,
/// dismisses or describes one, or names it by a further key, locks no solve, and nothing after it.
///
/// One exception: an import makes all first solves of a batch, by the numbers of their problems, with
/// what hangs on them, before it locks the solves that are there. Nobody waits for it in a circle:
/// whoever would make one of the same first solves waits for it before locking any solve, and to all
/// others those are not there yet.
///
/// # Errors
/// Whatever `work` returns, or the failure of `BEGIN` or `COMMIT`.
pub fn write<T, Reason>(
    db: &mut Db,
    mut work: impl FnMut(&mut Db) -> Work<T, Reason>,
) -> Work<T, Reason> {
    let began = Instant::now();
    let mut attempt = 1;
    loop {
        match once(db, &mut work) {
            Err(Stopped::Database(error))
                if attempt < ATTEMPTS
                    && began.elapsed() < BEGINNINGS
                    && is_transient(db, &error) =>
            {
                tracing::debug!(attempt, %error, "the transaction begins again");
                thread::sleep(Duration::from_millis(u64::from(attempt) * 5));
                attempt += 1;
            }
            result => return result,
        }
    }
}

/// Lets the statements of this transaction take as long as they need: for what is asked for once and
/// done whole, such as the deletion of an account.
///
/// # Errors
/// When the database fails.
pub fn take_your_time(db: &mut Db) -> QueryResult<()> {
    match db {
        Db::Postgres(conn) => conn.batch_execute("set local statement_timeout = 0"),
        Db::Sqlite(_) => Ok(()),
    }
}

/// Does a part of a transaction, and takes it back unless `is_kept`: then nothing of it is left, but it
/// has cost the same time.
///
/// # Errors
/// Whatever `work` returns, or the failure of the savepoint.
pub fn keep_if<T>(
    db: &mut Db,
    is_kept: bool,
    work: impl FnOnce(&mut Db) -> QueryResult<T>,
) -> QueryResult<T> {
    savepoint(db)?;
    let done = work(db);
    if is_kept && done.is_ok() {
        commit(db)?;
    } else {
        rollback(db)?;
    }
    done
}

/// Runs `work`, which only reads, so that all its statements see one state of the database.
///
/// # Errors
/// Whatever `work` returns, or the failure of `BEGIN` or `COMMIT`.
pub fn snapshot<T, Reason>(
    db: &mut Db,
    work: impl FnOnce(&mut Db) -> Work<T, Reason>,
) -> Work<T, Reason> {
    match db {
        Db::Postgres(conn) => AnsiTransactionManager::begin_transaction_sql(
            conn,
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        )?,
        Db::Sqlite(conn) => AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN")?,
    }
    let result = work(db);
    match &result {
        Ok(_) => commit(db)?,
        Err(_) => rollback(db)?,
    }
    result
}

fn once<T, Reason>(
    db: &mut Db,
    work: &mut impl FnMut(&mut Db) -> Work<T, Reason>,
) -> Work<T, Reason> {
    begin(db)?;
    match work(db) {
        Ok(value) => {
            commit(db)?;
            Ok(value)
        }
        Err(stopped) => {
            rollback(db)?;
            Err(stopped)
        }
    }
}

/// Begins a write transaction, for callers that end it themselves.
pub(super) fn begin(db: &mut Db) -> QueryResult<()> {
    match db {
        Db::Postgres(conn) => AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN"),
        Db::Sqlite(conn) => AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN IMMEDIATE"),
    }
}

pub(super) fn commit(db: &mut Db) -> QueryResult<()> {
    <Db as Connection>::TransactionManager::commit_transaction(db)
}

pub(super) fn rollback(db: &mut Db) -> QueryResult<()> {
    <Db as Connection>::TransactionManager::rollback_transaction(db)
}

/// Begins a savepoint inside a transaction; [`commit`] and [`rollback`] end it.
pub(super) fn savepoint(db: &mut Db) -> QueryResult<()> {
    <Db as Connection>::TransactionManager::begin_transaction(db)
}

/// Diesel 2.3 gives a deadlock as `Unknown`, without its SQLSTATE, and the text of the message
/// depends on the language of the server. Beginning again is harmless for any other `Unknown`.
pub(super) fn is_transient(db: &Db, error: &Error) -> bool {
    matches!(db, Db::Postgres(_))
        && matches!(error, Error::DatabaseError(Kind::SerializationFailure | Kind::Unknown, _))
}
