//! The lock of all pairs of a user, which their deletion takes.

use crate::harness::overlap::{Ending, overlap};
use crate::harness::people::{couples, friends, pair, person};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use traverse::db::tx::{Work, write};
use traverse::schema::users;
use traverse::social;
use traverse::social::guards::hold_pairs;
use traverse::social::requests::{self, Refusal};

on_both! {
    /// Whoever asks holds the pair, then needs the account; the deletion takes the account, then the
    /// pairs. With the lock nobody waits in a circle.
    fn whoever_asks_comes_before_a_deletion_or_finds_nobody(database: Database) {
        let mut db = database.connect();
        let bob = User::add(&mut db, "bob");
        race_rounds(&database, |racers, round| {
            let handle = format!("ada{round}");
            let ada = User::add(&mut db, &handle);
            pair(&mut db, (ada, bob));
            let attempts = AtomicUsize::new(0);
            let callers = racers.race(|db, caller| {
                if caller == 0 {
                    let deleted: Work<usize> = write(db, |db| {
                        attempts.fetch_add(1, Ordering::Relaxed);
                        social::hold_all(db, ada.id)?;
                        Ok(diesel::delete(users::table.find(ada.id)).execute(db)?)
                    });
                    assert_eq!(deleted.unwrap(), 1);
                    return;
                }
                let asked: Work<_, Refusal> = write(db, |db| {
                    attempts.fetch_add(1, Ordering::Relaxed);
                    let bob = person(bob, "bob");
                    requests::ask(db, &bob, &handle, rows::day(), rows::then())
                });
                if let Err(stopped) = asked {
                    assert!(
                        matches!(stopped, traverse::db::tx::Stopped::Because(Refusal::Unknown))
                            || social::is_of_an_absence(&stopped),
                        "{stopped:?}"
                    );
                }
            });
            assert_eq!(attempts.into_inner(), callers.len(), "somebody had to begin again");
        });
    }

    fn whoever_comes_second_waits(database: Database) {
        let mut db = database.connect();
        let couple = couples(&mut db)[0];
        pair(&mut db, couple);
        for ending in [Ending::Rollback, Ending::Commit] {
            let got = overlap(&database, ending, |db| hold_pairs(db, couple.0.id).unwrap());
            assert_eq!(got, (1, 1));
        }
    }

    fn it_holds_the_pairs_of_one_user(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        pair(&mut db, couples[0]);
        friends(&mut db, couples[1]);
        assert_eq!(hold_pairs(&mut db, couples[0].0.id).unwrap(), 2);
        assert_eq!(hold_pairs(&mut db, couples[0].1.id).unwrap(), 1);
        assert_eq!(hold_pairs(&mut db, couples[9].1.id).unwrap(), 0);
    }
}
