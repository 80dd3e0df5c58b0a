use super::notify_once::tell;
use crate::harness::devices::register;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::notifications::guards::{DELIVERY, deliver_once};
use traverse::notifications::model::{Channel, State};
use traverse::schema::deliveries;

on_both! {
    fn a_notification_has_one_delivery_for_a_channel(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let mut rounds = 0;
        race_rounds(&database, |racers, round| {
            let told = tell(&mut db, ada, &format!("digest:{round}")).unwrap();
            let written = racers.race(|db, _| deliver_once(db, &[told]).unwrap().len());
            assert_eq!(written.iter().sum::<usize>(), 1, "round {round}");
            rounds += 1;
        });
        let count: i64 = deliveries::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, rounds);
    }

    fn two_notifications_and_two_channels_stay_apart(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        register(&mut db, ada, "phone");
        let told = ["digest:1", "digest:2"].map(|key| tell(&mut db, ada, key).unwrap());
        let mut written = deliver_once(&mut db, &told).unwrap();
        written.sort_unstable();
        let both = [Channel::InApp, Channel::InApp, Channel::Push, Channel::Push];
        assert_eq!(written, both);
        assert_eq!(deliver_once(&mut db, &told).unwrap(), []);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let told = tell(&mut db, ada, "digest:1").unwrap();
        deliver_once(&mut db, &[told]).unwrap();
        let again = diesel::insert_into(deliveries::table).values((
            deliveries::notification_id.eq(told),
            deliveries::channel.eq(Channel::InApp),
            deliveries::state.eq(State::Pending),
            deliveries::due_at.eq(rows::then()),
        ));
        let error = again.execute(&mut db).unwrap_err();
        assert!(DELIVERY.stopped(&error), "{error:?}");
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let told = [0, 1].map(|pair| tell(&mut db, ada, &format!("digest:{pair}")).unwrap());
        wins_only_after_a_rollback(&database, |db, pair| {
            deliver_once(db, &[told[pair]]).unwrap() == [Channel::InApp]
        });
    }
}
