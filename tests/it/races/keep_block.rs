use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::people::couples;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::blocks;
use traverse::social::guards::{BLOCK, keep_block};
use traverse::social::model::NewBlock;

fn block((blocker, other): (User, User)) -> NewBlock {
    NewBlock {
        blocker_id: blocker.id,
        blocked_id: other.id,
        acquainted: false,
        created_at: rows::then(),
    }
}

on_both! {
    fn one_caller_writes_it(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let mut rounds = 0;
        race_rounds(&database, |racers, round| {
            let won = racers.race(|db, _| keep_block(db, &block(couples[round])).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            rounds += 1;
        });
        let count: i64 = blocks::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, rounds);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let new = block(couples(&mut db)[0]);
        assert!(keep_block(&mut db, &new).unwrap());
        let error = diesel::insert_into(blocks::table).values(&new).execute(&mut db).unwrap_err();
        assert!(BLOCK.stopped(&error), "{error:?}");
    }

    fn both_directions_and_other_couples_stay_apart(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let (ada, bob) = couples[0];
        for couple in [(ada, bob), (bob, ada), couples[1], couples[40]] {
            assert!(keep_block(&mut db, &block(couple)).unwrap());
        }
        assert!(!keep_block(&mut db, &NewBlock { acquainted: true, ..block((ada, bob)) }).unwrap());
        let oneself = diesel::insert_into(blocks::table).values(block((ada, ada)));
        assert!(oneself.execute(&mut db).is_err());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let couples = couples(&mut database.connect());
        wins_only_after_a_rollback(&database, |db, pair| {
            keep_block(db, &block(couples[pair])).unwrap()
        });
    }
}
