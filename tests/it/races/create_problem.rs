use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::problems::guards::{PROBLEM_IDENTITY, create_problem};
use traverse::problems::identity::Platform;
use traverse::problems::model::NewProblem;
use traverse::schema::problems;

on_both! {
    fn one_caller_creates_the_problem(database: Database) {
        race_rounds(&database, |racers, round| {
            let slug = format!("p{round}");
            let won = racers.race(|db, _| create_problem(db, &rows::new_problem(&slug)).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        assert!(create_problem(&mut db, &rows::new_problem("two-sum")).unwrap().is_some());
        let titled = NewProblem { title: Some("Two Sum"), ..rows::new_problem("two-sum") };
        assert!(create_problem(&mut db, &titled).unwrap().is_none());
        let count: i64 = problems::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, 1);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        rows::add_problem(&mut db, "two-sum");
        let error = diesel::insert_into(problems::table)
            .values(rows::new_problem("two-sum"))
            .execute(&mut db)
            .unwrap_err();
        assert!(PROBLEM_IDENTITY.stopped(&error), "{error:?}");
    }

    fn other_platforms_slugs_and_owners_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::new_problem("two-sum");
        for other in [
            problem.clone(),
            NewProblem { platform: Platform::Hackerrank, ..problem.clone() },
            NewProblem { slug: "3sum", ..problem.clone() },
            NewProblem { owner_id: Some(ada.id), ..problem.clone() },
        ] {
            assert!(create_problem(&mut db, &other).unwrap().is_some(), "{other:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        wins_only_after_a_rollback(&database, |db, pair| {
            create_problem(db, &rows::new_problem(&format!("p{pair}"))).unwrap().is_some()
        });
    }
}
