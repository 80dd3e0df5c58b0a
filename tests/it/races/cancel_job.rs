use super::claim_jobs::{claim, coalesced, held, new};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::jobs::guards::{cancel_job, enqueue_coalesced, enqueue_once};
use traverse::jobs::model::State;
use traverse::jobs::store::find;
use traverse::schema::jobs;

/// A job that waits.
fn waiting(db: &mut Db, name: &str) -> i64 {
    assert!(enqueue_once(db, &new(name), None).unwrap());
    jobs::table.filter(jobs::job_id.eq(name)).select(jobs::id).first(db).unwrap()
}

on_both! {
    fn a_claim_or_one_caller_gets_it(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let id = waiting(&mut db, &format!("job-{round}"));
            let won = racers.race(|db, caller| match caller % 2 {
                0 => cancel_job(db, id).unwrap(),
                _ => !claim(db, &format!("{round}-{caller}"), 5).is_empty(),
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn what_runs_or_has_ended_stays(database: Database) {
        let mut db = database.connect();
        let running = held(&mut db, "running");
        assert!(!cancel_job(&mut db, running.id).unwrap());
        let id = waiting(&mut db, "waiting");
        assert!(cancel_job(&mut db, id).unwrap());
        assert!(!cancel_job(&mut db, id).unwrap());
        assert_eq!(find(&mut db, id).unwrap().unwrap().state, State::Cancelled);
        assert!(!cancel_job(&mut db, 12345).unwrap());
        // Once is once; the other kind has room for another run.
        assert!(!enqueue_once(&mut db, &new("waiting"), None).unwrap());
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        let id = jobs::table.select(diesel::dsl::max(jobs::id)).first::<Option<i64>>(&mut db);
        assert!(cancel_job(&mut db, id.unwrap().unwrap()).unwrap());
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let both = ["one", "two"].map(|name| waiting(&mut db, name));
        wins_only_after_a_rollback(&database, |db, pair| cancel_job(db, both[pair]).unwrap());
    }
}
