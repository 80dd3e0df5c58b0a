//! Two callers in turn: the second comes while the transaction of the first is open, and waits.

use super::{Backend, Database};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use std::sync::mpsc::{TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};
use traverse::db::Db;

/// How the transaction of the first caller ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Commit,
    Rollback,
}

/// How long the second caller may take to arrive at its lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// Begins a write transaction that the test ends.
pub fn begin(database: &Database, db: &mut Db) {
    let begin = match database.backend {
        Backend::Postgres => "begin",
        Backend::Sqlite => "begin immediate",
    };
    db.batch_execute(begin).unwrap();
}

/// The first caller calls and keeps its transaction open; the second calls too, and is made sure to
/// wait; the first ends. Returns what each of them got.
pub fn overlap<T: Send>(
    database: &Database,
    ending: Ending,
    call: impl Fn(&mut Db) -> T + Sync,
) -> (T, T) {
    let (mut first, mut second) = (database.connect(), database.connect());
    begin(database, &mut first);
    let won = call(&mut first);
    let waiter = waiter(&mut second);
    let (sender, results) = channel();
    let second_got = thread::scope(|scope| {
        let call = &call;
        scope.spawn(move || {
            begin(database, &mut second);
            let got = call(&mut second);
            second.batch_execute("commit").unwrap();
            sender.send(got).unwrap();
        });
        wait_for(database, waiter);
        assert!(
            matches!(results.try_recv(), Err(TryRecvError::Empty)),
            "the second caller did not wait"
        );
        first
            .batch_execute(match ending {
                Ending::Commit => "commit",
                Ending::Rollback => "rollback",
            })
            .unwrap();
        results.recv().unwrap()
    });
    (won, second_got)
}

/// Whoever comes second wins after a rollback, and loses after a commit. `wins` is called with 0
/// for the pair that rolls back, with 1 for the one that commits, and tells whether it won.
pub fn wins_only_after_a_rollback(
    database: &Database,
    wins: impl Fn(&mut Db, usize) -> bool + Sync,
) {
    assert_eq!(overlap(database, Ending::Rollback, |db| wins(db, 0)), (true, true), "rolled back");
    assert_eq!(overlap(database, Ending::Commit, |db| wins(db, 1)), (true, false), "committed");
}

/// On PostgreSQL whoever comes second passes over what the first has locked, without a wait, and gets
/// it after a rollback; on SQLite the second waits. Both functions are called with 0 for the pair
/// that rolls back, with 1 for the one that commits; `takes` tells whether it took something.
pub fn passes_over(
    database: &Database,
    prepare: impl Fn(&mut Db, usize),
    takes: impl Fn(&mut Db, usize) -> bool + Sync,
) {
    for (pair, ending) in [Ending::Rollback, Ending::Commit].into_iter().enumerate() {
        let mut second = database.connect();
        prepare(&mut second, pair);
        let is_free_again = ending == Ending::Rollback;
        if database.backend == Backend::Sqlite {
            let got = overlap(database, ending, |db| takes(db, pair));
            assert_eq!(got, (true, is_free_again), "{ending:?}");
            continue;
        }
        let mut first = database.connect();
        first.batch_execute("begin").unwrap();
        assert!(takes(&mut first, pair));
        second.batch_execute("set lock_timeout = '1s'").unwrap();
        assert!(!takes(&mut second, pair), "it is locked");
        first.batch_execute(if is_free_again { "rollback" } else { "commit" }).unwrap();
        assert_eq!(takes(&mut second, pair), is_free_again, "{ending:?}");
    }
}

#[derive(QueryableByName)]
struct Waits {
    #[diesel(sql_type = Bool)]
    waits: bool,
}

/// The session that will wait, where the server knows sessions.
fn waiter(db: &mut Db) -> Option<i64> {
    match db {
        Db::Postgres(conn) => Some(
            diesel::select(diesel::dsl::sql::<BigInt>("pg_backend_pid()::bigint"))
                .get_result(conn)
                .unwrap(),
        ),
        Db::Sqlite(_) => None,
    }
}

/// Returns when the second caller waits for a lock.
fn wait_for(database: &Database, waiter: Option<i64>) {
    wait_until(database, waiter.map(|pid| format!("pid = {pid}")));
}

/// Returns when anybody in this database waits for a lock.
pub fn wait_for_anybody(database: &Database) {
    let anybody =
        (database.backend == Backend::Postgres).then(|| "datname = current_database()".to_owned());
    wait_until(database, anybody);
}

/// SQLite tells nobody who waits; but there nobody can pass, so that a moment for the thread to start
/// is all that is needed.
fn wait_until(database: &Database, waiter: Option<String>) {
    let Some(who) = waiter else {
        thread::sleep(Duration::from_millis(30));
        return;
    };
    let mut db = database.connect();
    let Db::Postgres(conn) = &mut db else { unreachable!("only a server has sessions") };
    let began = Instant::now();
    let waits = format!(
        "select exists (select from pg_stat_activity \
         where {who} and wait_event_type = 'Lock') as waits"
    );
    while began.elapsed() < PATIENCE {
        let found: Waits = diesel::sql_query(&waits).get_result(conn).unwrap();
        if found.waits {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
    panic!("the second caller did not come to wait for the first");
}
