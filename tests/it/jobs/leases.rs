//! Who holds a job, and what happens when that one is silent.

use super::{Base, SOON, STOP, pause, run, settings, sleeper};
use crate::harness::{Backend, on_both};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::time::{Duration, Instant};
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::jobs::backend::Settings;
use traverse::jobs::model::{Held, State};
use traverse::jobs::{guards, store};
use traverse::schema::jobs;

/// What waits has waited.
fn come_due(db: &mut Db) {
    diesel::update(jobs::table.filter(jobs::state.eq(State::Pending)))
        .set(jobs::run_at.eq(crate::harness::rows::then()))
        .execute(db)
        .unwrap();
}

on_both! {
    /// A lease of 1.5 s lives through a drain of 4 s.
    fn it_lives_through_a_drain(base: Base) {
        run(async move {
            base.pings(0..1);
            let (registry, starts) = sleeper(Duration::from_secs(4));
            let worker = base.start(settings(), registry);
            starts.until(1).await;
            let (other_registry, other) = sleeper(Duration::ZERO);
            let second = base.start(settings(), other_registry);
            worker.stop(STOP).await;
            assert_eq!((starts.get(), other.get()), (1, 0));
            assert_eq!(base.states(), "done1");
            second.stop(STOP).await;
        });
    }

    /// Two workers look for silent leases; one of 1.5 s is taken over within two seconds of it.
    fn a_job_whose_worker_vanished_is_taken_over(base: Base) {
        run(async move {
            base.pings(0..1);
            let mut db = base.database.connect();
            let (registry, starts) = sleeper(Duration::ZERO);
            // A claim by nobody who will ever answer.
            let claimed =
                guards::claim_jobs(&mut db, &registry.kinds(), "gone", 1, None).unwrap();
            assert_eq!(claimed.len(), 1);
            let began = Instant::now();
            let worker = base.start(settings(), registry);
            pause(700).await;
            assert_eq!((starts.get(), base.states().as_str()), (0, "running1"));
            base.until("done2").await;
            assert!(began.elapsed() > Duration::from_millis(1200), "{:?}", began.elapsed());
            worker.stop(STOP).await;
            assert_eq!(base.tally.rescued.get(), 1);
        });
    }

    fn a_thousand_that_are_healthy_do_not_hide_one_that_is_not(base: Base) {
        run(async move {
            base.pings(0..1001);
            let mut db = base.database.connect();
            let (registry, _) = sleeper(Duration::from_secs(8));
            let kinds = registry.kinds();
            // The last of all is the orphan.
            let claimed =
                guards::claim_jobs(&mut db, &kinds, "gone", 2000, None).unwrap();
            let (healthy, orphan) = claimed.split_at(1000);
            let held: Vec<_> = healthy
                .iter()
                .map(|row| Held {
                    id: row.id,
                    token: row.lease_token.clone(),
                })
                .collect();
            let (second, _) = sleeper(Duration::ZERO);
            let worker = base.start(Settings { slots: 1, ..settings() }, second);
            let began = Instant::now();
            loop {
                // The heartbeat of the others.
                let kept =
                    guards::extend_leases(&mut db, &kinds, &held).unwrap();
                assert_eq!(kept.len(), held.len());
                let states = base.states();
                if states.contains("done2") {
                    break;
                }
                assert!(began.elapsed() < SOON);
                pause(300).await;
            }
            assert_eq!(base.states().matches("running1").count(), 1000);
            assert_eq!(orphan.len(), 1);
            worker.stop(STOP).await;
        });
    }

    fn a_crash_loop_ends_as_dead(base: Base) {
        run(async move {
            base.pings(0..1);
            let mut db = base.database.connect();
            let kinds = sleeper(Duration::ZERO).0.kinds();
            for attempt in 1..=3 {
                let name = format!("crash{attempt}");
                let claimed =
                    guards::claim_jobs(&mut db, &kinds, &name, 1, None).unwrap();
                assert_eq!(claimed[0].attempts, attempt);
                assert_eq!(guards::rescue_jobs(&mut db).unwrap(), 0);
                pause(1600).await;
                assert_eq!(guards::rescue_jobs(&mut db).unwrap(), 1);
                come_due(&mut db);
            }
            assert_eq!(base.states(), "dead3");
        });
    }

    /// One that ends its worker does not take the same others with it until all are dead.
    fn what_is_lost_again_comes_back_at_another_time(base: Base) {
        base.pings(0..40);
        let mut db = base.database.connect();
        let kinds = sleeper(Duration::ZERO).0.kinds();
        let mut lose = |name: &str| {
            let claimed = guards::claim_jobs(&mut db, &kinds, name, 100, None).unwrap();
            assert_eq!(claimed.len(), 40);
            diesel::update(jobs::table)
                .set(jobs::lease_until.eq(crate::harness::rows::then()))
                .execute(&mut db)
                .unwrap();
            assert_eq!(guards::rescue_jobs(&mut db).unwrap(), 40);
            let now = store::clock(&mut db).unwrap();
            let run_at = jobs::table.select(jobs::run_at).load::<At>(&mut db).unwrap();
            let wait = run_at.into_iter().map(|at| (*at - *now).as_seconds_f64());
            wait.fold((f64::MAX, f64::MIN), |(least, most), it| (least.min(it), most.max(it)))
        };
        let (_, most) = lose("first");
        assert!(most <= 0.0, "{most}");
        let (least, most) = lose("second");
        assert!(least > -1.0 && most <= 10.0 && most - least > 3.0, "{least} to {most}");
    }
}

/// On SQLite the claims and the acknowledgements wait for one writer.
#[test]
fn claims_go_on_beside_an_acknowledgement_that_waits_but_not_for_ever_postgres() {
    let base = Base::fresh(Backend::Postgres);
    run(async move {
        base.pings(0..4);
        let (registry, starts) = sleeper(Duration::from_millis(300));
        let worker = base.start(Settings { slots: 1, ..settings() }, registry);
        starts.until(1).await;
        // Nobody can write down that the first one has ended.
        let mut other = base.database.connect();
        other
            .batch_execute("begin; select id from jobs where job_id = 'ping-0' for update")
            .unwrap();
        starts.until(2).await;
        pause(1000).await;
        assert_eq!(
            (starts.get(), base.states().as_str()),
            (2, "running1 running1 pending0 pending0")
        );
        other.batch_execute("commit").unwrap();
        base.until("done1 done1 done1 done1").await;
        assert_eq!(starts.get(), 4);
        worker.stop(STOP).await;
    });
}
