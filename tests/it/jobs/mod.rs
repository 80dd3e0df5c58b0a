//! The queue on both databases: what is enqueued runs, its effect exists once, whatever happens to
//! the worker or to the database in between.

mod admin;
mod attempts;
mod enqueuing;
mod kills;
mod leases;
mod outages;
mod processes;
mod schedules;
pub mod stops;
mod upkeep;

use crate::harness::{Backend, Database};
use actix_web::rt::System;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use traverse::db::Db;
use traverse::db::pool::Pool;
use traverse::db::tx::{self, Work};
use traverse::jobs::backend::Settings;
use traverse::jobs::model::{Mode, State};
use traverse::jobs::registry::Registry;
use traverse::jobs::schedule::Schedule;
use traverse::jobs::tally::Tally;
use traverse::jobs::worker::Worker;
use traverse::jobs::{Failed, Job, enqueue};
use traverse::schema::jobs;

/// A database with a table for the effects of jobs, and what workers share.
pub struct Base {
    pub database: Database,
    pub pool: Pool,
    pub tally: Tally,
}

/// A job that runs once for each number.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Ping(pub u64);

impl Job for Ping {
    const KIND: &'static str = "ping";
    const MODE: Mode = Mode::Once;
    const MAX_ATTEMPTS: i32 = 3;
    const LEASE: Duration = Duration::from_millis(1500);

    fn id(&self) -> String {
        format!("ping-{}", self.0)
    }
}

/// A job of which one run waits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Recount;

impl Job for Recount {
    const KIND: &'static str = "recount";
    const MODE: Mode = Mode::Coalesce;
    const MAX_ATTEMPTS: i32 = 3;
    const LEASE: Duration = Duration::from_millis(1500);

    fn id(&self) -> String {
        "recount".to_owned()
    }
}

/// How soon what must happen has happened, on a busy machine too: an attempt that fails since that
/// one was too busy is repeated after a minute and a bit.
pub const SOON: Duration = Duration::from_secs(150);

impl Base {
    pub fn fresh(backend: Backend) -> Self {
        let database = Database::fresh(backend);
        database.connect().batch_execute("create table effects (what text not null)").unwrap();
        let pool = Pool::open(&database.location, 8).unwrap();
        Self { database, pool, tally: Tally::new().unwrap() }
    }

    pub fn start(&self, settings: Settings, registry: Registry) -> Worker {
        self.start_with(settings, registry, &[])
    }

    pub fn start_with(
        &self,
        settings: Settings,
        registry: Registry,
        schedules: &'static [Schedule],
    ) -> Worker {
        let pool = self.pool.clone();
        Worker::start(pool.clone(), settings, registry, schedules, self.tally.clone(), pool)
    }

    pub fn pings(&self, numbers: std::ops::Range<u64>) {
        let mut db = self.database.connect();
        let put: Work<()> = tx::write(&mut db, |db| {
            for number in numbers.clone() {
                assert!(enqueue(db, &Ping(number))?);
            }
            Ok(())
        });
        put.unwrap();
    }

    /// State and attempts of every job, in the order in which they came: `done1 pending0`.
    pub fn states(&self) -> String {
        let rows: Vec<(State, i32)> = jobs::table
            .order(jobs::id)
            .select((jobs::state, jobs::attempts))
            .load(&mut self.database.connect())
            .unwrap();
        let rows: Vec<_> =
            rows.iter().map(|(state, attempts)| format!("{}{attempts}", state.as_str())).collect();
        rows.join(" ")
    }

    pub async fn until(&self, wanted: &str) {
        let began = Instant::now();
        loop {
            let states = self.states();
            if states == wanted {
                return;
            }
            assert!(began.elapsed() < SOON, "wanted [{wanted}], have [{states}]");
            actix_web::rt::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub fn effects(&self) -> i64 {
        #[derive(QueryableByName)]
        struct Count {
            #[diesel(sql_type = BigInt)]
            count: i64,
        }
        let count: Count = diesel::sql_query("select count(*) as count from effects")
            .get_result(&mut self.database.connect())
            .unwrap();
        count.count
    }
}

/// A worker for tests: it looks often.
pub fn settings() -> Settings {
    Settings { slots: 16, poll: Duration::from_millis(100), sweep: Duration::from_millis(200) }
}

pub fn effect(db: &mut Db, what: &str) -> Result<(), diesel::result::Error> {
    let insert = diesel::sql_query("insert into effects (what) values ($1)");
    match db {
        Db::Postgres(conn) => insert.bind::<Text, _>(what).execute(conn),
        Db::Sqlite(conn) => insert.bind::<Text, _>(what).execute(conn),
    }
    .map(drop)
}

/// Counts how often something began.
#[derive(Clone, Default)]
pub struct Starts(Arc<AtomicUsize>);

impl Starts {
    pub fn add(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst)
    }

    pub fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// A row that runs was claimed; its handler begins a little later.
    pub async fn until(&self, wanted: usize) {
        let began = Instant::now();
        while self.get() < wanted {
            assert!(began.elapsed() < SOON, "{} of {wanted} began", self.get());
            pause(5).await;
        }
    }
}

/// A registry in which a ping takes so long.
pub fn sleeper(time: Duration) -> (Registry, Starts) {
    let starts = Starts::default();
    let counted = starts.clone();
    let registry = Registry::default().on::<Ping, _, _>(move |_: Ping| {
        counted.add();
        async move {
            actix_web::rt::time::sleep(time).await;
            Ok::<(), Failed>(())
        }
    });
    (registry, starts)
}

/// Runs a test that awaits.
pub fn run(test: impl Future<Output = ()>) {
    System::new().block_on(test);
}

pub async fn pause(milliseconds: u64) {
    actix_web::rt::time::sleep(Duration::from_millis(milliseconds)).await;
}

/// How long a worker may take to stop.
pub const STOP: Duration = Duration::from_secs(20);
