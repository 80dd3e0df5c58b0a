use crate::harness::devices::{new_device, register};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::TimeDelta;
use diesel::prelude::*;
use traverse::db::instant::At;
use traverse::notifications::guards::{drop_subscription, register_subscription};
use traverse::notifications::model::NewSubscription;
use traverse::schema::push_subscriptions;

on_both! {
    fn one_caller_drops_it(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = register(&mut db, ada, "phone").id;
            let dropped = racers.race(|db, _| drop_subscription(db, id, rows::then()).unwrap());
            assert_eq!(dropped.iter().filter(|dropped| **dropped).count(), 1, "round {round}");
        });
    }

    fn what_was_registered_again_stays(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let device = register(&mut db, ada, "phone");
        let now = At::from(*rows::then() + TimeDelta::seconds(1));
        register_subscription(&mut db, &NewSubscription { now, ..new_device(ada, "phone") }).unwrap();
        assert!(!drop_subscription(&mut db, device.id, device.updated_at).unwrap());
        let count: i64 = push_subscriptions::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, 1);
        assert!(drop_subscription(&mut db, device.id, now).unwrap());
    }

    fn two_devices_stay_apart(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let both = ["phone", "laptop"].map(|endpoint| register(&mut db, ada, endpoint).id);
        assert!(both.iter().all(|id| drop_subscription(&mut db, *id, rows::then()).unwrap()));
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let both = ["phone", "laptop"].map(|endpoint| register(&mut db, ada, endpoint).id);
        wins_only_after_a_rollback(&database, |db, pair| {
            drop_subscription(db, both[pair], rows::then()).unwrap()
        });
    }
}
