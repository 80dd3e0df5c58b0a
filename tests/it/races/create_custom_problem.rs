use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::problems::guards::{CUSTOM_IDENTITY, CUSTOM_KEY, create_custom_problem};
use traverse::problems::identity::Platform;
use traverse::problems::model::NewProblem;
use traverse::schema::problems;

fn custom<'a>(owner: User, slug: &'a str, key: Option<&'a str>) -> NewProblem<'a> {
    NewProblem {
        owner_id: Some(owner.id),
        platform: Platform::Custom,
        idempotency_key: key,
        fingerprint: key,
        ..rows::new_problem(slug)
    }
}

on_both! {
    fn one_caller_creates_the_identity(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let slug = format!("p{round}");
            let won = racers.race(|db, caller| {
                let key = format!("k{round}-{caller}");
                create_custom_problem(db, &custom(ada, &slug, Some(&key))).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn one_caller_creates_by_the_key(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let key = format!("k{round}");
            let won = racers.race(|db, caller| {
                let slug = format!("p{round}-{caller}");
                create_custom_problem(db, &custom(ada, &slug, Some(&key))).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for (slug, key, is_new) in [
            ("dp-1", Some("k"), true),
            ("dp-1", Some("k"), false),
            ("dp-1", None, false),
            ("dp-2", Some("k"), false),
        ] {
            let made = create_custom_problem(&mut db, &custom(ada, slug, key)).unwrap();
            assert_eq!(made.is_some(), is_new, "{slug} {key:?}");
        }
    }

    fn the_guards_stop_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        create_custom_problem(&mut db, &custom(ada, "dp-1", Some("k"))).unwrap().unwrap();
        for (guard, slug, key) in [(CUSTOM_IDENTITY, "dp-1", "l"), (CUSTOM_KEY, "dp-2", "k")] {
            let error = diesel::insert_into(problems::table)
                .values(custom(ada, slug, Some(key)))
                .execute(&mut db)
                .unwrap_err();
            assert!(guard.stopped(&error), "{guard:?}: {error:?}");
        }
    }

    fn other_owners_platforms_slugs_and_keys_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for other in [
            custom(ada, "dp-1", Some("k")),
            custom(bob, "dp-1", Some("k")),
            custom(ada, "dp-2", Some("l")),
            custom(ada, "dp-3", None),
            custom(ada, "dp-4", None),
            NewProblem { platform: Platform::Leetcode, ..custom(ada, "dp-1", Some("m")) },
        ] {
            assert!(create_custom_problem(&mut db, &other).unwrap().is_some(), "{other:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            let (slug, key) = (format!("p{pair}"), format!("k{pair}"));
            create_custom_problem(db, &custom(ada, &slug, Some(&key))).unwrap().is_some()
        });
    }
}
