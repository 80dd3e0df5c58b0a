use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::revisions::rating::Rating;
use traverse::schema::solves;
use traverse::solves::guards::{FIRST_SOLVE, first_solve};
use traverse::solves::model::NewSolve;

on_both! {
    fn one_caller_solves_first(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let problem = rows::add_problem(&mut db, &format!("p{round}"));
            let won = racers.race(|db, _| first_solve(db, &rows::new_solve(ada, problem)).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        let solve = rows::new_solve(ada, problem);
        assert!(first_solve(&mut db, &solve).unwrap().is_some());
        let otherwise = NewSolve { rating: Rating::Easy, title: Some("2 + 2"), ..solve };
        assert!(first_solve(&mut db, &otherwise).unwrap().is_none());
        let ratings: Vec<Rating> = solves::table.select(solves::rating).load(&mut db).unwrap();
        assert_eq!(ratings, [Rating::Good]);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        first_solve(&mut db, &rows::new_solve(ada, problem)).unwrap().unwrap();
        let error = diesel::insert_into(solves::table)
            .values(rows::new_solve(ada, problem))
            .execute(&mut db)
            .unwrap_err();
        assert!(FIRST_SOLVE.stopped(&error), "{error:?}");
    }

    fn other_users_and_problems_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let [one, other] = ["1", "2"].map(|slug| rows::add_problem(&mut db, slug));
        for (user, problem) in [(ada, one), (bob, one), (ada, other), (bob, other)] {
            assert!(first_solve(&mut db, &rows::new_solve(user, problem)).unwrap().is_some());
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problems = ["1", "2"].map(|slug| rows::add_problem(&mut db, slug));
        wins_only_after_a_rollback(&database, |db, pair| {
            first_solve(db, &rows::new_solve(ada, problems[pair])).unwrap().is_some()
        });
    }
}
