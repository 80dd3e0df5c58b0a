//! A worker that stands still for longer than its leases, and then goes on as if nothing had been.

use super::report::{REPAIR, Report};
use super::stage::{SOON, Stage, counted};
use super::times;
use super::worker::POLL;
use crate::harness::{Database, on_both};
use std::time::{Duration, Instant};

/// How long it stands still at most: on SQLite everybody waits for one that holds the lock.
const LONGEST: Duration = Duration::from_secs(6);

on_both! {
    fn who_comes_back_too_late_changes_nothing(database: Database) {
        let mut stage = Stage::on(&database);
        let mut report = Report::default();
        let (mut overtaken, mut late) = (0, 0);
        for _ in 0..times() {
            let mut frozen = stage.worker();
            let mut other = stage.worker();
            stage.load(40, 400);
            stage.until_busy(&frozen);
            frozen.signal("STOP");
            let stood = Instant::now();
            std::thread::sleep(POLL);
            let in_flight = stage.in_flight(&frozen);
            let mut runs = true;
            while runs && stood.elapsed() < LONGEST {
                std::thread::sleep(Duration::from_millis(10));
                runs = !stage.running().is_disjoint(&in_flight);
            }
            if !runs && !in_flight.is_empty() {
                report.times += 1;
                report.in_flight += in_flight.len();
                report.repairs.push(stood.elapsed());
                overtaken += in_flight.len();
            }
            frozen.signal("CONT");
            stage.until_over();
            for worker in [&mut frozen, &mut other] {
                worker.signal("TERM");
                assert!(worker.wait(SOON).success(), "{}", worker.log());
            }
            // Each of them was answered "the lease is another's".
            late += counted(&frozen.log()).0;
            stage.bury(&frozen);
            stage.bury(&other);
        }
        (report.lost, report.doubled) = stage.lost_and_doubled();
        eprintln!("{overtaken} attempts were overtaken, {late} acknowledgements changed nothing");
        assert!(late >= overtaken, "{late} of {overtaken}");
        report.print("`SIGSTOP` past the lease, `SIGCONT`", database.backend, REPAIR);
    }
}
