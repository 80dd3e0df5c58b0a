use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::TimeDelta;
use diesel::prelude::*;
use std::collections::BTreeSet;
use traverse::auth::guards::{LINE_SUBJECT, count_subject};
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::schema::login_throttles;

fn after(minutes: i64) -> At {
    At::from(*rows::then() + TimeDelta::minutes(minutes))
}

fn count(db: &mut Db, subject: &str) -> i32 {
    count_subject(db, subject, 1, after(-15), rows::then()).unwrap().0
}

on_both! {
    fn every_caller_is_counted_once(database: Database) {
        race_rounds(&database, |racers, round| {
            let subject = round.to_string();
            let counts = racers.race(|db, _| count(db, &subject));
            let all: BTreeSet<i32> = (1..).take(counts.len()).collect();
            assert_eq!(counts.into_iter().collect::<BTreeSet<_>>(), all, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        assert_eq!(count(&mut db, "s"), 1);
        let error = diesel::insert_into(login_throttles::table)
            .values((
                login_throttles::subject.eq("s"),
                login_throttles::failures.eq(1),
                login_throttles::free_at.eq(rows::then()),
                login_throttles::updated_at.eq(rows::then()),
            ))
            .execute(&mut db)
            .unwrap_err();
        assert!(LINE_SUBJECT.stopped(&error), "{error:?}");
    }

    fn subjects_are_counted_apart(database: Database) {
        let mut db = database.connect();
        let counts = ["s", "t", "s"].map(|subject| count(&mut db, subject));
        assert_eq!(counts, [1, 1, 2]);
    }

    fn what_was_long_ago_counts_for_nothing(database: Database) {
        let mut db = database.connect();
        let mut count = |minute: i64| {
            let now = after(minute);
            let forgotten = after(minute - 15);
            count_subject(&mut db, "s", 1, forgotten, now).unwrap()
        };
        assert_eq!(count(0), (1, after(0)));
        assert_eq!(count(15), (2, after(0)));
        assert_eq!(count(31), (1, after(31)));
        assert_eq!(count(31), (2, after(31)));
    }

    fn whoever_comes_second_sees_what_the_first_left(database: Database) {
        assert_eq!(overlap(&database, Ending::Rollback, |db| count(db, "s")), (1, 1));
        assert_eq!(overlap(&database, Ending::Commit, |db| count(db, "t")), (1, 2));
    }
}
