use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::site::{CROWD, assert_among, count, statuses};
use crate::harness::{Answer, Client, Database, Server, Site, on_both, race::race_rounds};
use diesel::prelude::*;
use serde_json::{Value, json};
use traverse::db::Db;
use traverse::schema::submissions;
use traverse::submissions::guards::{SUBMISSION_KEY, record_submission, remember_key};
use traverse::submissions::model::{NewKey, NewSubmission, SubmissionRow};

fn submission(db: &mut Db, user: User, number: &str) -> SubmissionRow {
    let problem = rows::add_problem(db, &format!("p-{}-{number}", user.id));
    let new = NewSubmission {
        external_id: Some(number),
        idempotency_key: None,
        ..rows::new_submission(user, problem, "")
    };
    rows::add_submission(db, &new)
}

fn key<'a>(row: &'a SubmissionRow, key: &'a str, fingerprint: &'a str) -> NewKey<'a> {
    NewKey {
        user_id: row.user_id,
        key_of: row.id,
        judge: &row.judge,
        idempotency_key: key,
        fingerprint,
        received_at: rows::then(),
        updated_at: rows::then(),
        deleted_at: rows::then(),
    }
}

const PATH: &str = "/api/v1/submissions";

fn accepted(slug: &str, number: Option<&str>) -> Value {
    let problem = json!({"platform": "leetcode", "slug": slug});
    match number {
        Some(number) => json!({"problem": problem, "verdict": "accepted", "external_id": number}),
        None => json!({"problem": problem, "verdict": "accepted"}),
    }
}

fn submit(client: &Client, key: &str, body: &Value) -> Answer {
    client.post_with_key(PATH, key, body)
}

fn rows_of(server: &Server) -> i64 {
    submissions::table.count().get_result(&mut server.database.connect()).unwrap()
}

on_both! {
    fn one_caller_gives_the_key_its_meaning(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let row = submission(&mut db, ada, &round.to_string());
            let name = format!("k{round}");
            let won = racers.race(|db, caller| {
                let said = caller.to_string();
                remember_key(db, &key(&row, &name, &said)).unwrap()
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    /// The first key of a submission and a further one are decided by one constraint.
    fn a_first_and_a_further_key_are_one_name_space(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        race_rounds(&database, |racers, round| {
            let row = submission(&mut db, ada, &round.to_string());
            let name = format!("k{round}");
            let won = racers.race(|db, caller| {
                if caller % 2 == 0 {
                    remember_key(db, &key(&row, &name, "f")).unwrap()
                } else {
                    let new = rows::new_submission(ada, problem, &name);
                    record_submission(db, &new).unwrap().is_some()
                }
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let row = submission(&mut db, ada, "5");
        assert!(remember_key(&mut db, &key(&row, "k", "f")).unwrap());
        let error = diesel::insert_into(submissions::table)
            .values(key(&row, "k", "g"))
            .execute(&mut db)
            .unwrap_err();
        assert!(SUBMISSION_KEY.stopped(&error), "{error:?}");
    }

    fn other_users_and_keys_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let (adas, bobs) = (submission(&mut db, ada, "5"), submission(&mut db, bob, "5"));
        for further in [key(&adas, "k", "f"), key(&bobs, "k", "f"), key(&adas, "l", "f")] {
            assert!(remember_key(&mut db, &further).unwrap(), "{further:?}");
        }
        assert!(!remember_key(&mut db, &key(&adas, "k", "f")).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let row = submission(&mut db, ada, "5");
        wins_only_after_a_rollback(&database, |db, pair| {
            remember_key(db, &key(&row, &pair.to_string(), "f")).unwrap()
        });
    }

    fn a_key_that_came_with_a_known_number_means_nothing_else(server: Server) {
        let ada = server.register("ada");
        let body = accepted("two-sum", Some("5"));
        let made = submit(&ada, "first", &body).expect(201);
        let second = submit(&ada, "second", &body).expect(200);
        assert_eq!(second.header("idempotency-replayed"), Some("true"));
        assert_eq!(second.body, made.body);
        let stored = rows_of(&server);
        for _ in 0..3 {
            assert_eq!(submit(&ada, "second", &body).expect(200).body, made.body);
        }
        assert_eq!(rows_of(&server), stored, "a replay writes nothing");
        for other in [accepted("3sum", None), accepted("3sum", Some("6")), accepted("two-sum", None)] {
            let refused = submit(&ada, "second", &other).expect(422);
            assert_eq!(refused.code(), "idempotency-key-reused");
        }
        // A further key is no submission.
        let list = ada.get(PATH).expect(200).body;
        assert_eq!(list["items"].as_array().unwrap().len(), 1);
        let id = made.body["submission"]["id"].as_i64().unwrap();
        ada.get(&format!("{PATH}/{}", id + 1)).expect(404);
        ada.delete(&format!("{PATH}/{}", id + 1)).expect(404);
        // What is deleted keeps all its keys; a refused request uses none up.
        ada.delete(&format!("{PATH}/{id}")).expect(204);
        submit(&ada, "second", &body).expect(410);
        submit(&ada, "second", &accepted("3sum", None)).expect(422);
        submit(&ada, "third", &body).expect(410);
        submit(&ada, "third", &accepted("3sum", None)).expect(201);
    }

    fn the_key_of_a_later_verdict_is_remembered(server: Server) {
        let ada = server.register("ada");
        let mut pending = accepted("two-sum", Some("5"));
        pending["verdict"] = json!("pending");
        submit(&ada, "first", &pending).expect(201);
        let advanced = submit(&ada, "second", &accepted("two-sum", Some("5"))).expect(200);
        assert_eq!(advanced.header("idempotency-replayed"), None);
        let again = submit(&ada, "second", &accepted("two-sum", Some("5"))).expect(200);
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.body, advanced.body);
        submit(&ada, "second", &accepted("3sum", None)).expect(422);
    }

    /// A further key, with the content of a known number and with others, by everybody at once.
    fn over_http_a_further_key_has_one_content(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..4 {
            let number = round.to_string();
            let known = accepted(&format!("p{round}"), Some(&number));
            ada.post(PATH, &known).expect(201);
            let name = format!("k{round}");
            let answers = crowd.at_once(|client, caller| match caller % 2 {
                0 => submit(client, &name, &known),
                _ => submit(client, &name, &accepted(&format!("q{round}"), None)),
            });
            assert_among(&answers, &[200, 201, 422]);
            let refused = count(&answers, 422);
            assert_eq!(refused, CROWD / 2, "{:?}", statuses(&answers));
            assert!(count(&answers, 201) <= 1, "{:?}", statuses(&answers));
        }
        site.check();
    }

    fn further_keys_go_with_their_account(server: Server) {
        let ada = server.register("ada");
        let body = accepted("two-sum", Some("5"));
        submit(&ada, "first", &body).expect(201);
        submit(&ada, "second", &body).expect(200);
        assert_eq!(rows_of(&server), 2);
        let password = json!({"password": crate::harness::server::PASSWORD});
        Answer::of(ada.request(reqwest::Method::DELETE, "/api/v1/me").json(&password)).expect(204);
        assert_eq!(rows_of(&server), 0);
    }
}
