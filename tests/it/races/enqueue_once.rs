use super::claim_jobs::new;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::jobs::guards::{ONCE, enqueue_once};
use traverse::jobs::store::purge;
use traverse::schema::{job_ledger, jobs};

on_both! {
    fn one_caller_enqueues(database: Database) {
        race_rounds(&database, |racers, round| {
            let id = format!("classify-{round}");
            let won = racers.race(|db, _| enqueue_once(db, &new(&id), None).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
        let mut db = database.connect();
        let doubled: i64 = jobs::table.count().get_result(&mut db).unwrap();
        let ids: i64 = job_ledger::table.count().get_result(&mut db).unwrap();
        assert_eq!(doubled, ids);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        assert!(enqueue_once(&mut db, &new("classify-1"), None).unwrap());
        let error = diesel::insert_into(job_ledger::table)
            .values(job_ledger::job_id.eq("classify-1"))
            .execute(&mut db)
            .unwrap_err();
        assert!(ONCE.stopped(&error), "{error:?}");
    }

    fn an_id_that_was_purged_is_taken_and_another_is_not(database: Database) {
        let mut db = database.connect();
        assert!(enqueue_once(&mut db, &new("classify-1"), None).unwrap());
        diesel::delete(jobs::table).execute(&mut db).unwrap();
        assert_eq!(purge(&mut db, 0.0, 10).unwrap(), 0);
        assert!(!enqueue_once(&mut db, &new("classify-1"), None).unwrap());
        assert!(enqueue_once(&mut db, &new("classify-2"), None).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        wins_only_after_a_rollback(&database, |db, pair| {
            enqueue_once(db, &new(&format!("classify-{pair}")), None).unwrap()
        });
    }
}
