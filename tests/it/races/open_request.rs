use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::people::{couples, new_request};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::friend_requests;
use traverse::social::guards::{OPEN_REQUEST, close_request, open_request};
use traverse::social::model::{NewRequest, Status};

on_both! {
    fn one_caller_opens_it(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let mut rounds = 0;
        race_rounds(&database, |racers, round| {
            let new = new_request(couples[round]);
            let won = racers.race(|db, _| open_request(db, &new).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
            rounds += 1;
        });
        let count: i64 = friend_requests::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, rounds);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let new = new_request(couples(&mut db)[0]);
        open_request(&mut db, &new).unwrap().unwrap();
        let again = diesel::insert_into(friend_requests::table).values(&new);
        let error = again.execute(&mut db).unwrap_err();
        assert!(OPEN_REQUEST.stopped(&error), "{error:?}");
    }

    fn both_directions_other_couples_and_later_ones_stay_apart(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let (ada, bob) = couples[0];
        for couple in [(ada, bob), (bob, ada), couples[1], couples[40]] {
            assert!(open_request(&mut db, &new_request(couple)).unwrap().is_some());
        }
        let hidden = NewRequest { hidden: true, ..new_request((ada, bob)) };
        assert!(open_request(&mut db, &hidden).unwrap().is_none());
        for status in [Status::Declined, Status::Cancelled, Status::Accepted] {
            let open: i64 = friend_requests::table
                .filter(friend_requests::requester_id.eq(ada.id))
                .filter(friend_requests::addressee_id.eq(bob.id))
                .filter(friend_requests::status.eq(Status::Pending))
                .select(friend_requests::id)
                .first(&mut db)
                .unwrap();
            assert!(close_request(&mut db, open, status, rows::then()).unwrap());
            let later = open_request(&mut db, &new_request((ada, bob))).unwrap();
            assert!(later.is_some(), "after {status:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let couples = couples(&mut database.connect());
        wins_only_after_a_rollback(&database, |db, pair| {
            open_request(db, &new_request(couples[pair])).unwrap().is_some()
        });
    }
}
