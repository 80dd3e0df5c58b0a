use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::problems::guards::{CUSTOM_IDENTITY, create_custom_problem};
use traverse::problems::identity::Platform;
use traverse::problems::model::NewProblem;
use traverse::schema::problems;

fn custom(owner: User, slug: &str) -> NewProblem<'_> {
    NewProblem { owner_id: Some(owner.id), platform: Platform::Custom, ..rows::new_problem(slug) }
}

on_both! {
    fn one_caller_creates_the_identity(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let slug = format!("p{round}");
            let won = racers.race(|db, _| create_custom_problem(db, &custom(ada, &slug)).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for (slug, is_new) in [("dp-1", true), ("dp-1", false), ("dp-2", true)] {
            let made = create_custom_problem(&mut db, &custom(ada, slug)).unwrap();
            assert_eq!(made.is_some(), is_new, "{slug}");
        }
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        create_custom_problem(&mut db, &custom(ada, "dp-1")).unwrap().unwrap();
        let error = diesel::insert_into(problems::table)
            .values(custom(ada, "dp-1"))
            .execute(&mut db)
            .unwrap_err();
        assert!(CUSTOM_IDENTITY.stopped(&error), "{error:?}");
    }

    fn other_owners_platforms_and_slugs_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for other in [
            custom(ada, "dp-1"),
            custom(bob, "dp-1"),
            custom(ada, "dp-2"),
            NewProblem { platform: Platform::Leetcode, ..custom(ada, "dp-1") },
        ] {
            assert!(create_custom_problem(&mut db, &other).unwrap().is_some(), "{other:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            create_custom_problem(db, &custom(ada, &format!("p{pair}"))).unwrap().is_some()
        });
    }
}
