//! A worker process that is told to stop.

use super::report::Report;
use super::stage::{SOON, Stage, counted, said, starts};
use super::times;
use super::worker::{Deed, LEASE, SLOTS};
use crate::harness::{Backend, Database, on_both};
use crate::jobs::stops::hold_claims;
use diesel::prelude::*;
use std::time::{Duration, Instant};
use traverse::jobs::enqueue;
use traverse::jobs::model::State;
use traverse::schema::jobs;

/// Until then what was claimed and has not begun is pending again.
const AT_ONCE: Duration = Duration::from_secs(1);

on_both! {
    /// It has the time that it needs, and nobody else begins it meanwhile.
    fn a_job_longer_than_its_lease_is_not_begun_again(database: Database) {
        let mut stage = Stage::on(&database);
        let mut report = Report::default();
        for round in 0..times() {
            let mut told = stage.worker();
            let takes = 2 * u64::try_from(LEASE.as_millis()).unwrap();
            stage.put(&[Deed { number: 1_000_000 + round, takes }]);
            stage.until_busy(&told);
            report.in_flight += stage.in_flight(&told).len();
            report.times += 1;
            let mut other = stage.worker();
            stage.load(8, 100);
            told.signal("TERM");
            assert!(told.wait(SOON).success(), "{}", told.log());
            let log = told.log();
            assert_eq!(said(&log, "began"), said(&log, "ended"), "it was dropped");
            stage.until_over();
            other.signal("TERM");
            assert!(other.wait(SOON).success(), "{}", other.log());
            stage.bury(&told);
            stage.bury(&other);
        }
        assert!(starts(&stage.logs(&[])).values().all(|times| *times == 1), "a second start");
        (report.lost, report.doubled) = stage.lost_and_doubled();
        report.print("`SIGTERM`, a job longer than its lease", database.backend, Duration::ZERO);
    }

    /// On PostgreSQL every other time a claim is held up, so that it is on its way.
    fn at_any_instant_what_has_not_begun_is_pending(database: Database) {
        let mut stage = Stage::on(&database);
        let mut report = Report::default();
        let mut given_back = 0;
        for round in 0..2 * times() {
            let is_held = round % 2 == 1 && database.backend == Backend::Postgres;
            let mut told = stage.worker();
            let mut held = None;
            // Some slots stay free where a claim is to be on its way.
            if is_held {
                stage.until_over();
            }
            let enough = if is_held { SLOTS / 2 } else { 4 * SLOTS };
            stage.load(i64::try_from(enough).unwrap(), 600);
            stage.until_busy(&told);
            if is_held {
                std::thread::sleep(Duration::from_millis(100));
                held = Some(hold_claims(&database, Duration::from_millis(700), |db| {
                    for number in 0..3 {
                        let number = 2_000_000 + 10 * round + number;
                        enqueue(db, &Deed { number, takes: 100 }).unwrap();
                    }
                }));
                std::thread::sleep(Duration::from_millis(450));
            } else {
                std::thread::sleep(Duration::from_millis(rand::random_range(0..500)));
            }
            let in_flight = stage.in_flight(&told).len();
            told.signal("TERM");
            if let Some(held) = held {
                held.join().unwrap();
            }
            let stopped = Instant::now();
            report.in_flight += in_flight;
            report.times += usize::from(in_flight > 0);
            // All that runs is what its log says; a claim may land meanwhile, and is given back.
            let mut pending = stopped.elapsed();
            while stopped.elapsed() < AT_ONCE {
                let running = stage.running();
                if !running.is_subset(&said(&told.log(), "began")) {
                    pending = stopped.elapsed();
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            let (running, log) = (stage.running(), told.log());
            assert!(running.is_subset(&said(&log, "began")), "{running:?} {log}");
            report.repairs.push(pending);
            assert!(told.wait(SOON).success(), "{}", told.log());
            given_back += counted(&told.log()).1;
            stage.bury(&told);
            assert_attempts_are_starts(&mut stage);
        }
        let mut last = stage.worker();
        stage.until_over();
        last.signal("TERM");
        assert!(last.wait(SOON).success(), "{}", last.log());
        stage.bury(&last);
        assert_attempts_are_starts(&mut stage);
        (report.lost, report.doubled) = stage.lost_and_doubled();
        eprintln!("{given_back} jobs were claimed, not begun and given back");
        assert!(given_back >= times() || database.backend == Backend::Sqlite, "{given_back}");
        report.print("`SIGTERM` at random instants", database.backend, AT_ONCE);
    }
}

/// No attempt was counted that did not begin, and none was cut off.
fn assert_attempts_are_starts(stage: &mut Stage<'_>) {
    let starts = starts(&stage.logs(&[]));
    let rows: Vec<(i64, i32, State)> =
        jobs::table.select((jobs::id, jobs::attempts, jobs::state)).load(&mut stage.db).unwrap();
    for (id, attempts, state) in rows {
        let began = starts.get(&id).copied().unwrap_or_default();
        assert_eq!(usize::try_from(attempts).unwrap(), began, "{id} is {state:?}");
        assert_eq!(began, usize::from(state == State::Done), "{id} is {state:?}");
    }
}
