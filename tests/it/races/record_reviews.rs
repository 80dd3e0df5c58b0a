use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::Days;
use traverse::revisions::guards::{record_review, record_reviews};
use traverse::revisions::log::Kind;
use traverse::revisions::model::NewReview;

on_both! {
    fn one_caller_moves_the_schedule_each_day(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        race_rounds(&database, |racers, round| {
            let first = u64::try_from(round).unwrap() * 3;
            let won: usize = racers.race(|db, _| {
                let rows: Vec<_> = (first..first + 3)
                    .map(|day| rows::new_review(ada, solve, Kind::Adaptive, rows::day() + Days::new(day)))
                    .collect();
                record_reviews(db, &rows).unwrap()
            }).into_iter().sum();
            assert_eq!(won, 3, "round {round}");
        });
    }

    fn neighbours_that_do_not_move_stay(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let moving = rows::new_review(ada, solve, Kind::Adaptive, rows::day());
        record_review(&mut db, &moving).unwrap().unwrap();
        let still = NewReview { moves_schedule: false, ..moving.clone() };
        let other = NewReview { kind: Kind::Ladder, ..moving.clone() };
        let rows = [moving, still.clone(), still, other];
        assert_eq!(record_reviews(&mut db, &rows).unwrap(), 3);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solves = ["1", "2"].map(|slug| rows::add_solve(&mut db, ada, slug));
        wins_only_after_a_rollback(&database, |db, pair| {
            let row = rows::new_review(ada, solves[pair], Kind::Adaptive, rows::day());
            record_reviews(db, &[row]).unwrap() == 1
        });
    }
}
