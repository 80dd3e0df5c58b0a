use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::people::couples;
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::friend_pairs;
use traverse::social::guards::{PAIR_OF_TWO, open_pair};

on_both! {
    fn one_caller_makes_the_row(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let mut rounds = 0;
        race_rounds(&database, |racers, round| {
            let (one, two) = couples[round];
            let won =
                racers.race(|db, _| open_pair(db, (one.id, two.id), rows::then()).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
            rounds += 1;
        });
        let count: i64 = friend_pairs::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, rounds);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let (one, two) = couples(&mut db)[0];
        open_pair(&mut db, (one.id, two.id), rows::then()).unwrap().unwrap();
        let error = diesel::insert_into(friend_pairs::table)
            .values((
                friend_pairs::user1_id.eq(one.id),
                friend_pairs::user2_id.eq(two.id),
                friend_pairs::created_at.eq(rows::then()),
                friend_pairs::updated_at.eq(rows::then()),
            ))
            .execute(&mut db)
            .unwrap_err();
        assert!(PAIR_OF_TWO.stopped(&error), "{error:?}");
    }

    fn other_couples_stay_apart_and_have_one_order(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        for (one, two) in &couples[..30] {
            assert!(open_pair(&mut db, (one.id, two.id), rows::then()).unwrap().is_some());
        }
        let (one, two) = couples[0];
        assert!(open_pair(&mut db, (two.id, one.id), rows::then()).is_err(), "the other order");
        assert!(open_pair(&mut db, (one.id, one.id), rows::then()).is_err(), "oneself");
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let couples = couples(&mut database.connect());
        wins_only_after_a_rollback(&database, |db, pair| {
            let (one, two) = couples[pair];
            open_pair(db, (one.id, two.id), rows::then()).unwrap().is_some()
        });
    }
}
