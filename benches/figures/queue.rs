//! The queue: jobs a second, against apalis' own backends and against the fewest statements that do
//! as much; how long a job waits for its start; what an idle worker costs; what claims cost beside a
//! transaction that has been open for long.

use super::load;
use super::report::{self, Goal, Row};
use super::scale::{is_rehearsal, size};
use super::seed;
use super::server::{self, Backend, Database};
use actix_web::rt::System;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use serde::{Deserialize, Serialize};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use traverse::db::pool::Pool;
use traverse::db::tx::{self, Work};
use traverse::db::{Db, Location};
use traverse::jobs::backend::Settings;
use traverse::jobs::model::{Mode, State};
use traverse::jobs::registry::Registry;
use traverse::jobs::tally::Tally;
use traverse::jobs::worker::Worker;
use traverse::jobs::{Failed, Job, enqueue};
use traverse::schema::jobs;

fn rounds() -> usize {
    size(5, 1)
}

fn jobs_of_a_round() -> usize {
    size(20_480, 192)
}

/// Connections of a process: half of those that `serve` has.
const CONNECTIONS: u32 = 8;
const PGBENCH: [&str; 4] = ["--no-vacuum", "--protocol=prepared", "--client=4", "--jobs=2"];
const SCRIPT: &str = "benches/figures/queue.sql";
const JOBS_OF_A_CALL: usize = 16;
const CLIENTS: usize = 4;

/// A job that does nothing.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Nothing(i64);

impl Job for Nothing {
    const KIND: &'static str = "nothing";
    const MODE: Mode = Mode::Once;

    fn id(&self) -> String {
        format!("nothing-{}", self.0)
    }
}

pub fn take() -> Vec<Row> {
    let mut rows = Vec::new();
    for backend in Backend::BOTH {
        rows.extend(rate(backend));
    }
    for backend in Backend::BOTH {
        rows.extend(starts(backend));
        rows.extend(idle(backend));
    }
    rows.push(beside_an_old_snapshot());
    rows
}

fn rate(backend: Backend) -> Vec<Row> {
    let (mut ours, mut peers, mut ceilings) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds() {
        ours.push(worked(&filled(backend, jobs_of_a_round())));
        // It is another program, which takes minutes to build.
        if !is_rehearsal() {
            peers.push(peer(backend));
        }
        if backend == Backend::Postgres {
            ceilings.push(ceiling());
        }
    }
    let name = backend.name();
    let mut rows = Vec::new();
    if !peers.is_empty() {
        let (one, other) = report::in_the_middle(&ours, &peers);
        let peer = match backend {
            Backend::Postgres => "apalis-postgres 1.0",
            Backend::Sqlite => "apalis-sqlite 1.0, `synchronous=FULL` both",
        };
        rows.push(Row::ratio(
            format!("Jobs a second on {name}, 16 at once, against {peer}"),
            Goal::AtLeast(1.0),
            report::ratios(&ours, &peers),
            format!("{one:.0}/s against {other:.0}/s"),
        ));
    }
    if !ceilings.is_empty() {
        let (one, other) = report::in_the_middle(&ours, &ceilings);
        rows.push(
            Row::ratio(
                format!("Jobs a second on {name}, against pgbench with two statements for 16"),
                Goal::AtLeast(0.5),
                report::ratios(&ours, &ceilings),
                format!("{one:.0}/s against {other:.0}/s"),
            )
            .against(format!("pgbench {} --file={SCRIPT}", PGBENCH.join(" "))),
        );
    }
    rows
}

/// A new database in which so many jobs wait.
fn filled(backend: Backend, jobs: usize) -> Database {
    let database = Database::migrated(backend);
    let mut db = database.connect();
    fill(&mut db, "nothing", jobs);
    seed::settle(&mut db);
    database
}

fn fill(db: &mut Db, name: &str, jobs: usize) {
    let now = match db {
        Db::Postgres(_) => "now()",
        Db::Sqlite(_) => "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')",
    };
    db.batch_execute(&format!(
        "insert into jobs (job_id, kind, payload, mode, priority, max_attempts, run_at) \
         with recursive numbers (n) as \
           (select 1 union all select n + 1 from numbers where n < {jobs}) \
         select '{name}-' || n, 'nothing', '0', 'once', 0, 10, {now} from numbers"
    ))
    .unwrap();
}

fn count(db: &mut Db, state: State) -> usize {
    let count: i64 = jobs::table.filter(jobs::state.eq(state)).count().get_result(db).unwrap();
    usize::try_from(count).unwrap()
}

/// Jobs that a worker of ours does a second, until the database says that all are done.
fn worked(database: &Database) -> f64 {
    let mut db = database.connect();
    let (jobs, ended) = (jobs_of_a_round(), count(&mut db, State::Done));
    System::new().block_on(async {
        let (pool, tally) = (open(database), Tally::new().unwrap());
        let began = Instant::now();
        let worker = start(&pool, &tally, || {});
        while usize::try_from(tally.done.get()).unwrap() < jobs {
            actix_web::rt::time::sleep(Duration::from_millis(1)).await;
        }
        let rate = load::number(jobs) / began.elapsed().as_secs_f64();
        assert_eq!(count(&mut db, State::Done), ended + jobs);
        worker.stop(Duration::from_secs(10)).await;
        pool.close();
        rate
    })
}

fn open(database: &Database) -> Pool {
    Pool::open(&database.location, CONNECTIONS).unwrap()
}

/// A worker as `serve` has it, whose jobs do nothing but tell that they have begun.
fn start(pool: &Pool, tally: &Tally, begun: impl Fn() + Clone + Send + Sync + 'static) -> Worker {
    let registry = Registry::default().on::<Nothing, _, _>(move |_: Nothing| {
        begun();
        async { Ok::<(), Failed>(()) }
    });
    Worker::start(pool.clone(), Settings::default(), registry, &[], tally.clone(), ())
}

/// The same by the backend that apalis has for the database.
fn peer(backend: Backend) -> f64 {
    let database = Database::empty(backend);
    let (name, place) = match &database.location {
        Location::Postgres(url) => ("postgres", url.clone()),
        Location::Sqlite(path) => ("sqlite", path.clone()),
    };
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/target/peers/release/peers");
    let output = Command::new(program)
        .args([name, &place, &jobs_of_a_round().to_string()])
        .output()
        .expect("target/peers holds the peers; run `scripts/bench`");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

/// Jobs a second, if nothing is done for them but what the database must do.
fn ceiling() -> f64 {
    let database = filled(Backend::Postgres, jobs_of_a_round());
    let Location::Postgres(url) = &database.location else { panic!("this is PostgreSQL's") };
    let calls = jobs_of_a_round() / JOBS_OF_A_CALL / CLIENTS;
    let output = Command::new("pgbench")
        .args(PGBENCH)
        .arg(format!("--transactions={calls}"))
        .arg(format!("--file={}/{SCRIPT}", env!("CARGO_MANIFEST_DIR")))
        .arg(url)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let calls: f64 = text
        .lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok())
        .unwrap();
    let done = count(&mut database.connect(), State::Done);
    assert!(done * 10 >= jobs_of_a_round() * 9, "only {done} were done");
    calls * load::number(JOBS_OF_A_CALL)
}

/// From the commit of an enqueueing to the start of its handler, in milliseconds.
fn starts(backend: Backend) -> Vec<Row> {
    let woken = waits(backend, true, size(500, 5));
    let polled = waits(backend, false, size(100, 2));
    let mut rows = Vec::new();
    for (how, waits) in
        [("by the process that enqueued", woken), ("by another, which polls", polled)]
    {
        let mut sorted = waits.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted[(sorted.len() * 99 / 100).min(sorted.len() - 1)];
        rows.push(Row::plain(
            format!("Enqueued to started on {}, {how}: the median", backend.name()),
            "ms",
            vec![report::median(&waits)],
            format!("the 99th percentile is {last:.1} ms; {} jobs", waits.len()),
        ));
    }
    rows
}

fn waits(backend: Backend, is_woken: bool, jobs: usize) -> Vec<f64> {
    let database = Database::migrated(backend);
    let started: Arc<Mutex<Option<Instant>>> = Arc::default();
    System::new().block_on(async {
        let (pool, seen) = (open(&database), started.clone());
        let worker = start(&pool, &Tally::new().unwrap(), move || {
            *seen.lock().unwrap() = Some(Instant::now());
        });
        let mut other = database.connect();
        let mut waits = Vec::new();
        for number in 0..i64::try_from(jobs).unwrap() {
            // Not in step with the polls.
            let pause = if is_woken { 10 } else { 10 + number.unsigned_abs() * 137 % 1000 };
            actix_web::rt::time::sleep(Duration::from_millis(pause)).await;
            *started.lock().unwrap() = None;
            if is_woken {
                let put: Work<bool> =
                    pool.write(move |db| Ok(enqueue(db, &Nothing(number))?)).await;
                assert!(put.unwrap());
            } else {
                let put: Work<bool> =
                    tx::write(&mut other, |db| Ok(enqueue(db, &Nothing(number))?));
                assert!(put.unwrap());
            }
            let enqueued = Instant::now();
            let at = loop {
                if let Some(at) = *started.lock().unwrap() {
                    break at;
                }
                actix_web::rt::time::sleep(Duration::from_millis(1)).await;
            };
            waits.push(at.saturating_duration_since(enqueued).as_secs_f64() * 1e3);
        }
        worker.stop(Duration::from_secs(10)).await;
        pool.close();
        waits
    })
}

/// A worker with nothing to do.
struct Idle(Child);

impl Drop for Idle {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn idle(backend: Backend) -> Vec<Row> {
    let database = Database::migrated(backend);
    let program =
        std::env::var("TRAVERSE_BENCH_BINARY").unwrap_or(env!("CARGO_BIN_EXE_traverse").to_owned());
    let worker = Idle(
        Command::new(program)
            .arg("worker")
            .env("DATABASE_URL", database.url())
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    std::thread::sleep(Duration::from_secs(size(10, 3)));
    let mut db = database.connect();
    let mut looked = || (server::processor_of(worker.0.id()), transactions(&mut db));
    let (before, began) = (looked(), Instant::now());
    std::thread::sleep(Duration::from_secs(size(60, 1)));
    let (after, minutes) = (looked(), began.elapsed().as_secs_f64() / 60.0);
    let name = backend.name();
    let mut rows = vec![Row::plain(
        format!("An idle worker on {name}: processor time a minute"),
        "ms",
        vec![(after.0 - before.0) / minutes],
        "of its process, to 10 ms",
    )];
    if let (Some(before), Some(after)) = (before.1, after.1) {
        rows.push(Row::plain(
            format!("An idle worker on {name}: transactions a minute"),
            "",
            vec![(after - before) / minutes],
            "`pg_stat_database`; each is one statement, but for the heartbeat's",
        ));
    }
    rows
}

/// What PostgreSQL has counted, this look included; SQLite does not count.
fn transactions(db: &mut Db) -> Option<f64> {
    #[derive(QueryableByName)]
    struct Commits {
        #[diesel(sql_type = BigInt)]
        commits: i64,
    }
    let Db::Postgres(conn) = db else { return None };
    let counted: Commits = sql_query(
        "select xact_commit as commits from pg_stat_database where datname = current_database()",
    )
    .get_result(conn)
    .unwrap();
    Some(f64::from(i32::try_from(counted.commits).unwrap()))
}

/// Jobs a second where a transaction is open that began before many others ended, against a table
/// without such a past.
fn beside_an_old_snapshot() -> Row {
    let dead = size(100_000, 320);
    let (mut burdened, mut fresh) = (Vec::new(), Vec::new());
    for _ in 0..rounds() {
        fresh.push(worked(&filled(Backend::Postgres, jobs_of_a_round())));
        burdened.push(worked_beside(dead));
    }
    let (one, other) = report::in_the_middle(&burdened, &fresh);
    Row::ratio(
        format!(
            "Jobs a second on PostgreSQL with {dead} that have ended since the begin of an open \
             transaction, against a fresh table"
        ),
        Goal::AtLeast(0.5),
        report::ratios(&burdened, &fresh),
        format!("{one:.0}/s against {other:.0}/s"),
    )
}

fn worked_beside(dead: usize) -> f64 {
    let database = filled(Backend::Postgres, dead);
    let mut old = database.connect();
    // That it is there is what keeps the dead, not for how long.
    old.batch_execute("begin isolation level repeatable read; select count(*) from users").unwrap();
    let mut db = database.connect();
    db.batch_execute("update jobs set state = 'done', finished_at = now(), fresh = false").unwrap();
    fill(&mut db, "new", jobs_of_a_round());
    worked(&database)
}
