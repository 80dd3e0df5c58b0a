use super::create_group::group;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::social::guards::end_group;
use traverse::social::store;

on_both! {
    fn one_caller_ends_it(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let group = group(&mut db, ada);
            let won = racers.race(|db, _| end_group(db, group, rows::then()).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn two_groups_stay_apart(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let (one, other) = (group(&mut db, ada), group(&mut db, ada));
        assert!(end_group(&mut db, one, rows::then()).unwrap());
        assert!(!end_group(&mut db, one, rows::then()).unwrap());
        assert!(store::group(&mut db, one).unwrap().is_none());
        assert!(store::group(&mut db, other).unwrap().is_some());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let groups = [0, 1].map(|_| group(&mut db, ada));
        wins_only_after_a_rollback(&database, |db, pair| {
            end_group(db, groups[pair], rows::then()).unwrap()
        });
    }
}
