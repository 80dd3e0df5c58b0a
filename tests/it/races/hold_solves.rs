//! The lock of all solves of a user, which their deletion takes first.

use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use traverse::db::tx::{Work, write};
use traverse::revisions::guards::open_log;
use traverse::revisions::log::Kind;
use traverse::schema::users;
use traverse::solves::guards::hold_solves;
use traverse::{revisions, solves};

on_both! {
    /// Whoever writes to a log holds its solve, then needs the account; the deletion holds the
    /// account, then needs the solves. With the lock nobody waits in a circle, and each writer
    /// either comes before the deletion or finds nothing.
    fn writers_come_before_a_deletion_or_find_nothing(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let ada = User::add(&mut db, &format!("ada{round}"));
            let solve = rows::add_solve(&mut db, ada, &format!("p{round}"));
            let attempts = AtomicUsize::new(0);
            let results = racers.race(|db, caller| {
                let done: Work<bool> = write(db, |db| {
                    attempts.fetch_add(1, Ordering::Relaxed);
                    if caller == 0 {
                        solves::hold_all(db, ada.id)?;
                        return Ok(diesel::delete(users::table.find(ada.id)).execute(db)? == 1);
                    }
                    if open_log(db, ada.id, solve, rows::then())?.is_none() {
                        return Ok(false);
                    }
                    let number = i32::try_from(caller).unwrap();
                    let revision = rows::new_revision(ada, solve, number, Kind::Adaptive);
                    Ok(revisions::guards::schedule_revision(db, &revision)?.is_some())
                });
                done.unwrap()
            });
            assert!(results[0], "the account was deleted");
            assert_eq!(attempts.into_inner(), results.len(), "somebody had to begin again");
        });
    }

    fn whoever_comes_second_waits(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        rows::add_solve(&mut db, ada, "two-sum");
        for ending in [Ending::Rollback, Ending::Commit] {
            assert_eq!(overlap(&database, ending, |db| hold_solves(db, ada.id).unwrap()), (1, 1));
        }
    }

    fn it_holds_the_solves_of_one_user(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for slug in ["1", "2"] {
            rows::add_solve(&mut db, ada, slug);
        }
        assert_eq!(hold_solves(&mut db, ada.id).unwrap(), 2);
        assert_eq!(hold_solves(&mut db, bob.id).unwrap(), 0);
    }
}
