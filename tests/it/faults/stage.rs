//! A load, the processes that work on it, and what their logs and the rows say.

use super::worker::{self, Call, Deed};
use crate::harness::{Database, Process};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use traverse::db::Db;
use traverse::db::either::OnEither;
use traverse::db::tx::{self, Work};
use traverse::jobs::model::State;
use traverse::jobs::{Job, enqueue};
use traverse::schema::jobs;

/// An attempt: the row of a job, and the number of the attempt from 1.
pub type Attempt = (i64, i32);

/// How soon what must happen has happened, on a busy machine too.
pub const SOON: Duration = Duration::from_secs(150);

/// A database with a load.
pub struct Stage<'a> {
    pub database: &'a Database,
    pub db: Db,
    /// Jobs of the load so far.
    jobs: usize,
    /// What the processes that are gone have said.
    gone: String,
}

impl<'a> Stage<'a> {
    pub fn on(database: &'a Database) -> Self {
        let mut db = database.connect();
        db.batch_execute("create table effects (what text not null)").unwrap();
        Self { database, db, jobs: 0, gone: String::new() }
    }

    pub fn put<J: Job>(&mut self, all: &[J]) {
        let put: Work<()> = tx::write(&mut self.db, |db| {
            for job in all {
                assert!(enqueue(db, job)?);
            }
            Ok(())
        });
        put.unwrap();
    }

    /// Adds jobs to the load, every other one with an effect, until so many wait.
    pub fn load(&mut self, wanted: i64, takes: u64) {
        let waiting = self.count(State::Pending);
        let more = usize::try_from((wanted - waiting).max(0)).unwrap();
        let numbers = self.jobs..self.jobs + more;
        self.jobs += more;
        let (even, odd): (Vec<_>, Vec<_>) = numbers.partition(|number| number % 2 == 0);
        let deeds: Vec<_> = even.into_iter().map(|number| Deed { number, takes }).collect();
        let calls: Vec<_> = odd.into_iter().map(|number| Call { number, takes }).collect();
        self.put(&deeds);
        self.put(&calls);
    }

    pub fn count(&mut self, state: State) -> i64 {
        jobs::table.filter(jobs::state.eq(state)).count().get_result(&mut self.db).unwrap()
    }

    /// How many wait or run, in one look: what is rescued in between is in neither of two.
    pub fn open(&mut self) -> i64 {
        let open = jobs::table.filter(jobs::state.eq_any([State::Pending, State::Running]));
        open.count().get_result(&mut self.db).unwrap()
    }

    /// The attempts that run, as the rows say.
    pub fn running(&mut self) -> BTreeSet<Attempt> {
        let rows: Vec<Attempt> = jobs::table
            .filter(jobs::state.eq(State::Running))
            .select((jobs::id, jobs::attempts))
            .load(&mut self.db)
            .unwrap();
        rows.into_iter().collect()
    }

    /// What a process was at, by its log and by the rows.
    pub fn in_flight(&mut self, process: &Process) -> BTreeSet<Attempt> {
        let running = self.running();
        let log = process.log();
        let ended = said(&log, "ended");
        said(&log, "began").difference(&ended).filter(|it| running.contains(it)).copied().collect()
    }

    /// Waits until a process is at something.
    pub fn until_busy(&mut self, process: &Process) {
        let began = Instant::now();
        while self.in_flight(process).is_empty() {
            assert!(began.elapsed() < SOON, "it does nothing: {}", process.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Keeps what a process has said that is gone.
    pub fn bury(&mut self, process: &Process) {
        self.gone.push_str(&process.log());
    }

    /// What all have said.
    pub fn logs(&self, living: &[&Process]) -> String {
        living.iter().fold(self.gone.clone(), |all, process| all + &process.log())
    }

    /// How long it took from an instant on until nobody waited for these attempts any more.
    pub fn until_repaired(&mut self, lost: &BTreeSet<Attempt>, since: Instant) -> Duration {
        while !self.running().is_disjoint(lost) {
            assert!(since.elapsed() < SOON, "they run for ever: {lost:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
        since.elapsed()
    }

    /// Waits until nothing waits or runs.
    pub fn until_over(&mut self) {
        let began = Instant::now();
        while self.open() > 0 {
            assert!(began.elapsed() < SOON, "{} are open", self.open());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Jobs of the load without an end or without their effect, and effects too many.
    pub fn lost_and_doubled(&mut self) -> (usize, usize) {
        #[derive(QueryableByName)]
        struct Row {
            #[diesel(sql_type = Text)]
            what: String,
            #[diesel(sql_type = BigInt)]
            times: i64,
        }
        let query = "select what, count(*) as times from effects group by what";
        let rows: Vec<Row> = diesel::sql_query(query).load_on(&mut self.db).unwrap();
        let doubled = rows.iter().map(|row| usize::try_from(row.times - 1).unwrap()).sum();
        let effects: BTreeSet<String> = rows.into_iter().map(|row| row.what).collect();
        let done: BTreeSet<String> = jobs::table
            .filter(jobs::state.eq(State::Done))
            .select(jobs::job_id)
            .load(&mut self.db)
            .unwrap()
            .into_iter()
            .collect();
        let is_there = |number: &usize| match number % 2 {
            0 => {
                let id = format!("deed-{number}");
                done.contains(&id) && effects.contains(&id)
            }
            _ => done.contains(&format!("call-{number}")),
        };
        ((0..self.jobs).filter(|number| !is_there(number)).count(), doubled)
    }

    /// A process more.
    pub fn worker(&self) -> Process {
        worker::start(self.database)
    }
}

/// The attempts of which a log says something.
pub fn said(log: &str, what: &str) -> BTreeSet<Attempt> {
    lines(log, what).collect()
}

/// How often each job began.
pub fn starts(log: &str) -> BTreeMap<i64, usize> {
    let mut starts = BTreeMap::new();
    for (id, _) in lines(log, "began") {
        *starts.entry(id).or_default() += 1;
    }
    starts
}

/// Lines that are not whole are of a process that just writes them.
fn lines(log: &str, what: &str) -> impl Iterator<Item = Attempt> {
    let whole = log.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.filter_map(move |line| {
        let (id, attempt) = line.trim_end().strip_prefix(what)?.trim_start().split_once(' ')?;
        Some((id.parse().ok()?, attempt.parse().ok()?))
    })
}

/// What a worker counted until its end: acknowledgements that came too late, jobs given back.
pub fn counted(log: &str) -> (usize, usize) {
    let line = log.lines().rev().find_map(|line| line.strip_prefix("counted ")).unwrap();
    let (stale, released) = line.split_once(' ').unwrap();
    (stale.parse().unwrap(), released.parse().unwrap())
}
