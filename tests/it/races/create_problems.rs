use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use std::collections::BTreeSet;
use traverse::problems::guards::{PROBLEM_IDENTITY, create_problems};
use traverse::problems::identity::Platform;
use traverse::problems::model::NewProblem;
use traverse::schema::problems;

fn slugs(of: usize) -> Vec<String> {
    (0..5).map(|number| format!("p{of}-{number}")).collect()
}

fn batch(slugs: &[String]) -> Vec<NewProblem<'_>> {
    slugs.iter().map(|slug| rows::new_problem(slug)).collect()
}

on_both! {
    fn each_problem_of_a_batch_is_created_by_one_caller(database: Database) {
        race_rounds(&database, |racers, round| {
            let slugs = slugs(round);
            let won = racers.race(|db, _| create_problems(db, &batch(&slugs)).unwrap());
            let mut created: Vec<String> = won.into_iter().flatten().map(|row| row.slug).collect();
            created.sort_unstable();
            assert_eq!(created, slugs, "round {round}");
        });
    }

    fn what_is_there_stops_nothing_else_of_the_batch(database: Database) {
        let mut db = database.connect();
        let slugs = slugs(0);
        rows::add_problem(&mut db, &slugs[2]);
        let won = create_problems(&mut db, &batch(&slugs)).unwrap();
        let created: BTreeSet<&str> = won.iter().map(|row| row.slug.as_str()).collect();
        assert_eq!(created.len(), 4);
        assert!(!created.contains(slugs[2].as_str()));
        assert!(create_problems(&mut db, &batch(&slugs)).unwrap().is_empty());
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let slugs = slugs(0);
        create_problems(&mut db, &batch(&slugs)).unwrap();
        let error = diesel::insert_into(problems::table)
            .values(rows::new_problem(&slugs[0]))
            .execute(&mut db)
            .unwrap_err();
        assert!(PROBLEM_IDENTITY.stopped(&error), "{error:?}");
    }

    fn other_platforms_slugs_and_owners_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::new_problem("two-sum");
        let all = [
            problem.clone(),
            NewProblem { platform: Platform::Hackerrank, ..problem.clone() },
            NewProblem { slug: "3sum", ..problem.clone() },
            NewProblem { owner_id: Some(ada.id), ..problem.clone() },
        ];
        assert_eq!(create_problems(&mut db, &all).unwrap().len(), all.len());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        wins_only_after_a_rollback(&database, |db, pair| {
            create_problems(db, &batch(&slugs(pair))).unwrap().len() == 5
        });
    }
}
