use super::count_deed::{day, solve};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::rings::guards::{close_day, count_deed};
use traverse::rings::model::NewDeed;
use traverse::schema::ring_days;

/// A day that has what it wants.
fn reached(db: &mut Db, user: User, number: usize) -> i64 {
    count_deed(db, &solve(user, day(number))).unwrap().id
}

fn closed_at(db: &mut Db, id: i64) -> Option<At> {
    ring_days::table.find(id).select(ring_days::closed_at).first(db).unwrap()
}

on_both! {
    fn one_caller_closes(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = reached(&mut db, ada, round);
            let won = racers.race(|db, _| close_day(db, id, rows::then()).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn a_day_closes_once_and_only_with_what_it_wants(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let [one, other] = [ada, bob].map(|user| reached(&mut db, user, 0));
        assert!(close_day(&mut db, one, rows::then()).unwrap());
        assert!(!close_day(&mut db, one, rows::then()).unwrap());
        assert_eq!(closed_at(&mut db, other), None);
        let short = NewDeed { goal_solves: 2, ..solve(ada, day(1)) };
        let short = count_deed(&mut db, &short).unwrap().id;
        assert!(!close_day(&mut db, short, rows::then()).unwrap());
        let solved = rows::add_solve(&mut db, ada, "two-sum");
        rows::add_revision(&mut db, ada, solved, 1);
        let unrevised = reached(&mut db, ada, 2);
        assert!(!close_day(&mut db, unrevised, rows::then()).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [0, 1].map(|number| reached(&mut db, ada, number));
        wins_only_after_a_rollback(&database, |db, pair| {
            close_day(db, ids[pair], rows::then()).unwrap()
        });
    }
}
