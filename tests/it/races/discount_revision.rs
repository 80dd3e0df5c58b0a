use super::count_deed::{day, solve};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::User;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::rings::Deed;
use traverse::rings::guards::{count_deed, discount_revision};
use traverse::rings::model::NewDeed;
use traverse::schema::ring_days;

fn revise(db: &mut Db, user: User, number: usize, revisions: i32) {
    let deed = Deed { solves: 0, revisions, of_due: 0 };
    count_deed(db, &NewDeed { deed, ..solve(user, day(number)) }).unwrap();
}

/// What is left, in the order in which the days began.
fn left(db: &mut Db) -> Vec<i32> {
    ring_days::table.order(ring_days::id).select(ring_days::revisions).load(db).unwrap()
}

on_both! {
    fn each_is_discounted_once_and_none_below_zero(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            revise(&mut db, ada, round, 2);
            let won =
                racers.race(|db, _| discount_revision(db, ada.id, day(round)).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 2, "round {round}");
            assert_eq!(left(&mut db).last(), Some(&0), "round {round}");
        });
    }

    fn nothing_is_discounted_of_others(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (user, number) in [(ada, 0), (bob, 0), (ada, 1)] {
            revise(&mut db, user, number, 1);
        }
        assert!(discount_revision(&mut db, ada.id, day(0)).unwrap());
        assert!(!discount_revision(&mut db, ada.id, day(0)).unwrap());
        assert!(!discount_revision(&mut db, ada.id, day(7)).unwrap());
        assert_eq!(left(&mut db), [0, 1, 1]);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for number in [0, 1] {
            revise(&mut db, ada, number, 1);
        }
        wins_only_after_a_rollback(&database, |db, pair| {
            discount_revision(db, ada.id, day(pair)).unwrap()
        });
    }
}
