use crate::harness::devices::{new_device, register};
use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::User;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::tx::{Work, write};
use traverse::notifications::devices::{self, MOST};
use traverse::notifications::guards::hold_devices;
use traverse::schema::push_subscriptions;

on_both! {
    /// Each counts what the others registered.
    fn nobody_has_more_devices_than_the_bound(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for number in 1..MOST {
            register(&mut db, ada, &format!("before-{number}"));
        }
        race_rounds(&database, |racers, round| {
            racers.race(|db, caller| {
                let endpoint = format!("{round}-{caller}");
                let registered: Work<_> =
                    write(db, |db| Ok(devices::register(db, &new_device(ada, &endpoint))?));
                assert!(registered.unwrap().is_some());
            });
            let count: i64 = push_subscriptions::table.count().get_result(&mut db).unwrap();
            assert_eq!(count, MOST, "round {round}");
        });
    }

    fn another_users_devices_stay(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        register(&mut db, bob, "his");
        for number in 0..=MOST {
            devices::register(&mut db, &new_device(ada, &number.to_string())).unwrap();
        }
        let count: i64 = push_subscriptions::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, MOST + 1);
        assert!(!hold_devices(&mut db, bob.id + 1000).unwrap());
    }

    fn the_second_waits(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        for ending in [Ending::Rollback, Ending::Commit] {
            let held = overlap(&database, ending, |db| hold_devices(db, ada.id).unwrap());
            assert_eq!(held, (true, true));
        }
    }
}
