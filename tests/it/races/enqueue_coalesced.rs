use super::claim_jobs::{claim, coalesced};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Backend, Database, on_both, race::race_rounds};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use traverse::jobs::guards::{WAITING, enqueue_coalesced};
use traverse::schema::jobs;

on_both! {
    fn one_run_waits(database: Database) {
        race_rounds(&database, |racers, round| {
            let id = format!("recount-{round}");
            let won = racers.race(|db, _| enqueue_coalesced(db, &coalesced(&id), None).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        let again = diesel::insert_into(jobs::table).values((
            jobs::job_id.eq("recount"),
            jobs::kind.eq("recount"),
            jobs::payload.eq("null"),
            jobs::mode.eq(traverse::jobs::model::Mode::Coalesce),
            jobs::priority.eq(0),
            jobs::max_attempts.eq(3),
            jobs::run_at.eq(crate::harness::rows::then()),
        ));
        let error = again.execute(&mut db).unwrap_err();
        assert!(WAITING.stopped(&error), "{error:?}");
    }

    fn a_run_that_was_claimed_is_another(database: Database) {
        let mut db = database.connect();
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        assert_eq!(claim(&mut db, "one", 5).len(), 1);
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        assert!(!enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        assert!(enqueue_coalesced(&mut db, &coalesced("other"), None).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        wins_only_after_a_rollback(&database, |db, pair| {
            enqueue_coalesced(db, &coalesced(&format!("recount-{pair}")), None).unwrap()
        });
    }

    /// What an event wrote is seen by the run that absorbs it: that run waits for the commit. SQLite
    /// has one writer, so that nobody can claim in between.
    fn an_event_holds_its_own_run_until_it_commits(database: Database) {
        let (mut caller, mut worker) = (database.connect(), database.connect());
        for id in ["recount", "other"] {
            assert!(enqueue_coalesced(&mut worker, &coalesced(id), None).unwrap());
        }
        if database.backend == Backend::Postgres {
            caller.batch_execute("begin").unwrap();
        }
        assert!(!enqueue_coalesced(&mut caller, &coalesced("recount"), None).unwrap());
        if database.backend == Backend::Postgres {
            let early = claim(&mut worker, "early", 5);
            let names: Vec<_> = early.iter().map(|row| row.job_id.as_str()).collect();
            assert_eq!(names, ["other"], "the other would not see the event");
            caller.batch_execute("commit").unwrap();
        }
        assert!(claim(&mut worker, "late", 5).iter().any(|row| row.job_id == "recount"));
    }
}
