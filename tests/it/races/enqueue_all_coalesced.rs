use super::claim_jobs::{claim, coalesced};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows;
use crate::harness::{Backend, Database, on_both, race::race_rounds};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use traverse::db::tx::{Work, write};
use traverse::jobs::guards::{WAITING, enqueue_all_coalesced, enqueue_coalesced};
use traverse::jobs::model::{Mode, WaitingJob};
use traverse::schema::jobs;

fn waiting(job_id: &str) -> WaitingJob {
    WaitingJob {
        job_id: job_id.to_owned(),
        kind: "any",
        payload: "null".to_owned(),
        mode: Mode::Coalesce,
        priority: 0,
        max_attempts: 3,
        run_at: rows::then(),
    }
}

fn all(ids: &[&str]) -> Vec<WaitingJob> {
    ids.iter().map(|id| waiting(id)).collect()
}

on_both! {
    fn one_run_of_each_waits(database: Database) {
        race_rounds(&database, |racers, round| {
            let ids = ["one", "two", "three"].map(|name| format!("{name}-{round}"));
            let rows: Vec<WaitingJob> = ids.iter().map(|id| waiting(id)).collect();
            let new = racers.race(|db, _| {
                let put: Work<usize> = write(db, |db| Ok(enqueue_all_coalesced(db, &rows)?));
                put.unwrap()
            });
            assert_eq!(new.iter().sum::<usize>(), 3, "round {round}");
        });
        let count: i64 = jobs::table.count().get_result(&mut database.connect()).unwrap();
        assert_eq!(count % 3, 0);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        assert_eq!(enqueue_all_coalesced(&mut db, &all(&["one"])).unwrap(), 1);
        let error =
            diesel::insert_into(jobs::table).values(&waiting("one")).execute(&mut db).unwrap_err();
        assert!(WAITING.stopped(&error), "{error:?}");
    }

    fn those_that_wait_collapse_and_the_others_do_not(database: Database) {
        let mut db = database.connect();
        assert!(enqueue_coalesced(&mut db, &coalesced("two"), None).unwrap());
        assert_eq!(enqueue_all_coalesced(&mut db, &all(&["one", "two", "three"])).unwrap(), 2);
        assert_eq!(claim(&mut db, "claim", 5).len(), 3);
        // A run that was claimed is another.
        assert_eq!(enqueue_all_coalesced(&mut db, &all(&["one", "four"])).unwrap(), 2);
        assert_eq!(enqueue_all_coalesced(&mut db, &[]).unwrap(), 0);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        wins_only_after_a_rollback(&database, |db, pair| {
            enqueue_all_coalesced(db, &[waiting(&format!("job-{pair}"))]).unwrap() == 1
        });
    }

    fn an_event_holds_the_runs_that_wait_until_it_commits(database: Database) {
        // SQLite has one writer, so that nobody can claim in between.
        if database.backend == Backend::Postgres {
            let (mut caller, mut worker) = (database.connect(), database.connect());
            assert_eq!(enqueue_all_coalesced(&mut worker, &all(&["one", "two"])).unwrap(), 2);
            caller.batch_execute("begin").unwrap();
            assert_eq!(enqueue_all_coalesced(&mut caller, &all(&["one", "new"])).unwrap(), 1);
            let claimed = claim(&mut worker, "claim", 5);
            assert_eq!(claimed.len(), 1);
            assert_eq!(claimed[0].job_id, "two");
            caller.batch_execute("commit").unwrap();
            assert_eq!(claim(&mut worker, "again", 5).len(), 2);
        }
    }
}
