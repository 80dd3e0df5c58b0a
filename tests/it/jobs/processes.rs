//! Real processes: who works, and who only serves.

use crate::harness::{Database, Process, on_both};
use diesel::prelude::*;
use std::time::{Duration, Instant};
use traverse::db::Db;
use traverse::jobs::enqueue;
use traverse::jobs::model::State;
use traverse::jobs::purge::PurgeJobs;
use traverse::schema::jobs;

fn states(db: &mut Db) -> Vec<State> {
    jobs::table.order(jobs::id).select(jobs::state).load(db).unwrap()
}

fn until_done(db: &mut Db, count: usize) {
    let began = Instant::now();
    while states(db) != vec![State::Done; count] {
        assert!(began.elapsed() < super::SOON, "{:?}", states(db));
        std::thread::sleep(Duration::from_millis(20));
    }
}

on_both! {
    fn who_serves_works_unless_told_not_to(database: Database) {
        let mut db = database.connect();
        let mut idle = Process::serve(&database, &["--worker=no"]);
        assert!(enqueue(&mut db, &PurgeJobs {}).unwrap());
        std::thread::sleep(Duration::from_millis(2500));
        assert_eq!(states(&mut db), [State::Pending]);
        let mut both = Process::on(&database);
        until_done(&mut db, 1);
        for process in [&mut idle, &mut both] {
            process.signal("TERM");
            let status = process.wait(Duration::from_secs(20));
            assert!(status.success(), "{}", process.log());
        }
    }

    fn a_worker_works_and_stops_when_told(database: Database) {
        let mut db = database.connect();
        let mut workers = [Process::worker(&database), Process::worker(&database)];
        for count in 1..=3 {
            assert!(enqueue(&mut db, &PurgeJobs {}).unwrap());
            until_done(&mut db, count);
        }
        for worker in &mut workers {
            worker.signal("TERM");
            let status = worker.wait(Duration::from_secs(20));
            assert!(status.success(), "{}", worker.log());
        }
    }
}
