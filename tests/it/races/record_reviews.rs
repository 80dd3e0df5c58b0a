use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::Days;
use diesel::prelude::*;
use traverse::revisions::guards::{MOVING_REVIEW, record_reviews};
use traverse::revisions::log::Kind;
use traverse::revisions::model::NewReview;
use traverse::schema::reviews;

/// Reviews of five days.
fn batch(user: User, solve: i64, kind: Kind, of: usize) -> Vec<NewReview> {
    let first = 5 * u64::try_from(of).unwrap();
    let on = |day| rows::new_review(user, solve, kind, rows::day() + Days::new(first + day));
    (0..5).map(on).collect()
}

on_both! {
    fn each_day_of_a_batch_is_reviewed_by_one_caller(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        race_rounds(&database, |racers, round| {
            let rows = batch(ada, solve, Kind::Adaptive, round);
            let won = racers.race(|db, _| record_reviews(db, &rows).unwrap());
            assert_eq!(won.iter().sum::<usize>(), 5, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let rows = batch(ada, solve, Kind::Ladder, 0);
        assert_eq!(record_reviews(&mut db, &rows).unwrap(), 5);
        assert_eq!(record_reviews(&mut db, &rows).unwrap(), 0);
        let error =
            diesel::insert_into(reviews::table).values(&rows[0]).execute(&mut db).unwrap_err();
        assert!(MOVING_REVIEW.stopped(&error), "{error:?}");
    }

    fn other_solves_kinds_and_days_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let [one, other] = ["1", "2"].map(|slug| rows::add_solve(&mut db, ada, slug));
        for (solve, kind, of) in [
            (one, Kind::Adaptive, 0),
            (one, Kind::Ladder, 0),
            (one, Kind::Adaptive, 1),
            (other, Kind::Adaptive, 0),
        ] {
            assert_eq!(record_reviews(&mut db, &batch(ada, solve, kind, of)).unwrap(), 5);
        }
        let moves_nothing = |review| NewReview { moves_schedule: false, ..review };
        let beside: Vec<_> =
            batch(ada, one, Kind::Adaptive, 0).into_iter().map(moves_nothing).collect();
        assert_eq!(record_reviews(&mut db, &beside).unwrap(), 5);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        wins_only_after_a_rollback(&database, |db, pair| {
            record_reviews(db, &batch(ada, solve, Kind::Adaptive, pair)).unwrap() == 5
        });
    }
}
