//! Broadcasts: whoever is of the audience is told once, however often and wherever their job dies.

mod kills;
mod routes;

use crate::harness::Server;
use crate::harness::faults;
use diesel::prelude::*;
use std::time::Duration;
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

/// As [`faults::live`], with our worker.
fn live(server: &Server, db: &mut Db, call: i64) -> bool {
    let start = |pool: Pool| {
        let app = App { pool: pool.clone(), ..server.app.clone() };
        let registry = Registry::default().on::<BroadcastFanout, _, _>(fan_out);
        let settings = Settings {
            slots: 2,
            poll: Duration::from_millis(50),
            sweep: Duration::from_millis(200),
        };
        Worker::start(pool, settings, registry, &[], Tally::new().unwrap(), app)
    };
    faults::live(&server.database, call, start, || !has_work(db))
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
