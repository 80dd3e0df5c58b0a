use super::claim_jobs::{claim, coalesced, held, hold, new};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::Db;
use traverse::jobs::guards::{complete_jobs, enqueue_coalesced, enqueue_once, fail_attempt};
use traverse::jobs::model::{Held, NewJob, State, Verdict};
use traverse::jobs::store::find;

fn fails(db: &mut Db, held: &Held, wait: Option<f64>) -> Option<State> {
    fail_attempt(db, held, &Verdict::Failed { error: "no".to_owned(), wait }).unwrap()
}

on_both! {
    fn one_caller_ends_it(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let held = held(&mut db, &format!("job-{round}"));
            let ended = racers.race(|db, caller| match caller % 2 {
                0 => fails(db, &held, None).is_some(),
                _ => complete_jobs(db, std::slice::from_ref(&held)).unwrap() == [held.id],
            });
            let state = find(&mut db, held.id).unwrap().unwrap().state;
            let winners = ended.iter().step_by(2).filter(|won| **won).count();
            // What completed it may say so again; what failed it may not.
            assert_eq!(winners, usize::from(state == State::Dead), "round {round}");
            let completed = ended.iter().skip(1).step_by(2).all(|won| *won);
            assert_eq!(completed, state == State::Done, "round {round}");
        });
    }

    fn it_is_pending_after_its_wait_or_dead(database: Database) {
        let mut db = database.connect();
        let one = held(&mut db, "one");
        assert_eq!(fails(&mut db, &one, Some(60.0)), Some(State::Pending));
        assert_eq!(fails(&mut db, &one, Some(60.0)), None, "nobody holds it");
        assert!(claim(&mut db, "early", 5).is_empty());
        let two = held(&mut db, "two");
        assert_eq!(fails(&mut db, &two, None), Some(State::Dead));
        let three = held(&mut db, "three");
        assert_eq!(fails(&mut db, &three, Some(0.0)), Some(State::Pending));
        let again = hold(&mut db, "again");
        assert_eq!(fails(&mut db, &three, None), None, "another holds it");
        assert_eq!(find(&mut db, again.id).unwrap().unwrap().attempts, 2);
    }

    /// An attempt beyond the last would break every claim that comes upon it.
    fn after_the_last_attempt_it_is_dead_whatever_the_verdict(database: Database) {
        let mut db = database.connect();
        assert!(enqueue_once(&mut db, &NewJob { max_attempts: 1, ..new("last") }, None).unwrap());
        let last = hold(&mut db, "last");
        assert_eq!(fails(&mut db, &last, Some(0.0)), Some(State::Dead));
        assert!(claim(&mut db, "next", 5).is_empty());
    }

    fn it_is_absorbed_by_the_run_that_waits(database: Database) {
        let mut db = database.connect();
        for wait in [Some(60.0), None] {
            let id = format!("recount-{wait:?}");
            assert!(enqueue_coalesced(&mut db, &coalesced(&id), None).unwrap());
            let first = hold(&mut db, &id);
            assert!(enqueue_coalesced(&mut db, &coalesced(&id), None).unwrap());
            assert_eq!(fails(&mut db, &first, wait), Some(State::Absorbed));
            assert_eq!(claim(&mut db, "next", 5).len(), 1);
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let both = ["one", "two"].map(|name| held(&mut db, name));
        wins_only_after_a_rollback(&database, |db, pair| {
            fails(db, &both[pair], Some(60.0)).is_some()
        });
    }
}
