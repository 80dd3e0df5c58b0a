//! PostgreSQL is restarted, and is away for a while. The cluster is the test's own.

use super::report::Report;
use super::stage::{SOON, Stage, said, starts};
use super::times;
use super::worker::Steady;
use crate::harness::cluster::{Cluster, Shutdown};
use crate::harness::{Backend, Process};
use diesel::prelude::*;
use std::time::{Duration, Instant};
use traverse::jobs::model::State;
use traverse::schema::jobs;

/// So soon everybody knows of an outage, and of its end.
const NOTICED: Duration = Duration::from_secs(10);

/// How long the long outage lasts: `TRAVERSE_OUTAGE` says more, in seconds.
fn long() -> Duration {
    let set = std::env::var("TRAVERSE_OUTAGE").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(set.unwrap_or(5))
}

/// How long it takes until readiness is so.
fn until_ready(serving: &Process, wanted: bool, since: Instant) -> Duration {
    loop {
        let status = serving.client().get("/readyz").status;
        if (status == 200) == wanted {
            return since.elapsed();
        }
        assert!(since.elapsed() < SOON, "readiness is {status}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Takes the server away for so long each time, in the middle of a load.
fn outages(fault: &str, all: &[(Shutdown, Duration)]) {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut stage = Stage::on(&database);
    let mut report = Report::default();
    let mut serving = Process::serve(&database, &["--worker=no"]);
    let mut workers = [stage.worker(), stage.worker()];
    let mut number = 0;
    let mut red = Vec::new();
    for (shutdown, length) in all {
        let more: Vec<_> =
            (number..number + 80).map(|number| Steady { number, takes: 300 }).collect();
        number += more.len();
        stage.put(&more);
        let mut in_flight = 0;
        for worker in &workers {
            stage.until_busy(worker);
            in_flight += stage.in_flight(worker).len();
        }
        report.times += 1;
        report.in_flight += in_flight;
        let down = Instant::now();
        cluster.down(*shutdown);
        if !length.is_zero() {
            red.push(until_ready(&serving, false, down));
            std::thread::sleep(length.saturating_sub(down.elapsed()));
        }
        let before = said(&stage.logs(&[&workers[0], &workers[1]]), "began").len();
        cluster.up();
        let up = Instant::now();
        stage.db = database.connect();
        while said(&stage.logs(&[&workers[0], &workers[1]]), "began").len() == before {
            assert!(up.elapsed() < SOON, "nothing begins");
            std::thread::sleep(Duration::from_millis(10));
        }
        report.repairs.push(up.elapsed());
        let green = until_ready(&serving, true, up);
        assert!(green < NOTICED, "{green:?}");
        assert!(workers.iter_mut().all(Process::is_running) && serving.is_running());
        stage.until_over();
    }
    for process in workers.iter_mut().chain([&mut serving]) {
        process.signal("TERM");
        assert!(process.wait(SOON).success(), "{}", process.log());
    }
    // Each began once, ended once, and nobody has forgotten it.
    let starts = starts(&stage.logs(&[&workers[0], &workers[1]]));
    let done: i64 = jobs::table
        .filter(jobs::state.eq(State::Done).and(jobs::attempts.eq(1)))
        .count()
        .get_result(&mut stage.db)
        .unwrap();
    report.lost = number - usize::try_from(done).unwrap();
    report.doubled = starts.values().map(|times| times - 1).sum();
    if let Some(latest) = red.iter().max() {
        eprintln!(
            "readiness was red {:.1} s after the beginning at the latest",
            latest.as_secs_f64()
        );
        assert!(*latest < NOTICED);
    }
    report.print(fault, Backend::Postgres, NOTICED);
}

#[test]
fn restarts_of_the_server_lose_nothing() {
    let all: Vec<_> = (0..times())
        .map(|round| if round % 2 == 0 { Shutdown::Fast } else { Shutdown::Immediate })
        .map(|shutdown| (shutdown, Duration::ZERO))
        .collect();
    outages("PostgreSQL restarted", &all);
}

#[test]
fn a_server_that_is_away_ends_nobody() {
    let fault = format!("PostgreSQL away for {} s", long().as_secs());
    outages(&fault, &[(Shutdown::Fast, long())]);
}
