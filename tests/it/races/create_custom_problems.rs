use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::problems::guards::{create_custom_problem, create_custom_problems};
use traverse::problems::identity::Platform;
use traverse::problems::model::NewProblem;

fn custom(user: User, slug: &str) -> NewProblem<'_> {
    NewProblem { owner_id: Some(user.id), platform: Platform::Custom, ..rows::new_problem(slug) }
}

on_both! {
    fn one_caller_makes_each_problem(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let slugs: Vec<String> = (0..3).map(|n| format!("p{round}-{n}")).collect();
            let won = racers.race(|db, _| {
                let rows: Vec<_> = slugs.iter().map(|slug| custom(ada, slug)).collect();
                create_custom_problems(db, &rows).unwrap()
            });
            let mut made: Vec<_> = won.into_iter().flatten().map(|problem| problem.slug).collect();
            made.sort();
            assert_eq!(made, slugs, "round {round}");
        });
    }

    fn it_collapses_with_one_made_alone(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        create_custom_problem(&mut db, &custom(ada, "dp-1")).unwrap().unwrap();
        let rows = [custom(ada, "dp-1"), custom(bob, "dp-1"), custom(ada, "dp-2")];
        let made = create_custom_problems(&mut db, &rows).unwrap();
        let made: Vec<_> = made.iter().map(|p| (p.owner_id, p.slug.as_str())).collect();
        assert_eq!(made, [(Some(bob.id), "dp-1"), (Some(ada.id), "dp-2")]);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            let slug = pair.to_string();
            !create_custom_problems(db, &[custom(ada, &slug)]).unwrap().is_empty()
        });
    }
}
