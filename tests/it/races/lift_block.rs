use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::people::{couples, pair};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::social::guards::{lift_block, raise_block};
use traverse::social::{in_order, store};

on_both! {
    fn one_caller_takes_the_block_back(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        race_rounds(&database, |racers, round| {
            let (ada, bob) = couples[round];
            let pair = pair(&mut db, (ada, bob));
            let blocker = if round % 2 == 0 { ada } else { bob };
            raise_block(&mut db, pair, blocker.id, rows::then()).unwrap();
            let won =
                racers.race(|db, _| lift_block(db, pair, blocker.id, rows::then()).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn the_other_direction_stays(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        for (couple, first) in [(couples[0], couples[0].0), (couples[1], couples[1].1)] {
            let pair = pair(&mut db, couple);
            assert!(!lift_block(&mut db, pair, first.id, rows::then()).unwrap());
            for user in [couple.0, couple.1] {
                raise_block(&mut db, pair, user.id, rows::then()).unwrap();
            }
            assert!(lift_block(&mut db, pair, first.id, rows::then()).unwrap());
            assert!(!lift_block(&mut db, pair, first.id, rows::then()).unwrap());
            let row = store::pair(&mut db, in_order(couple.0.id, couple.1.id)).unwrap().unwrap();
            assert!(!row.is_blocked_by(first.id) && row.is_blocked_by(row.other_than(first.id)));
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let pairs = [0, 1].map(|number| {
            let pair = pair(&mut db, couples[number]);
            raise_block(&mut db, pair, couples[number].0.id, rows::then()).unwrap();
            pair
        });
        wins_only_after_a_rollback(&database, |db, pair| {
            lift_block(db, pairs[pair], couples[pair].0.id, rows::then()).unwrap()
        });
    }
}
