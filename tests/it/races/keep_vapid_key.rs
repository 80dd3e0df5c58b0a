use crate::harness::overlap::{Ending, overlap};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::connection::SimpleConnection;
use traverse::auth::guards::keep_secrets;
use traverse::notifications::guards::keep_vapid_key;
use traverse::notifications::vapid::{Settings, key};

fn forget(database: &Database) {
    database.connect().batch_execute("update instance set vapid_key = null").unwrap();
}

on_both! {
    fn one_caller_keeps_its_key(database: Database) {
        keep_secrets(&mut database.connect(), "s", "u").unwrap();
        race_rounds(&database, |racers, _| {
            forget(&database);
            let won = racers.race(|db, caller| keep_vapid_key(db, &caller.to_string()).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1);
        });
    }

    fn all_callers_end_with_the_same_key(database: Database) {
        keep_secrets(&mut database.connect(), "s", "u").unwrap();
        race_rounds(&database, |racers, _| {
            forget(&database);
            let read = racers.race(|db, _| {
                key(db, &Settings::default()).unwrap().public_key().to_owned()
            });
            assert!(read.windows(2).all(|pair| pair[0] == pair[1]));
        });
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        keep_secrets(&mut database.connect(), "s", "u").unwrap();
        let keep = |db: &mut _| keep_vapid_key(db, "k").unwrap();
        assert_eq!(overlap(&database, Ending::Rollback, keep), (true, true));
        forget(&database);
        assert_eq!(overlap(&database, Ending::Commit, keep), (true, false));
    }
}
