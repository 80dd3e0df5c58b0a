use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::people::couples;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::friend_streak_days;
use traverse::social::guards::{STREAK_DAY, record_streak_days};
use traverse::social::model::NewStreakDay;

fn kept((one, two): (User, User)) -> NewStreakDay {
    NewStreakDay { user1_id: one.id, user2_id: two.id, day: rows::day() }
}

on_both! {
    fn one_caller_keeps_the_day(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        race_rounds(&database, |racers, round| {
            let days = [kept(couples[round])];
            let won = racers.race(|db, _| record_streak_days(db, &days).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let day = kept(couples(&mut db)[0]);
        record_streak_days(&mut db, &[day]).unwrap();
        let again = diesel::insert_into(friend_streak_days::table).values(day);
        let error = again.execute(&mut db).unwrap_err();
        assert!(STREAK_DAY.stopped(&error), "{error:?}");
    }

    fn two_days_and_two_couples_stay_apart(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let first = kept(couples[0]);
        assert_eq!(record_streak_days(&mut db, &[]).unwrap(), []);
        assert_eq!(record_streak_days(&mut db, &[first]).unwrap().len(), 1);
        let next = NewStreakDay { day: first.day.succ_opt().unwrap(), ..first };
        let all = [first, next, kept(couples[1]), kept(couples[40])];
        let new = record_streak_days(&mut db, &all).unwrap();
        assert_eq!(new.len(), 3, "{new:?}");
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let couples = couples(&mut database.connect());
        wins_only_after_a_rollback(&database, |db, pair| {
            !record_streak_days(db, &[kept(couples[pair])]).unwrap().is_empty()
        });
    }
}
