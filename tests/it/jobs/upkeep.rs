//! The queue's own job, killed at any call of the database: what ended long ago goes, and nothing
//! else does.

use super::Ping;
use crate::harness::{Server, faults, on_both, rows};
use chrono::TimeDelta;
use diesel::prelude::*;
use std::time::Duration;
use traverse::app::App;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::db::pool::Pool;
use traverse::jobs::backend::Settings;
use traverse::jobs::guards::record_tick;
use traverse::jobs::model::State;
use traverse::jobs::purge::PurgeJobs;
use traverse::jobs::worker::Worker;
use traverse::jobs::{enqueue, store};
use traverse::schema::{job_ticks, jobs};

/// As [`faults::live`], with our worker.
fn live(server: &Server, db: &mut Db, call: i64) -> bool {
    let start = |pool: Pool| {
        let app = App { pool: pool.clone(), ..server.app.clone() };
        let settings =
            Settings { slots: 2, poll: Duration::from_millis(50), sweep: Duration::from_secs(5) };
        let registry = traverse::worker::registry();
        Worker::start(pool, settings, registry, &[], app.jobs.clone(), app)
    };
    faults::live(&server.database, call, start, || is_done(db))
}

fn is_done(db: &mut Db) -> bool {
    // In one look: what is rescued in between is in neither of two.
    let open = jobs::table.filter(jobs::state.eq_any([State::Pending, State::Running]));
    open.count().get_result(db) == Ok(0)
}

fn count(db: &mut Db, state: State) -> i64 {
    jobs::table.filter(jobs::state.eq(state)).count().get_result(db).unwrap()
}

/// A job that ended so many days ago.
fn ended(db: &mut Db, number: i64, state: State, days: i64) {
    let job = Ping(u64::try_from(number).unwrap());
    assert!(enqueue(db, &job).unwrap());
    let finished_at = ago(db, TimeDelta::days(days));
    diesel::update(jobs::table.filter(jobs::state.eq(State::Pending)))
        .set((jobs::state.eq(state), jobs::fresh.eq(false), jobs::finished_at.eq(finished_at)))
        .execute(db)
        .unwrap();
}

fn ago(db: &mut Db, time: TimeDelta) -> At {
    (*store::clock(db).unwrap() - time).into()
}

/// Time passes: nobody answers for what was running, and what failed has waited.
fn expire(db: &mut Db) {
    diesel::update(jobs::table.filter(jobs::state.eq(State::Running)))
        .set(jobs::lease_until.eq(rows::then()))
        .execute(db)
        .unwrap();
    diesel::update(jobs::table.filter(jobs::state.eq(State::Pending)))
        .set(jobs::run_at.eq(rows::then()))
        .execute(db)
        .unwrap();
}

on_both! {
    fn at_any_call_what_ended_long_ago_goes(server: Server) {
        let mut db = server.database.connect();
        let present = ago(&mut db, TimeDelta::zero());
        assert!(record_tick(&mut db, "hourly", present).unwrap());
        let mut struck = 0;
        for call in 1.. {
            ended(&mut db, 3 * call, State::Done, 8);
            ended(&mut db, 3 * call + 1, State::Done, 6);
            ended(&mut db, 3 * call + 2, State::Dead, 8);
            let tick = ago(&mut db, TimeDelta::days(3));
            assert!(record_tick(&mut db, "hourly", tick).unwrap());
            assert!(enqueue(&mut db, &PurgeJobs {}).unwrap());
            let is_struck = live(&server, &mut db, call);
            expire(&mut db);
            live(&server, &mut db, 0);
            let pings = jobs::table.filter(jobs::kind.eq("ping").and(jobs::state.eq(State::Done)));
            assert_eq!(pings.count().get_result(&mut db), Ok(call), "killed at call {call}");
            assert_eq!(count(&mut db, State::Dead), call, "killed at call {call}");
            let ticks = job_ticks::table.count().get_result(&mut db);
            assert_eq!(ticks, Ok(1), "killed at call {call}");
            if !is_struck {
                break;
            }
            struck += 1;
        }
        println!("{struck} kills, each at another call");
        assert!(struck >= 6, "only {struck} kills struck");
    }
}
