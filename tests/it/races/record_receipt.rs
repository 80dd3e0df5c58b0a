use super::claim_deliveries::{due, user};
use crate::harness::devices::register;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::notifications::guards::{RECEIPT, record_receipt};
use traverse::schema::push_receipts;

fn record(db: &mut Db, delivery: i64, device: i64) -> bool {
    record_receipt(db, delivery, device, rows::then()).unwrap()
}

fn devices(db: &mut Db, user: User) -> [i64; 2] {
    ["phone", "laptop"].map(|endpoint| register(db, user, endpoint).id)
}

on_both! {
    fn a_device_has_a_delivery_once(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let [device, _] = devices(&mut db, ada);
        race_rounds(&database, |racers, round| {
            let delivery = due(&mut db, ada, &format!("digest:{round}"));
            let recorded = racers.race(|db, _| record(db, delivery, device));
            assert_eq!(recorded.iter().filter(|new| **new).count(), 1, "round {round}");
            let count: i64 = push_receipts::table
                .filter(push_receipts::delivery_id.eq(delivery))
                .count()
                .get_result(&mut db)
                .unwrap();
            assert_eq!(count, 1);
        });
    }

    fn two_devices_and_two_deliveries_stay_apart(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let both = devices(&mut db, ada);
        for key in ["digest:1", "digest:2"] {
            let delivery = due(&mut db, ada, key);
            assert!(both.iter().all(|device| record(&mut db, delivery, *device)));
        }
    }

    fn of_what_is_gone_there_is_none(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let [device, _] = devices(&mut db, ada);
        let delivery = due(&mut db, ada, "digest:1");
        assert!(!record(&mut db, delivery, device + 1000));
        assert!(!record(&mut db, delivery + 1000, device));
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let [device, _] = devices(&mut db, ada);
        let delivery = due(&mut db, ada, "digest:1");
        record(&mut db, delivery, device);
        let again = diesel::insert_into(push_receipts::table).values((
            push_receipts::delivery_id.eq(delivery),
            push_receipts::push_subscription_id.eq(device),
            push_receipts::sent_at.eq(rows::then()),
        ));
        let error = again.execute(&mut db).unwrap_err();
        assert!(RECEIPT.stopped(&error), "{error:?}");
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let [device, _] = devices(&mut db, ada);
        let pairs = [0, 1].map(|pair| due(&mut db, ada, &format!("digest:{pair}")));
        wins_only_after_a_rollback(&database, |db, pair| record(db, pairs[pair], device));
    }
}
