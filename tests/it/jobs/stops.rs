//! A worker that is told to stop.

use super::{Base, Ping, STOP, Starts, pause, run, settings, sleeper};
use crate::harness::{Database, on_both};
use diesel::connection::SimpleConnection;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use traverse::db::Db;
use traverse::jobs::backend::Settings;
use traverse::jobs::registry::Registry;
use traverse::jobs::{Failed, Job, enqueue};

/// Holds up every claim for a while, so that one is in flight when the stop comes; makes jobs that
/// it then finds.
pub fn hold_claims(
    database: &Database,
    time: Duration,
    enqueue: impl FnOnce(&mut Db),
) -> JoinHandle<()> {
    let mut db = database.connect();
    let begin = match db {
        Db::Postgres(_) => "begin; lock table jobs in share row exclusive mode;",
        Db::Sqlite(_) => "begin immediate;",
    };
    db.batch_execute(begin).unwrap();
    enqueue(&mut db);
    std::thread::spawn(move || {
        std::thread::sleep(time);
        db.batch_execute("commit").unwrap();
    })
}

on_both! {
    fn what_nobody_started_is_given_back_at_once(base: Base) {
        run(async move {
            base.pings(0..1);
            let (registry, starts) = sleeper(Duration::from_secs(5));
            let four = Settings { slots: 4, ..settings() };
            let worker = base.start(four, registry);
            base.until("running1").await;
            let held = hold_claims(&base.database, Duration::from_millis(900), |db| {
                for number in 100..105 {
                    enqueue(db, &Ping(number)).unwrap();
                }
            });
            // On SQLite the claimer looks without a lock, and sees nothing before the commit.
            pause(600).await;
            let stopped = actix_web::rt::spawn(worker.stop(STOP));
            while !held.is_finished() {
                pause(10).await;
            }
            held.join().unwrap();
            // The claim lands, and what it took is given back.
            pause(1000).await;
            // The first one still runs: apalis drains, and asks the backend nothing.
            assert_eq!(base.states(), format!("running1{}", " pending0".repeat(5)));
            stopped.await.unwrap();
            assert_eq!(base.states(), format!("done1{}", " pending0".repeat(5)));
            assert_eq!(starts.get(), 1);
        });
    }

    fn at_any_instant_nothing_is_lost_or_doubled(base: Base) {
        run(async move {
            base.pings(0..60);
            let mut started = Vec::new();
            for round in 0..12 {
                let (registry, starts) = sleeper(Duration::from_millis(30));
                let worker = base.start(Settings { slots: 3, ..settings() }, registry);
                pause(40 + round * 13).await;
                worker.stop(STOP).await;
                assert_eq!(base.states().matches("running").count(), 0, "{}", base.states());
                started.push(starts.get());
            }
            let (registry, starts) = sleeper(Duration::ZERO);
            let worker = base.start(settings(), registry);
            // Every attempt that began has ended, and no other was counted.
            base.until(&vec!["done1"; 60].join(" ")).await;
            worker.stop(STOP).await;
            assert_eq!(started.iter().sum::<usize>() + starts.get(), 60);
        });
    }

    /// However often: a stop is no failure, and what comes behind it in the queue is not held up.
    fn what_runs_too_long_is_dropped_and_pending_at_once(base: Base) {
        run(async move {
            base.pings(0..1);
            for _ in 0..=Ping::MAX_ATTEMPTS {
                let (registry, starts) = sleeper(Duration::from_mins(10));
                let worker = base.start(settings(), registry);
                starts.until(1).await;
                worker.stop(Duration::from_millis(300)).await;
                assert_eq!((starts.get(), base.states().as_str()), (1, "pending0"));
            }
            let second = Starts::default();
            let counted = second.clone();
            let registry = Registry::default()
                .on::<Ping, _, _>(move |_: Ping| {
                    counted.add();
                    async { Ok::<(), Failed>(()) }
                });
            let worker = base.start(settings(), registry);
            base.until("done1").await;
            worker.stop(STOP).await;
            assert_eq!(second.get(), 1);
        });
    }

    fn before_it_has_begun_it_stops_at_once(base: Base) {
        run(async move {
            base.pings(0..1);
            let began = Instant::now();
            let (registry, starts) = sleeper(Duration::ZERO);
            base.start(settings(), registry).stop(STOP).await;
            assert!(began.elapsed() < STOP / 2, "{:?}", began.elapsed());
            assert!(starts.get() <= 1);
        });
    }
}
