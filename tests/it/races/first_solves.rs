use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::schema::solves;
use traverse::solves::guards::{FIRST_SOLVE, first_solves};
use traverse::solves::model::NewSolve;

fn problems(db: &mut Db, of: usize) -> Vec<i64> {
    (0..5).map(|number| rows::add_problem(db, &format!("p{of}-{number}"))).collect()
}

fn batch(user: User, problems: &[i64]) -> Vec<NewSolve<'static>> {
    problems.iter().map(|problem| rows::new_solve(user, *problem)).collect()
}

on_both! {
    fn each_problem_of_a_batch_is_solved_first_by_one_caller(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let problems = problems(&mut db, round);
            let won = racers.race(|db, caller| {
                let import = i64::try_from(caller).unwrap();
                first_solves(db, batch(ada, &problems), import).unwrap()
            });
            let mut solved: Vec<i64> =
                won.into_iter().flatten().map(|(_, problem_id)| problem_id).collect();
            solved.sort_unstable();
            assert_eq!(solved, problems, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problems = problems(&mut db, 0);
        assert_eq!(first_solves(&mut db, batch(ada, &problems), 1).unwrap().len(), 5);
        assert!(first_solves(&mut db, batch(ada, &problems), 1).unwrap().is_empty());
        let error = diesel::insert_into(solves::table)
            .values(rows::new_solve(ada, problems[0]))
            .execute(&mut db)
            .unwrap_err();
        assert!(FIRST_SOLVE.stopped(&error), "{error:?}");
    }

    fn other_users_and_problems_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let (one, other) = (problems(&mut db, 0), problems(&mut db, 1));
        for (user, problems) in [(ada, &one), (bob, &one), (ada, &other)] {
            assert_eq!(first_solves(&mut db, batch(user, problems), 1).unwrap().len(), 5);
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problems = [problems(&mut db, 0), problems(&mut db, 1)];
        wins_only_after_a_rollback(&database, |db, pair| {
            first_solves(db, batch(ada, &problems[pair]), 1).unwrap().len() == 5
        });
    }
}
