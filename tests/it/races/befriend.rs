use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::people::{couples, friends, pair};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::Db;
use traverse::social::guards::{befriend, part, raise_block};
use traverse::social::model::PairRow;
use traverse::social::{in_order, store};

fn row(db: &mut Db, (one, two): (rows::User, rows::User)) -> PairRow {
    store::pair(db, in_order(one.id, two.id)).unwrap().unwrap()
}

on_both! {
    fn one_caller_makes_friends(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        race_rounds(&database, |racers, round| {
            let pair = pair(&mut db, couples[round]);
            let won =
                racers.race(|db, _| befriend(db, pair, rows::day(), rows::then()).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn an_acceptance_and_a_block_never_both_stand(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        race_rounds(&database, |racers, round| {
            let (ada, bob) = couples[round];
            let pair = pair(&mut db, (ada, bob));
            let blocker = if round % 2 == 0 { ada } else { bob };
            racers.race(|db, caller| match caller % 2 {
                0 => befriend(db, pair, rows::day(), rows::then()).unwrap(),
                _ => raise_block(db, pair, blocker.id, rows::then()).unwrap(),
            });
            let row = row(&mut db, (ada, bob));
            assert!(row.is_blocked_by(blocker.id) && row.friends_since.is_none(), "{row:?}");
        });
    }

    fn only_strangers_become_friends(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let (day, then) = (rows::day(), rows::then());
        let there = friends(&mut db, couples[0]);
        assert!(!befriend(&mut db, there, day.succ_opt().unwrap(), then).unwrap());
        assert_eq!(row(&mut db, couples[0]).first_day, Some(day), "the first time counts");
        for (couple, blocker) in [(couples[1], couples[1].0), (couples[2], couples[2].1)] {
            let blocked = pair(&mut db, couple);
            raise_block(&mut db, blocked, blocker.id, then).unwrap();
            assert!(!befriend(&mut db, blocked, day, then).unwrap());
        }
        // Two couples, and two friendships of one couple.
        let other = pair(&mut db, couples[3]);
        assert!(befriend(&mut db, other, day, then).unwrap());
        assert!(part(&mut db, other, then).unwrap());
        assert!(befriend(&mut db, other, day, then).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let pairs = [couples[0], couples[1]].map(|couple| pair(&mut db, couple));
        wins_only_after_a_rollback(&database, |db, pair| {
            befriend(db, pairs[pair], rows::day(), rows::then()).unwrap()
        });
    }
}
