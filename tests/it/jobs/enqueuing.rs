//! What an id means, and what is claimed when.

use super::{Base, Ping, Recount, SOON, STOP, Starts, effect, pause, run, settings, sleeper};
use crate::harness::on_both;
use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use traverse::db::Db;
use traverse::db::tx::{self, Stopped, Work};
use traverse::jobs::model::{Mode, State};
use traverse::jobs::registry::Registry;
use traverse::jobs::{Failed, Job, enqueue, enqueue_at, store};
use traverse::schema::jobs;

/// A job that goes before others.
#[derive(Serialize, Deserialize)]
struct Urgent(u64);

impl Job for Urgent {
    const KIND: &'static str = "urgent";
    const MODE: Mode = Mode::Once;
    const PRIORITY: i32 = 10;

    fn id(&self) -> String {
        format!("urgent-{}", self.0)
    }
}

fn offer<J: Job>(db: &mut Db, job: &J) -> bool {
    let offered: Work<bool> = tx::write(db, |db| Ok(enqueue(db, job)?));
    offered.unwrap()
}

/// Ids of jobs in the order in which one slot runs them.
fn in_order(base: &Base) -> Vec<String> {
    jobs::table
        .order((jobs::finished_at, jobs::id))
        .select(jobs::job_id)
        .load(&mut base.database.connect())
        .unwrap()
}

fn state_of(base: &Base, job_id: &str) -> State {
    jobs::table
        .filter(jobs::job_id.eq(job_id))
        .select(jobs::state)
        .first(&mut base.database.connect())
        .unwrap()
}

on_both! {
    fn it_is_part_of_its_transaction(base: Base) {
        let mut db = base.database.connect();
        let undone: Work<(), &str> = tx::write(&mut db, |db| {
            effect(db, "cause")?;
            assert!(enqueue(db, &Ping(1))?);
            Err(Stopped::Because("rolled back"))
        });
        assert!(undone.is_err());
        assert_eq!((base.effects(), base.states().as_str()), (0, ""));
        assert!(offer(&mut db, &Ping(1)), "the ledger was rolled back too");
    }

    fn once_is_once_and_a_run_that_waits_is_one(base: Base) {
        run(async move {
            let runs = Starts::default();
            let counted = runs.clone();
            let registry = sleeper(Duration::ZERO).0.on::<Recount, _, _>(
                move |_: Recount| {
                    counted.add();
                    async {
                        pause(500).await;
                        Ok::<(), Failed>(())
                    }
                },
            );
            let ten = |is_first: bool| {
                let mut db = base.database.connect();
                assert_eq!(offer(&mut db, &Ping(0)), is_first);
                let new = (0..10).filter(|_| offer(&mut db, &Recount)).count();
                assert_eq!(new, 1);
            };
            ten(true);
            let worker = base.start(settings(), registry);
            base.until("done1 running1").await;
            // What happens during a run makes exactly one more.
            ten(false);
            base.until("done1 done1 done1").await;
            assert_eq!(runs.get(), 2);
            // An id that ended: once is refused, also after the purge; the other runs again.
            let mut db = base.database.connect();
            assert_eq!(store::purge(&mut db, -60.0, 100).unwrap(), 3);
            assert!(!offer(&mut db, &Ping(0)));
            assert!(offer(&mut db, &Recount));
            base.until("done1").await;
            worker.stop(STOP).await;
        });
    }

    fn runs_of_one_id_do_not_overlap(base: Base) {
        run(async move {
            let (now, most) = (Starts::default(), Starts::default());
            let (inside, seen) = (now.clone(), most.clone());
            let registry = Registry::default().on::<Recount, _, _>(move |_: Recount| {
                let (inside, seen) = (inside.clone(), seen.clone());
                async move {
                    if inside.add() > 0 {
                        seen.add();
                    }
                    pause(300).await;
                    inside.0.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    Ok::<(), Failed>(())
                }
            });
            let worker = base.start(settings(), registry);
            offer(&mut base.database.connect(), &Recount);
            base.until("running1").await;
            offer(&mut base.database.connect(), &Recount);
            pause(150).await;
            assert_eq!(base.states(), "running1 pending0");
            base.until("done1 done1").await;
            assert_eq!(most.get(), 0);
            worker.stop(STOP).await;
        });
    }

    fn the_urgent_go_first_and_the_later_wait(base: Base) {
        run(async move {
            let mut db = base.database.connect();
            let present = store::clock(&mut db).unwrap();
            let later = (*present + chrono::TimeDelta::milliseconds(1500)).into();
            assert!(enqueue_at(&mut db, &Ping(9), Some(later)).unwrap());
            base.pings(0..3);
            assert!(offer(&mut db, &Urgent(1)));
            let registry =
                sleeper(Duration::ZERO).0.on::<Urgent, _, _>(|_: Urgent| async {
                    Ok::<(), Failed>(())
                });
            let one = traverse::jobs::backend::Settings { slots: 1, ..settings() };
            let worker = base.start(one, registry);
            base.until("done1 done1 done1 done1 done1").await;
            assert_eq!(in_order(&base), ["urgent-1", "ping-0", "ping-1", "ping-2", "ping-9"]);
            let ended: traverse::db::instant::At = jobs::table
                .filter(jobs::job_id.eq("ping-9"))
                .select(jobs::finished_at.assume_not_null())
                .first(&mut db)
                .unwrap();
            assert!(ended >= later, "{ended:?} before {later:?}");
            worker.stop(STOP).await;
        });
    }

    /// While a worker goes on where its last claim ended, what belongs before that place waits a
    /// second at most.
    fn the_urgent_need_not_wait_for_a_long_queue(base: Base) {
        run(async move {
            base.pings(0..1600);
            let registry = sleeper(Duration::from_millis(50))
                .0
                .on::<Urgent, _, _>(|_: Urgent| async { Ok::<(), Failed>(()) });
            let worker = base.start(settings(), registry);
            pause(1200).await;
            assert!(offer(&mut base.database.connect(), &Urgent(1)));
            let began = Instant::now();
            while state_of(&base, "urgent-1") != State::Done {
                assert!(began.elapsed() < SOON);
                pause(20).await;
            }
            let waiting: i64 = jobs::table
                .filter(jobs::state.eq(State::Pending))
                .count()
                .get_result(&mut base.database.connect())
                .unwrap();
            assert!(waiting > 100, "{waiting} wait");
            worker.stop(STOP).await;
        });
    }

    /// A worker of the process is woken, it does not find out.
    fn whoever_enqueues_wakes_a_worker(base: Base) {
        run(async move {
            let lazy = traverse::jobs::backend::Settings {
                poll: Duration::from_mins(10),
                ..settings()
            };
            let worker = base.start(lazy, sleeper(Duration::ZERO).0);
            pause(500).await;
            for number in 0..3 {
                let put: Work<bool> =
                    base.pool.write(move |db| Ok(enqueue(db, &Ping(number))?)).await;
                assert!(put.unwrap());
                let done = vec!["done1"; usize::try_from(number).unwrap() + 1].join(" ");
                base.until(&done).await;
            }
            worker.stop(STOP).await;
        });
    }

    /// On PostgreSQL it has locked the run that waits, and claims have passed over that meanwhile.
    fn whoever_joins_a_run_that_waits_wakes_a_worker_too(base: Base) {
        run(async move {
            let lazy = traverse::jobs::backend::Settings {
                poll: Duration::from_mins(10),
                ..settings()
            };
            let registry = Registry::default()
                .on::<Recount, _, _>(|_: Recount| async { Ok::<(), Failed>(()) });
            let worker = base.start(lazy, registry);
            pause(500).await;
            assert!(offer(&mut base.database.connect(), &Recount), "as another process does");
            let joined: Work<bool> = base.pool.write(|db| Ok(enqueue(db, &Recount)?)).await;
            assert!(!joined.unwrap());
            base.until("done1").await;
            worker.stop(STOP).await;
        });
    }

    fn a_worker_has_no_more_than_its_slots(base: Base) {
        run(async move {
            base.pings(0..24);
            let four = traverse::jobs::backend::Settings { slots: 4, ..settings() };
            let (registry, starts) = sleeper(Duration::from_millis(100));
            let worker = base.start(four, registry);
            let mut most = 0;
            while starts.get() < 24 {
                most = most.max(base.states().matches("running").count());
                pause(5).await;
            }
            assert!((2..=4).contains(&most), "{most}");
            base.until(&vec!["done1"; 24].join(" ")).await;
            worker.stop(STOP).await;
        });
    }
}
