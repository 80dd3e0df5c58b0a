//! Jobs that nobody can do: one ends the process, one panics, one cannot be read, one is of a kind
//! that nobody knows. Each stays alone with its fate.

use super::report::{REPAIR, Report};
use super::stage::{SOON, Stage};
use super::times;
use super::worker::{Abort, Deed, Panic};
use crate::harness::{Database, on_both};
use diesel::prelude::*;
use std::time::{Duration, Instant};
use traverse::jobs::model::State;
use traverse::schema::jobs;

/// How many jobs end their process: each does it three times.
fn rounds() -> usize {
    times().div_ceil(3)
}

/// State, attempts and the last error of a job.
fn fate(stage: &mut Stage<'_>, job_id: &str) -> (State, i32, String) {
    let row: (State, i32, Option<String>) = jobs::table
        .filter(jobs::job_id.eq(job_id))
        .select((jobs::state, jobs::attempts, jobs::last_error))
        .first(&mut stage.db)
        .unwrap();
    (row.0, row.1, row.2.unwrap_or_default())
}

on_both! {
    fn a_job_that_ends_the_process_is_dead_and_others_flow(database: Database) {
        let mut stage = Stage::on(&database);
        let mut report = Report::default();
        let mut workers = [stage.worker(), stage.worker()];
        for number in 0..rounds() {
            stage.load(24, 300);
            stage.put(&[Abort { number, takes: 50 }]);
            stage.load(48, 300);
            let (id, began) = (format!("abort-{number}"), Instant::now());
            let (mut deaths, mut lost) = (0, Vec::new());
            while fate(&mut stage, &id).0 != State::Dead {
                assert!(began.elapsed() < SOON, "{:?}", fate(&mut stage, &id));
                for worker in &mut workers {
                    if worker.is_running() {
                        continue;
                    }
                    let in_flight = stage.in_flight(worker);
                    deaths += 1;
                    report.in_flight += in_flight.len();
                    lost.push((in_flight, Instant::now()));
                    stage.bury(worker);
                    *worker = stage.worker();
                }
                let running = stage.running();
                lost.retain(|(in_flight, died)| {
                    let is_lost = !running.is_disjoint(in_flight);
                    if !is_lost {
                        report.repairs.push(died.elapsed());
                    }
                    is_lost
                });
                std::thread::sleep(Duration::from_millis(20));
            }
            report.repairs.extend(lost.into_iter().map(|(_, died)| died.elapsed()));
            let (_, attempts, error) = fate(&mut stage, &id);
            assert_eq!((deaths, attempts), (3, 3));
            assert!(error.contains("the lease ran out"), "{error}");
            report.times += deaths;
        }
        stage.until_over();
        let dead = stage.count(State::Dead);
        assert_eq!(dead, i64::try_from(rounds()).unwrap(), "others are dead too");
        (report.lost, report.doubled) = stage.lost_and_doubled();
        report.print("a job that ends the process", database.backend, REPAIR);
    }

    fn what_nobody_can_do_stays_alone(database: Database) {
        let mut stage = Stage::on(&database);
        let mut report = Report::default();
        stage.put(&[Panic { number: 0, takes: 50 }]);
        stage.put(&[Deed { number: 1_000_000, takes: 0 }, Deed { number: 1_000_001, takes: 0 }]);
        let change = |id: &'static str| diesel::update(jobs::table.filter(jobs::job_id.eq(id)));
        change("deed-1000000").set(jobs::payload.eq("{")).execute(&mut stage.db).unwrap();
        change("deed-1000001").set(jobs::kind.eq("unheard-of")).execute(&mut stage.db).unwrap();
        stage.load(60, 300);
        let workers = [stage.worker(), stage.worker()];
        let began = Instant::now();
        while fate(&mut stage, "panic-0").0 != State::Dead {
            assert!(began.elapsed() < SOON);
            std::thread::sleep(Duration::from_millis(5));
        }
        report.in_flight = workers.iter().map(|worker| stage.in_flight(worker).len()).sum();
        while stage.open() > 2 {
            assert!(began.elapsed() < SOON);
            std::thread::sleep(Duration::from_millis(20));
        }
        let (found, _, error) = fate(&mut stage, "panic-0");
        assert!(found == State::Dead && error.contains("on purpose"), "{found:?} {error}");
        let (found, attempts, error) = fate(&mut stage, "deed-1000000");
        assert!(found == State::Pending && error.contains("payload"), "{found:?} {error}");
        assert_eq!(attempts, 1);
        // It waits for a worker of a version that knows it.
        assert_eq!(fate(&mut stage, "deed-1000001"), (State::Pending, 0, String::new()));
        report.times = 3;
        (report.lost, report.doubled) = stage.lost_and_doubled();
        report.print("a panic, rubbish, an unknown kind", database.backend, Duration::ZERO);
    }
}
