use crate::harness::overlap::{Ending, overlap};
use crate::harness::{Database, Server, on_both, race::race_rounds};
use diesel::connection::SimpleConnection;
use serde_json::json;
use traverse::auth::guards::{claim_instance, keep_secrets};
use traverse::clock::Clock;

on_both! {
    fn one_caller_claims(database: Database) {
        let now = Clock::System.now();
        keep_secrets(&mut database.connect(), "s", "u").unwrap();
        race_rounds(&database, |racers, _| {
            database.connect().batch_execute("update instance set admin_claimed_at = null").unwrap();
            let won = racers.race(|db, _| claim_instance(db, now).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1);
        });
    }

    fn simultaneous_first_registrations_make_one_admin(server: Server) {
        let roles: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|number| {
                    let client = server.anonymous();
                    scope.spawn(move || {
                        let body = json!({"email": format!("u{number}@example.org"),
                                          "password": "correct horse battery"});
                        let answer = client.post("/api/v1/auth/register", &body).expect(201);
                        answer.body["user"]["role"].as_str().unwrap().to_owned()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(roles.iter().filter(|role| *role == "admin").count(), 1, "{roles:?}");
        assert_eq!(roles.iter().filter(|role| *role == "user").count(), 7, "{roles:?}");
    }

    /// The claim is made once for ever: the admin's leaving does not open it again.
    fn a_claim_outlives_its_admin(server: Server) {
        let admin = server.register("first");
        let answer = admin.request(reqwest::Method::DELETE, "/api/v1/me")
            .json(&json!({"password": "correct horse battery"}));
        crate::harness::Answer::of(answer).expect(204);
        let body = json!({"email": "second@example.org", "password": "correct horse battery"});
        let answer = server.anonymous().post("/api/v1/auth/register", &body).expect(201);
        assert_eq!(answer.body["user"]["role"], "user");
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let now = Clock::System.now();
        keep_secrets(&mut database.connect(), "s", "u").unwrap();
        let claim = |db: &mut _| claim_instance(db, now).unwrap();
        assert_eq!(overlap(&database, Ending::Rollback, claim), (true, true));
        database.connect().batch_execute("update instance set admin_claimed_at = null").unwrap();
        assert_eq!(overlap(&database, Ending::Commit, claim), (true, false));
    }
}
