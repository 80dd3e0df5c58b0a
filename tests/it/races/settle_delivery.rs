use super::claim_deliveries::{claim, due, expire, hold, user};
use crate::harness::overlap::{Ending, overlap};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::notifications::guards::settle_delivery;
use traverse::notifications::model::{Outcome, State};
use traverse::schema::deliveries;

fn state(db: &mut Db, id: i64) -> (State, i32) {
    deliveries::table.find(id).select((deliveries::state, deliveries::attempts)).first(db).unwrap()
}

on_both! {
    fn an_attempt_ends_once(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = due(&mut db, ada, &format!("digest:{round}"));
            let held = hold(&mut db, &format!("claim-{round}"));
            let settled =
                racers.race(|db, _| settle_delivery(db, &held, &Outcome::Sent).unwrap());
            assert_eq!(settled.iter().filter(|settled| **settled).count(), 1, "round {round}");
            assert_eq!(state(&mut db, id), (State::Sent, 1));
        });
    }

    /// Whoever was silent for longer than the lease changes nothing.
    fn a_late_mark_changes_nothing(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let id = due(&mut db, ada, "digest:1");
        let late = hold(&mut db, "late");
        expire(&mut db, id);
        let held = hold(&mut db, "now");
        let failed = Outcome::Failed { error: "late".to_owned(), wait: None };
        for outcome in [Outcome::Sent, failed, Outcome::Deferred(1.0)] {
            assert!(!settle_delivery(&mut db, &late, &outcome).unwrap());
        }
        assert_eq!(state(&mut db, id), (State::Sending, 2));
        assert!(settle_delivery(&mut db, &held, &Outcome::Sent).unwrap());
        assert_eq!(state(&mut db, id), (State::Sent, 2));
    }

    fn two_deliveries_stay_apart(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let one = due(&mut db, ada, "digest:1");
        let held = hold(&mut db, "one");
        let other = due(&mut db, ada, "digest:2");
        hold(&mut db, "other");
        assert!(settle_delivery(&mut db, &held, &Outcome::Sent).unwrap());
        assert_eq!((state(&mut db, one).0, state(&mut db, other).0), (State::Sent, State::Sending));
    }

    fn each_end_is_written_as_it_is(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let error = "no".to_owned();
        for (number, (outcome, expected)) in [
            (Outcome::Sent, (State::Sent, 1)),
            (Outcome::Skipped("no device"), (State::Skipped, 1)),
            (Outcome::Deferred(600.0), (State::Pending, 0)),
            (Outcome::Failed { error: error.clone(), wait: Some(600.0) }, (State::Pending, 1)),
            (Outcome::Failed { error, wait: None }, (State::Dead, 1)),
        ]
        .into_iter()
        .enumerate()
        {
            let id = due(&mut db, ada, &format!("digest:{number}"));
            let held = hold(&mut db, &format!("claim-{number}"));
            assert!(settle_delivery(&mut db, &held, &outcome).unwrap());
            assert_eq!(state(&mut db, id), expected, "{outcome:?}");
            assert_eq!(claim(&mut db, "next", 10), [], "{outcome:?}");
        }
    }

    fn the_second_waits(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        for ending in [Ending::Rollback, Ending::Commit] {
            due(&mut db, ada, &format!("digest:{ending:?}"));
            let held = hold(&mut db, &format!("{ending:?}"));
            let won = overlap(&database, ending, |db| {
                settle_delivery(db, &held, &Outcome::Sent).unwrap()
            });
            assert_eq!(won, (true, ending == Ending::Rollback));
        }
    }
}
