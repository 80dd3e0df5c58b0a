use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::people::{couples, friends, pair};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::social::guards::raise_block;
use traverse::social::{in_order, store};

on_both! {
    fn one_caller_of_each_side_blocks(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        race_rounds(&database, |racers, round| {
            let (ada, bob) = couples[round];
            let pair = pair(&mut db, (ada, bob));
            let won = racers.race(|db, caller| {
                let blocker = if caller % 2 == 0 { ada } else { bob };
                raise_block(db, pair, blocker.id, rows::then()).unwrap()
            });
            for side in 0..2 {
                let of_side = won.iter().skip(side).step_by(2);
                assert_eq!(of_side.filter(|won| **won).count(), 1, "round {round}, side {side}");
            }
        });
    }

    fn each_direction_is_its_own_and_ends_a_friendship(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        for (couple, first) in [(couples[0], couples[0].0), (couples[1], couples[1].1)] {
            let pair = friends(&mut db, couple);
            assert!(raise_block(&mut db, pair, first.id, rows::then()).unwrap());
            assert!(!raise_block(&mut db, pair, first.id, rows::then()).unwrap());
            let row = store::pair(&mut db, in_order(couple.0.id, couple.1.id)).unwrap().unwrap();
            assert!(row.friends_since.is_none() && row.is_blocked_by(first.id));
            let second = row.other_than(first.id);
            assert!(!row.is_blocked_by(second));
            assert!(raise_block(&mut db, pair, second, rows::then()).unwrap());
            let row = store::pair(&mut db, in_order(couple.0.id, couple.1.id)).unwrap().unwrap();
            assert!(row.is_blocked_by(first.id) && row.is_blocked_by(second));
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let pairs = [couples[0], couples[1]].map(|couple| pair(&mut db, couple));
        wins_only_after_a_rollback(&database, |db, pair| {
            raise_block(db, pairs[pair], couples[pair].0.id, rows::then()).unwrap()
        });
    }
}
