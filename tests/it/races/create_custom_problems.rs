use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::problems::guards::{CUSTOM_IDENTITY, create_custom_problems};
use traverse::problems::identity::Platform;
use traverse::problems::model::NewProblem;
use traverse::schema::problems;

fn slugs(of: usize) -> Vec<String> {
    (0..5).map(|number| format!("p{of}-{number}")).collect()
}

fn batch(owner: User, slugs: &[String]) -> Vec<NewProblem<'_>> {
    let own = |slug| NewProblem {
        owner_id: Some(owner.id),
        platform: Platform::Custom,
        ..rows::new_problem(slug)
    };
    slugs.iter().map(|slug| own(slug)).collect()
}

on_both! {
    fn each_problem_of_a_batch_is_created_by_one_caller(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let slugs = slugs(round);
            let won = racers.race(|db, _| create_custom_problems(db, &batch(ada, &slugs)).unwrap());
            let mut created: Vec<String> = won.into_iter().flatten().map(|row| row.slug).collect();
            created.sort_unstable();
            assert_eq!(created, slugs, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let (ada, slugs) = (User::add(&mut db, "ada"), slugs(0));
        assert_eq!(create_custom_problems(&mut db, &batch(ada, &slugs)).unwrap().len(), 5);
        assert!(create_custom_problems(&mut db, &batch(ada, &slugs)).unwrap().is_empty());
        let error = diesel::insert_into(problems::table)
            .values(&batch(ada, &slugs)[0])
            .execute(&mut db)
            .unwrap_err();
        assert!(CUSTOM_IDENTITY.stopped(&error), "{error:?}");
    }

    fn other_owners_platforms_and_slugs_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let (slugs, others) = (slugs(0), slugs(1));
        let elsewhere = |row: NewProblem<'static>| NewProblem { platform: Platform::Cses, ..row };
        for problems in [batch(ada, &slugs), batch(bob, &slugs), batch(ada, &others)] {
            assert_eq!(create_custom_problems(&mut db, &problems).unwrap().len(), 5);
        }
        let own = NewProblem { owner_id: Some(ada.id), ..rows::new_problem("p0-0") };
        assert_eq!(create_custom_problems(&mut db, &[elsewhere(own)]).unwrap().len(), 1);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            create_custom_problems(db, &batch(ada, &slugs(pair))).unwrap().len() == 5
        });
    }
}
