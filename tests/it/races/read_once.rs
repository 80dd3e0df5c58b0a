use super::notify_once::tell;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::TimeDelta;
use diesel::prelude::*;
use traverse::db::instant::At;
use traverse::notifications::guards::read_once;
use traverse::schema::notifications;

on_both! {
    fn one_reading_counts(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let told = tell(&mut db, ada, &format!("digest:{round}")).unwrap();
            let at = |caller: usize| {
                At::from(*rows::then() + TimeDelta::seconds(i64::try_from(caller).unwrap()))
            };
            let read = racers.race(|db, caller| {
                read_once(db, ada.id, told, at(caller)).unwrap().then(|| at(caller))
            });
            let first: Vec<At> = read.into_iter().flatten().collect();
            let stored: Option<At> =
                notifications::table.find(told).select(notifications::read_at).first(&mut db).unwrap();
            assert_eq!((first.len(), first.first().copied()), (1, stored), "round {round}");
        });
    }

    fn two_notifications_and_two_users_stay_apart(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let told = ["digest:1", "digest:2"].map(|key| tell(&mut db, ada, key).unwrap());
        assert!(!read_once(&mut db, bob.id, told[0], rows::then()).unwrap());
        assert!(told.iter().all(|id| read_once(&mut db, ada.id, *id, rows::then()).unwrap()));
        assert!(!read_once(&mut db, ada.id, told[0], rows::then()).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let told = [0, 1].map(|pair| tell(&mut db, ada, &format!("digest:{pair}")).unwrap());
        wins_only_after_a_rollback(&database, |db, pair| {
            read_once(db, ada.id, told[pair], rows::then()).unwrap()
        });
    }
}
