//! Broadcasts: whoever is of the audience is told once, however often and wherever their job dies.

mod kills;
mod routes;

use crate::harness::faults::Kill;
use crate::harness::{Database, Server};
use actix_web::rt::System;
use diesel::prelude::*;
use std::time::{Duration, Instant};
use traverse::app::App;
use traverse::broadcasts::fanout::{BroadcastFanout, fan_out};
use traverse::db::Db;
use traverse::db::pool::Pool;
use traverse::jobs::backend::Settings;
use traverse::jobs::model::State;
use traverse::jobs::registry::Registry;
use traverse::jobs::tally::Tally;
use traverse::jobs::worker::Worker;
use traverse::schema::{jobs, notifications};

/// How soon what must happen has happened, on a busy machine too.
const SOON: Duration = Duration::from_mins(2);

/// One life of a worker: until its job has ended, or until it is killed at a call of the database (0:
/// it never is). Whether it was.
fn live(server: &Server, db: &mut Db, call: i64) -> bool {
    let database: &Database = &server.database;
    let kill = Kill::watch(database);
    // All connections are open before anybody counts.
    let own = Pool::open(&database.location, 1).unwrap();
    let pool = own.clone();
    System::new().block_on(async {
        kill.arm(call);
        let app = App { pool: pool.clone(), ..server.app.clone() };
        let registry = Registry::default().on::<BroadcastFanout, _, _>(fan_out);
        let settings = Settings {
            slots: 2,
            poll: Duration::from_millis(50),
            sweep: Duration::from_millis(200),
        };
        let _worker = Worker::start(pool, settings, registry, &[], Tally::new().unwrap(), app);
        let began = Instant::now();
        while !kill.has_struck() && has_work(db) {
            assert!(began.elapsed() < SOON, "neither done nor killed");
            actix_web::rt::time::sleep(Duration::from_millis(10)).await;
        }
        // The runtime ends, and with it everything that the worker was at.
    });
    // The thread that writes to SQLite is none of the runtime's: nothing of it may come later.
    own.close();
    kill.disarm(database)
}

fn has_work(db: &mut Db) -> bool {
    let open: i64 = jobs::table
        .filter(jobs::kind.eq("broadcast-fanout"))
        .filter(jobs::state.eq(State::Pending).or(jobs::state.eq(State::Running)))
        .count()
        .get_result(db)
        .unwrap();
    open > 0
}

/// Time passes: nobody answers for what was running, and what failed has waited.
fn expire(db: &mut Db) {
    diesel::update(jobs::table.filter(jobs::state.eq(State::Running)))
        .set(jobs::lease_until.eq(crate::harness::rows::then()))
        .execute(db)
        .unwrap();
    diesel::update(jobs::table.filter(jobs::state.eq(State::Pending)))
        .set(jobs::run_at.eq(crate::harness::rows::then()))
        .execute(db)
        .unwrap();
}

/// How many were told of a broadcast.
fn told(db: &mut Db, id: i64) -> i64 {
    notifications::table
        .filter(notifications::dedup_key.eq(format!("broadcast:{id}")))
        .count()
        .get_result(db)
        .unwrap()
}
