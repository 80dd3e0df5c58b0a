use super::claim_jobs::{claim, coalesced, held, hold};
use crate::harness::overlap::passes_over;
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::jobs::guards::{complete_jobs, enqueue_coalesced, rescue_jobs};
use traverse::jobs::model::{Held, State};
use traverse::jobs::store::find;
use traverse::schema::jobs;

/// A job whose lease ran out long ago.
fn orphan(db: &mut Db, name: &str) -> Held {
    let held = held(db, name);
    expire(db, &held);
    held
}

fn expire(db: &mut Db, held: &Held) {
    let past = jobs::lease_until.eq(rows::then());
    diesel::update(jobs::table.find(held.id)).set(past).execute(db).unwrap();
}

fn state(db: &mut Db, held: &Held) -> State {
    find(db, held.id).unwrap().unwrap().state
}

on_both! {
    fn it_is_rescued_once(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let orphan = orphan(&mut db, &format!("job-{round}"));
            let rescued = racers.race(|db, _| rescue_jobs(db).unwrap());
            assert_eq!(rescued.iter().sum::<usize>(), 1, "round {round}");
            assert!(complete_jobs(&mut db, std::slice::from_ref(&orphan)).unwrap().is_empty());
            let again = hold(&mut db, &format!("again-{round}"));
            assert_eq!(find(&mut db, again.id).unwrap().unwrap().attempts, 2);
        });
    }

    fn who_answers_is_left_alone(database: Database) {
        let mut db = database.connect();
        let (healthy, orphan) = (held(&mut db, "healthy"), orphan(&mut db, "orphan"));
        assert_eq!(rescue_jobs(&mut db).unwrap(), 1);
        assert_eq!(state(&mut db, &healthy), State::Running);
        assert_eq!(state(&mut db, &orphan), State::Pending);
    }

    fn the_last_attempt_ends_as_dead(database: Database) {
        let mut db = database.connect();
        let mut last = held(&mut db, "job");
        for attempt in 2..=4 {
            expire(&mut db, &last);
            assert_eq!(rescue_jobs(&mut db).unwrap(), 1);
            if attempt <= 3 {
                let due = jobs::run_at.eq(rows::then());
                diesel::update(jobs::table.find(last.id)).set(due).execute(&mut db).unwrap();
                last = hold(&mut db, &format!("attempt-{attempt}"));
            }
        }
        assert_eq!(state(&mut db, &last), State::Dead);
        assert!(claim(&mut db, "none", 5).is_empty());
    }

    fn it_is_absorbed_by_the_run_that_waits(database: Database) {
        let mut db = database.connect();
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        let first = hold(&mut db, "one");
        expire(&mut db, &first);
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        assert_eq!(rescue_jobs(&mut db).unwrap(), 1);
        assert_eq!(state(&mut db, &first), State::Absorbed);
    }

    fn whoever_comes_second_passes_over(database: Database) {
        passes_over(
            &database,
            |db, pair| {
                // What the pair before left.
                diesel::delete(jobs::table).execute(db).unwrap();
                orphan(db, &format!("pair-{pair}"));
            },
            |db, _| rescue_jobs(db).unwrap() == 1,
        );
    }
}
