//! How an attempt ends: with its effect, or with none.

use super::{Base, Ping, Recount, STOP, Starts, effect, pause, run, settings};
use crate::harness::on_both;
use apalis_core::task::data::Data;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use std::time::Duration;
use traverse::db::pool::Pool;
use traverse::db::tx::Stopped;
use traverse::jobs::lease::Lease;
use traverse::jobs::registry::Registry;
use traverse::jobs::{Failed, Job, enqueue, store};
use traverse::schema::jobs;

/// The error of a job, and the seconds that it waits.
fn failure(base: &Base, job_id: &str) -> (String, i64) {
    let mut db = base.database.connect();
    let (error, run_at): (Option<String>, traverse::db::instant::At) = jobs::table
        .filter(jobs::job_id.eq(job_id))
        .select((jobs::last_error, jobs::run_at))
        .first(&mut db)
        .unwrap();
    (error.unwrap(), (*run_at - *store::clock(&mut db).unwrap()).num_seconds())
}

on_both! {
    fn it_completes_in_the_transaction_of_its_effect(base: Base) {
        run(async move {
            base.pings(0..2);
            let handler = |job: Ping, pool: Data<Pool>, lease: Lease| async move {
                assert_eq!(lease.attempt(), 1);
                lease
                    .finish(&pool, move |db| {
                        effect(db, "effect")?;
                        if job.0 == 1 {
                            let why = "after the effect".to_owned();
                            return Err(Stopped::Because(Failed::Because(why)));
                        }
                        Ok(())
                    })
                    .await
            };
            let registry = Registry::default().on::<Ping, _, _>(handler);
            let worker = base.start(settings(), registry);
            base.until("done1 pending1").await;
            assert_eq!(base.effects(), 1);
            let (error, wait) = failure(&base, "ping-1");
            assert_eq!(error, "after the effect");
            assert!((40..=66).contains(&wait), "{wait}");
            worker.stop(STOP).await;
            assert_eq!((base.tally.done.get(), base.tally.failed.get()), (1, 1));
        });
    }

    fn who_lost_the_lease_changes_nothing(base: Base) {
        run(async move {
            base.pings(0..1);
            let runs = Starts::default();
            let (counted, lost) = (runs.clone(), Starts::default());
            let noticed = lost.clone();
            // The first run loses its lease, as a process that was stopped does, and then writes. The
            // worker has claimed the job again by then, from itself.
            let handler = move |_: Ping, pool: Data<Pool>, lease: Lease| {
                let is_first = counted.add() == 0;
                let noticed = noticed.clone();
                async move {
                    if is_first {
                        let lost: traverse::db::tx::Work<()> = pool
                            .write(|db| {
                                Ok(db.batch_execute(
                                    "update jobs set state = 'pending', lease_token = null, \
                                     lease_until = null",
                                )?)
                            })
                            .await;
                        lost.unwrap();
                        pause(1000).await;
                        if lease.is_lost() {
                            noticed.add();
                        }
                    }
                    lease.finish(&pool, |db| Ok(effect(db, "effect")?)).await
                }
            };
            let worker = base.start(settings(), Registry::default().on::<Ping, _, _>(handler));
            base.until("done2").await;
            while base.tally.stale.get() == 0 {
                pause(20).await;
            }
            assert_eq!((base.effects(), base.states().as_str()), (1, "done2"));
            assert_eq!(lost.get(), 1, "the handler was told");
            worker.stop(STOP).await;
        });
    }

    fn rubbish_a_panic_and_an_unknown_kind_stay_alone(base: Base) {
        run(async move {
            base.pings(0..4);
            base.database
                .connect()
                .batch_execute(
                    "update jobs set payload = 'rubbish' where job_id = 'ping-0'; \
                     update jobs set kind = 'unheard-of' where job_id = 'ping-2'",
                )
                .unwrap();
            let handler = |job: Ping| async move {
                assert_ne!(job.0, 1, "on purpose \0");
                Ok::<(), Failed>(())
            };
            let worker = base.start(settings(), Registry::default().on::<Ping, _, _>(handler));
            base.until("pending1 pending1 pending0 done1").await;
            assert!(failure(&base, "ping-0").0.contains("payload"));
            assert!(failure(&base, "ping-1").0.contains("on purpose"));
            worker.stop(STOP).await;
        });
    }

    fn what_takes_too_long_is_dropped(base: Base) {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Slow;
        impl Job for Slow {
            const KIND: &'static str = "slow";
            const MODE: traverse::jobs::model::Mode = traverse::jobs::model::Mode::Once;
            const TIMEOUT: Duration = Duration::from_millis(200);
            fn id(&self) -> String {
                "slow".to_owned()
            }
        }
        run(async move {
            enqueue(&mut base.database.connect(), &Slow).unwrap();
            let registry = Registry::default().on::<Slow, _, _>(|_: Slow| async {
                pause(60_000).await;
                Ok::<(), Failed>(())
            });
            let worker = base.start(settings(), registry);
            base.until("pending1").await;
            assert!(failure(&base, "slow").0.contains("longer than 200ms"));
            worker.stop(STOP).await;
        });
    }

    fn who_is_asked_to_wait_waits_so_long(base: Base) {
        run(async move {
            base.pings(0..1);
            let handler = |_: Ping| async {
                let wait = Duration::from_secs(500);
                Err::<(), _>(Failed::Later { wait, why: "the other side is busy".to_owned() })
            };
            let worker = base.start(settings(), Registry::default().on::<Ping, _, _>(handler));
            base.until("pending1").await;
            let (error, wait) = failure(&base, "ping-0");
            assert_eq!(error, "the other side is busy");
            assert!((470..=500).contains(&wait), "{wait}");
            worker.stop(STOP).await;
        });
    }

    fn the_last_failure_is_the_end(base: Base) {
        run(async move {
            base.pings(0..1);
            let handler = |_: Ping| async {
                Err::<(), _>(Failed::Later { wait: Duration::ZERO, why: "never".to_owned() })
            };
            let worker = base.start(settings(), Registry::default().on::<Ping, _, _>(handler));
            base.until("dead3").await;
            worker.stop(STOP).await;
            // Behind the stop: the row is written before it is counted.
            assert_eq!(base.tally.dead.get(), 1);
        });
    }

    /// What the run that waits does, covers the one that failed.
    fn a_run_that_fails_is_absorbed_by_the_one_that_waits(base: Base) {
        run(async move {
            let runs = Starts::default();
            let counted = runs.clone();
            let handler = move |_: Recount| {
                let is_first = counted.add() == 0;
                async move {
                    pause(400).await;
                    if is_first { Err(Failed::Because("no".to_owned())) } else { Ok(()) }
                }
            };
            let worker = base.start(settings(), Registry::default().on::<Recount, _, _>(handler));
            enqueue(&mut base.database.connect(), &Recount).unwrap();
            runs.until(1).await;
            enqueue(&mut base.database.connect(), &Recount).unwrap();
            base.until("absorbed1 done1").await;
            assert_eq!(runs.get(), 2);
            worker.stop(STOP).await;
        });
    }
}
