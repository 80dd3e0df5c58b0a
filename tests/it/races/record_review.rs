use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::Days;
use diesel::prelude::*;
use traverse::revisions::guards::{MOVING_REVIEW, record_review, undo_review};
use traverse::revisions::log::Kind;
use traverse::revisions::model::NewReview;
use traverse::revisions::rating::Rating;
use traverse::schema::reviews;

on_both! {
    fn one_caller_moves_the_schedule_that_day(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        race_rounds(&database, |racers, round| {
            let day = rows::day() + Days::new(u64::try_from(round).unwrap());
            let won = racers.race(|db, caller| {
                let review = rows::new_review(ada, solve, Kind::Adaptive, day);
                let rating = Rating::ALL[caller % Rating::ALL.len()];
                record_review(db, &NewReview { rating, ..review }).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let review = rows::new_review(ada, solve, Kind::Ladder, rows::day());
        assert!(record_review(&mut db, &review).unwrap().is_some());
        let otherwise = NewReview { rating: Rating::Again, seq: 1, ..review };
        assert!(record_review(&mut db, &otherwise).unwrap().is_none());
        let ratings: Vec<Rating> = reviews::table.select(reviews::rating).load(&mut db).unwrap();
        assert_eq!(ratings, [Rating::Good]);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let review = rows::new_review(ada, solve, Kind::Ladder, rows::day());
        rows::add_review(&mut db, &review);
        let error =
            diesel::insert_into(reviews::table).values(&review).execute(&mut db).unwrap_err();
        assert!(MOVING_REVIEW.stopped(&error), "{error:?}");
    }

    fn other_solves_kinds_and_days_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let [one, other] = ["1", "2"].map(|slug| rows::add_solve(&mut db, ada, slug));
        let next = rows::day() + Days::new(1);
        for (solve, kind, day) in [
            (one, Kind::Adaptive, rows::day()),
            (one, Kind::Ladder, rows::day()),
            (one, Kind::Adaptive, next),
            (other, Kind::Adaptive, rows::day()),
        ] {
            let review = rows::new_review(ada, solve, kind, day);
            assert!(record_review(&mut db, &review).unwrap().is_some(), "{review:?}");
        }
    }

    fn what_moves_nothing_and_what_was_undone_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let review = rows::new_review(ada, solve, Kind::Adaptive, rows::day());
        let first = record_review(&mut db, &review).unwrap().unwrap();
        let imported = NewReview { moves_schedule: false, ..review.clone() };
        assert!(record_review(&mut db, &imported).unwrap().is_some());
        assert!(record_review(&mut db, &imported).unwrap().is_some());
        assert!(record_review(&mut db, &review).unwrap().is_none());
        undo_review(&mut db, first.id, rows::then()).unwrap().unwrap();
        assert!(record_review(&mut db, &review).unwrap().is_some());
        assert!(record_review(&mut db, &review).unwrap().is_none());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solves = ["1", "2"].map(|slug| rows::add_solve(&mut db, ada, slug));
        wins_only_after_a_rollback(&database, |db, pair| {
            let review = rows::new_review(ada, solves[pair], Kind::Adaptive, rows::day());
            record_review(db, &review).unwrap().is_some()
        });
    }
}
