use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::people::{couples, friends, pair};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::social::guards::part;
use traverse::social::{in_order, store};

on_both! {
    fn one_caller_ends_the_friendship(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        race_rounds(&database, |racers, round| {
            let pair = friends(&mut db, couples[round]);
            let won = racers.race(|db, _| part(db, pair, rows::then()).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn strangers_have_nothing_to_end(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let strangers = pair(&mut db, couples[0]);
        assert!(!part(&mut db, strangers, rows::then()).unwrap());
        let (one, other) = (friends(&mut db, couples[1]), friends(&mut db, couples[2]));
        assert!(part(&mut db, one, rows::then()).unwrap());
        assert!(!part(&mut db, one, rows::then()).unwrap());
        let (ada, bob) = couples[2];
        let row = store::pair(&mut db, in_order(ada.id, bob.id)).unwrap().unwrap();
        assert!(row.id == other && row.friends_since.is_some(), "another couple");
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let pairs = [couples[0], couples[1]].map(|couple| friends(&mut db, couple));
        wins_only_after_a_rollback(&database, |db, pair| {
            part(db, pairs[pair], rows::then()).unwrap()
        });
    }
}
