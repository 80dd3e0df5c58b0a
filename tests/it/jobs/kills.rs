//! A process that dies at any call of the database: whatever the call, what was enqueued has its
//! effect once in the end.

use super::{Base, Ping, effect, settings};
use crate::harness::faults;
use crate::harness::on_both;
use apalis_core::task::data::Data;
use diesel::prelude::*;
use traverse::db::Db;
use traverse::db::pool::Pool;
use traverse::jobs::lease::Lease;
use traverse::jobs::model::State;
use traverse::jobs::registry::Registry;
use traverse::jobs::worker::Worker;
use traverse::schema::jobs;

/// More calls than a worker makes for one job, until it looks for the next.
const CALLS: i64 = 14;

fn registry() -> Registry {
    Registry::default().on::<Ping, _, _>(|job: Ping, pool: Data<Pool>, lease: Lease| async move {
        lease.finish(&pool, move |db| Ok(effect(db, &format!("ping-{}", job.0))?)).await
    })
}

/// As [`faults::live`], with our worker.
fn live(base: &Base, db: &mut Db, call: i64) -> bool {
    let start = |pool: Pool| {
        let tally = base.tally.clone();
        Worker::start(pool.clone(), settings(), registry(), &[], tally, pool)
    };
    faults::live(&base.database, call, start, || is_done(db))
}

fn is_done(db: &mut Db) -> bool {
    let open: i64 = jobs::table.filter(jobs::state.ne(State::Done)).count().get_result(db).unwrap();
    open == 0
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

on_both! {
    fn at_any_call_the_effect_exists_once(base: Base) {
        // It is open before anybody watches.
        let mut db = base.database.connect();
        let mut struck = 0;
        for call in 1..=CALLS {
            let number = u64::try_from(call).unwrap();
            base.pings(number..number + 1);
            struck += usize::from(live(&base, &mut db, call));
            expire(&mut db);
            live(&base, &mut db, 0);
            assert_eq!(base.effects(), call, "killed at call {call}: {}", base.states());
        }
        assert!(struck >= 8, "only {struck} of {CALLS} kills struck");
    }
}
