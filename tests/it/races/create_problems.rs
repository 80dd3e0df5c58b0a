use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::problems::guards::{create_problem, create_problems};
use traverse::problems::identity::Platform;
use traverse::problems::model::NewProblem;

on_both! {
    fn one_caller_makes_each_problem(database: Database) {
        race_rounds(&database, |racers, round| {
            let slugs: Vec<String> = (0..4).map(|n| format!("p{round}-{n}")).collect();
            let won = racers.race(|db, caller| {
                // Each wants three of the four, in the one order that all keep to.
                let rows: Vec<_> = slugs.iter().enumerate()
                    .filter(|(n, _)| *n != caller % 4)
                    .map(|(_, slug)| rows::new_problem(slug))
                    .collect();
                create_problems(db, &rows).unwrap()
            });
            let mut made: Vec<_> = won.into_iter().flatten().map(|problem| problem.slug).collect();
            made.sort();
            assert_eq!(made, slugs, "round {round}");
        });
    }

    fn it_collapses_with_one_made_alone(database: Database) {
        let mut db = database.connect();
        create_problem(&mut db, &rows::new_problem("two-sum")).unwrap().unwrap();
        let other = NewProblem { platform: Platform::Cses, ..rows::new_problem("two-sum") };
        let twice = rows::new_problem("3sum");
        let made = create_problems(
            &mut db,
            &[rows::new_problem("two-sum"), other, twice.clone(), twice],
        ).unwrap();
        let made: Vec<_> = made.iter().map(|p| (p.platform, p.slug.as_str())).collect();
        assert_eq!(made, [(Platform::Cses, "two-sum"), (Platform::Leetcode, "3sum")]);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        wins_only_after_a_rollback(&database, |db, pair| {
            let slug = pair.to_string();
            !create_problems(db, &[rows::new_problem(&slug)]).unwrap().is_empty()
        });
    }
}
