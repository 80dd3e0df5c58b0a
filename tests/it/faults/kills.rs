//! `kill -9` of a worker that is at something.

use super::report::{REPAIR, Report};
use super::stage::Stage;
use super::times;
use crate::harness::{Database, on_both};
use std::time::{Duration, Instant};

on_both! {
    fn what_a_killed_worker_was_at_is_done_by_another(database: Database) {
        let mut stage = Stage::on(&database);
        let mut report = Report::default();
        stage.load(60, 250);
        let mut workers = [stage.worker(), stage.worker()];
        for round in 0..times() {
            stage.load(60, 250);
            let victim = &mut workers[round % 2];
            stage.until_busy(victim);
            std::thread::sleep(Duration::from_millis(rand::random_range(0..300)));
            stage.until_busy(victim);
            let killed = Instant::now();
            victim.kill();
            let in_flight = stage.in_flight(victim);
            if in_flight.is_empty() {
                // It was between two jobs: that is no fault.
                stage.bury(victim);
                workers[round % 2] = stage.worker();
                continue;
            }
            report.times += 1;
            report.in_flight += in_flight.len();
            stage.bury(victim);
            report.repairs.push(stage.until_repaired(&in_flight, killed));
            workers[round % 2] = stage.worker();
        }
        stage.until_over();
        (report.lost, report.doubled) = stage.lost_and_doubled();
        report.print("`kill -9` of a worker", database.backend, REPAIR);
    }
}
