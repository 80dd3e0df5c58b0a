//! The replay of a known key: its rate against that of first calls, and what it writes.

use super::load;
use super::report::{self, Goal, Row};
use super::scale::size;
use super::seed;
use super::server::{Backend, Database, Server};
use super::submission;
use diesel::RunQueryDsl;
use diesel::connection::SimpleConnection;
use diesel::sql_types::BigInt;
use std::time::Duration;
use traverse::db::Db;

fn rounds() -> usize {
    size(5, 1)
}

const CONNECTIONS: usize = 16;

fn time() -> Duration {
    size(Duration::from_secs(3), Duration::from_secs(1))
}

/// Known keys of each connection.
const KNOWN: usize = 200;

pub fn take() -> Vec<Row> {
    Backend::BOTH.into_iter().flat_map(on).collect()
}

fn on(backend: Backend) -> Vec<Row> {
    let database = Database::migrated(backend);
    let mut db = database.connect();
    if let Db::Postgres(_) = db {
        // What it cleans up behind the first calls would count as written by the replays.
        db.batch_execute("alter system set autovacuum = off").unwrap();
        db.batch_execute("select pg_reload_conf()").unwrap();
    }
    seed::fill(&mut db, seed::USERS, seed::PROBLEMS);
    let server = Server::start(&database);
    let first = |round: usize| {
        load::rate(server.address, CONNECTIONS, time(), 201, |connection, number| {
            submission::new(round, connection, number)
        })
    };
    let replay = || {
        load::rate(server.address, CONNECTIONS, time(), 200, |connection, number| {
            submission::new(0, connection, number % KNOWN)
        })
    };
    know(&server);
    // As the database itself does after some time: until then plans count on empty tables.
    seed::settle(&mut db);
    let (mut firsts, mut replays, mut written) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=rounds() {
        firsts.push(first(round).rate);
        // What the first calls have left to do is theirs.
        if let Db::Postgres(_) = db {
            db.batch_execute("vacuum").unwrap();
        }
        seed::checkpoint(&mut db);
        let before = Log::now(&database, &mut db);
        let load = replay();
        written.push(before.grown(&Log::now(&database, &mut db)) / load.sent);
        replays.push(load.rate);
    }
    let name = backend.name();
    let (replayed, called) = report::in_the_middle(&replays, &firsts);
    let detail = format!("{replayed:.0}/s against {called:.0}/s");
    let rate = format!("Replays a second on {name}, against first calls");
    let bytes = format!("Write-ahead log on {name}, for each replay");
    if let Db::Postgres(_) = db {
        db.batch_execute("alter system reset autovacuum").unwrap();
        db.batch_execute("select pg_reload_conf()").unwrap();
    }
    vec![
        Row::ratio(rate, Goal::AtLeast(2.0), report::ratios(&replays, &firsts), detail),
        Row {
            // What the server notes of itself every 15 s, over thousands of replays.
            goal: Some(Goal::AtMost(1.0)),
            ..Row::plain(bytes, "bytes", written, "all bytes over all replays")
        },
    ]
}

/// Sends each known key for the first time.
fn know(server: &Server) {
    std::thread::scope(|scope| {
        for connection in 0..CONNECTIONS {
            scope.spawn(move || {
                let mut http = load::Connection::open(server.address);
                for number in 0..KNOWN {
                    http.send(&submission::new(0, connection, number)).expect(201);
                }
            });
        }
    });
}

/// Where the write-ahead log is.
enum Log {
    /// The place in it.
    Postgres(i64),
    /// All of it: SQLite begins again at its front, so that its length alone says little.
    Sqlite(Vec<u8>),
}

#[derive(diesel::QueryableByName)]
struct Place {
    #[diesel(sql_type = BigInt)]
    place: i64,
}

impl Log {
    fn now(database: &Database, db: &mut Db) -> Self {
        match db {
            Db::Sqlite(_) => Self::Sqlite(std::fs::read(database.file("-wal")).unwrap()),
            Db::Postgres(connection) => {
                let statement =
                    "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint as place";
                Self::Postgres(
                    diesel::sql_query(statement).get_result::<Place>(connection).unwrap().place,
                )
            }
        }
    }

    fn grown(&self, later: &Self) -> f64 {
        let bytes = match (self, later) {
            (Self::Postgres(before), Self::Postgres(after)) => usize::try_from(after - before),
            (Self::Sqlite(before), Self::Sqlite(after)) => {
                let same = before.iter().zip(after).filter(|(before, after)| before == after);
                Ok(before.len().max(after.len()) - same.count())
            }
            _ => panic!("two logs of different databases"),
        };
        load::number(bytes.unwrap())
    }
}
