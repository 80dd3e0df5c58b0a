use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, Server, on_both, race::race_rounds};
use diesel::prelude::*;
use serde_json::json;
use traverse::db::Db;
use traverse::problems::guards::{CUSTOM_KEY, create_custom_problem, keep_problem_key};
use traverse::problems::identity::Platform;
use traverse::problems::model::{NewKey, NewProblem};
use traverse::schema::problem_keys;

fn problem(db: &mut Db, owner: User, slug: &str) -> i64 {
    let new = NewProblem {
        owner_id: Some(owner.id),
        platform: Platform::Custom,
        ..rows::new_problem(slug)
    };
    create_custom_problem(db, &new).unwrap().unwrap().id
}

fn key(owner: User, problem_id: i64, key: &str) -> NewKey<'_> {
    NewKey { owner_id: owner.id, idempotency_key: key, problem_id, fingerprint: "f" }
}

on_both! {
    fn one_caller_gives_the_key_its_meaning(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problems = ["dp-1", "dp-2"].map(|slug| problem(&mut db, ada, slug));
        race_rounds(&database, |racers, round| {
            let name = format!("k{round}");
            let won = racers.race(|db, caller| {
                keep_problem_key(db, &key(ada, problems[caller % 2], &name)).unwrap()
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = problem(&mut db, ada, "dp-1");
        assert!(keep_problem_key(&mut db, &key(ada, problem, "k")).unwrap());
        let error = diesel::insert_into(problem_keys::table)
            .values(key(ada, problem, "k"))
            .execute(&mut db)
            .unwrap_err();
        assert!(CUSTOM_KEY.stopped(&error), "{error:?}");
    }

    fn other_owners_and_keys_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let (adas, bobs) = (problem(&mut db, ada, "dp-1"), problem(&mut db, bob, "dp-1"));
        for (new, is_new) in [
            (key(ada, adas, "k"), true),
            (key(bob, bobs, "k"), true),
            (key(ada, adas, "l"), true),
            (key(ada, adas, "k"), false),
        ] {
            assert_eq!(keep_problem_key(&mut db, &new).unwrap(), is_new, "{new:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = problem(&mut db, ada, "dp-1");
        wins_only_after_a_rollback(&database, |db, pair| {
            keep_problem_key(db, &key(ada, problem, &pair.to_string())).unwrap()
        });
    }

    /// Whether it made a problem or found one, a key means nothing else; and who loses a key to
    /// another problem has made none.
    fn over_http_a_key_has_one_content(server: Server) {
        let ada = server.register("ada");
        let make = |key: &str, slug: &str| {
            let body = json!({"platform": "custom", "slug": slug});
            ada.post_with_key("/api/v1/problems", key, &body)
        };
        make("first", "dp-1").expect(201);
        make("second", "dp-1").expect(200);
        let again = make("second", "dp-1").expect(200);
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        for key in ["first", "second"] {
            assert_eq!(make(key, "dp-2").expect(422).code(), "idempotency-key-reused");
        }
        for round in 0..8 {
            let name = format!("k{round}");
            let statuses: Vec<u16> = std::thread::scope(|scope| {
                let calls: Vec<_> = (0..8)
                    .map(|caller| {
                        let (make, name) = (&make, &name);
                        scope.spawn(move || make(name, &format!("p{round}-{}", caller % 2)).status)
                    })
                    .collect();
                calls.into_iter().map(|call| call.join().unwrap()).collect()
            });
            let of = |status| statuses.iter().filter(|found| **found == status).count();
            assert_eq!((of(201), of(200), of(422)), (1, 3, 4), "{statuses:?}");
        }
        let list = ada.get("/api/v1/problems").expect(200).body;
        assert_eq!(list["items"].as_array().unwrap().len(), 1 + 8);
    }
}
