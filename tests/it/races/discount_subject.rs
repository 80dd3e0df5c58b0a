use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::auth::guards::{count_subject, discount_subject};
use traverse::db::Db;
use traverse::schema::login_throttles;

fn begin(db: &mut Db, subject: &str, failures: i32) {
    count_subject(db, subject, failures, rows::then(), rows::then()).unwrap();
}

fn left(db: &mut Db, subject: &str) -> i32 {
    login_throttles::table.find(subject).select(login_throttles::failures).first(db).unwrap()
}

on_both! {
    fn each_place_is_given_back_once(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let subject = round.to_string();
            begin(&mut db, &subject, 2);
            let given = racers.race(|db, _| discount_subject(db, &subject).unwrap());
            assert_eq!(given.iter().filter(|given| **given).count(), 2, "round {round}");
            assert_eq!(left(&mut db, &subject), 0, "round {round}");
        });
    }

    fn nothing_is_given_back_of_another_or_of_none(database: Database) {
        let mut db = database.connect();
        begin(&mut db, "s", 1);
        begin(&mut db, "t", 1);
        assert!(discount_subject(&mut db, "s").unwrap());
        assert!(!discount_subject(&mut db, "s").unwrap());
        assert!(!discount_subject(&mut db, "absent").unwrap());
        assert_eq!((left(&mut db, "s"), left(&mut db, "t")), (0, 1));
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        for subject in ["0", "1"] {
            begin(&mut db, subject, 1);
        }
        wins_only_after_a_rollback(&database, |db, pair| {
            discount_subject(db, &pair.to_string()).unwrap()
        });
    }
}
