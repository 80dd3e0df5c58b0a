use super::{ROUNDS, accepted};
use crate::harness::server::PASSWORD;
use crate::harness::site::{CROWD, assert_among, count, only, statuses};
use crate::harness::{Answer, Site, on_both};
use diesel::prelude::*;
use reqwest::Method;
use serde_json::{Value, json};
use traverse::schema::{
    problems, reviews, revisions, solves, submissions, tokens, users, xp_entries,
};

const PATH: &str = "/api/v1/submissions";

on_both! {
    fn a_deleted_submission_is_not_revived_by_a_retry(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let (key, mut body) = (format!("k{round}"), accepted(&format!("p{round}")));
            body["external_id"] = json!(round.to_string());
            let made = ada.post_with_key(PATH, &key, &body).expect(201).body;
            let path = format!("{PATH}/{}", made["submission"]["id"]);
            let answers = crowd.at_once(|client, number| match number % 4 {
                0 => client.delete(&path),
                1 => client.post(PATH, &body),
                _ => client.post_with_key(PATH, &key, &body),
            });
            only(&answers, 204);
            assert_among(&answers, &[200, 204, 410]);
            ada.post_with_key(PATH, &key, &body).expect(410);
        }
        let found = site.check();
        assert_eq!((found.submissions, found.solves), (ROUNDS, ROUNDS));
    }

    /// A submission finds the solve, or makes it, or makes it again: it never fails.
    fn a_solve_is_deleted_while_others_solve_it(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let slug = format!("p{round}");
            let first = ada.post_with_key(PATH, &slug, &accepted(&slug)).expect(201).body;
            let path = format!("/api/v1/solves/{}", first["solve"]["id"]);
            let answers = crowd.at_once(|client, number| {
                if number % 4 == 0 {
                    return client.delete(&path);
                }
                let key = format!("k{round}-{number}");
                let made = client.post_with_key(PATH, &key, &accepted(&slug));
                if number % 4 == 1 {
                    // Whatever the solve is by now.
                    let id = made.body["solve"]["id"].clone();
                    client.delete(&format!("/api/v1/solves/{id}"));
                }
                made
            });
            assert_among(&answers, &[201, 204, 404]);
            assert_eq!(count(&answers, 201), CROWD * 3 / 4, "{:?}", statuses(&answers));
            ada.post_with_key(PATH, &format!("last-{round}"), &accepted(&slug)).expect(201);
        }
        assert_eq!(site.check().solves, ROUNDS);
    }

    /// An import finds the solve, or makes it again: it never fails.
    fn a_solve_is_deleted_while_imports_find_it(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, 16);
        for round in 0..ROUNDS {
            let slug = format!("p{round}");
            let first = ada.post_with_key(PATH, &slug, &accepted(&slug)).expect(201).body;
            let path = format!("/api/v1/solves/{}", first["solve"]["id"]);
            let answers = crowd.at_once(|client, number| {
                if number % 4 == 0 {
                    return client.delete(&path);
                }
                let mut row = accepted(&slug);
                row["external_id"] = json!(format!("{round}-{number}"));
                let answer = client.post("/api/v1/imports", &json!([row]));
                assert_eq!(answer.body["status"], "completed", "{}", answer.body);
                answer
            });
            assert_among(&answers, &[201, 204, 404]);
            assert_eq!(count(&answers, 201), 12, "{:?}", statuses(&answers));
        }
        site.check();
    }

    fn an_account_is_deleted_while_it_is_used(site: Site) {
        for round in 0..ROUNDS {
            let ada = site.register(&format!("ada{round}"));
            let bob = site.register(&format!("bob{round}"));
            let shared = accepted("two-sum");
            bob.post_with_key(PATH, "k", &shared).expect(201);
            for number in 0..4 {
                ada.post_with_key(PATH, &format!("before-{number}"),
                                  &accepted(&format!("p{number}"))).expect(201);
            }
            let crowd = site.crowd(&ada, 32);
            let answers: Vec<Vec<Answer>> = crowd.at_once(|client, number| {
                if number == 0 {
                    let body = json!({"password": PASSWORD});
                    let request = client.request(Method::DELETE, "/api/v1/me").json(&body);
                    return vec![Answer::of(request)];
                }
                (0..8).map(|turn| use_it(client, round, number, turn)).collect()
            });
            assert_eq!(answers[0][0].status, 204, "{:?}", answers[0]);
            let others: Vec<Answer> = answers.into_iter().skip(1).flatten().collect();
            assert_among(&others, &[200, 201, 401, 404, 409]);
            assert!(count(&others, 401) > 0, "nobody came after the deletion");
            ada.get("/api/v1/me").expect(401);
            bob.post_with_key(PATH, "k", &shared).expect(200);
            assert_eq!(rows_of_others(&site, &bob.get("/api/v1/me").expect(200).body), [0; 7]);
        }
        assert_eq!(site.check().users, ROUNDS);
    }
}

/// One of the things that write.
fn use_it(client: &crate::harness::Client, round: usize, number: usize, turn: usize) -> Answer {
    let key = format!("k{round}-{number}-{turn}");
    let slug = format!("p{}", number % 6);
    match number % 8 {
        0 => {
            let own = json!({"platform": "custom", "slug": key});
            client.post_with_key("/api/v1/problems", &key, &own)
        }
        1 => client.patch("/api/v1/me", &json!({"maximum_interval": 30 + number + turn})),
        2 => {
            let order = json!({"name": key, "scopes": ["read"]});
            client.post_with_key("/api/v1/tokens", &key, &order)
        }
        3 => {
            let own = json!({"problem": {"platform": "custom", "slug": slug},
                             "verdict": "accepted"});
            client.post_with_key(PATH, &key, &own)
        }
        _ => client.post_with_key(PATH, &key, &accepted(&slug)),
    }
}

/// Rows that belong to nobody who is still there. Everybody but those named `bob…` is gone.
fn rows_of_others(site: &Site, _me: &Value) -> [i64; 7] {
    let mut db = site.connect();
    let there: Vec<i64> = users::table.select(users::id).load(&mut db).unwrap();
    let names: Vec<String> = users::table.select(users::handle).load(&mut db).unwrap();
    assert!(names.iter().all(|name| name.starts_with("bob")), "{names:?}");
    [
        submissions::table
            .filter(submissions::user_id.ne_all(there.clone()))
            .count()
            .get_result(&mut db)
            .unwrap(),
        solves::table
            .filter(solves::user_id.ne_all(there.clone()))
            .count()
            .get_result(&mut db)
            .unwrap(),
        revisions::table
            .filter(revisions::user_id.ne_all(there.clone()))
            .count()
            .get_result(&mut db)
            .unwrap(),
        reviews::table
            .filter(reviews::user_id.ne_all(there.clone()))
            .count()
            .get_result(&mut db)
            .unwrap(),
        xp_entries::table
            .filter(xp_entries::user_id.ne_all(there.clone()))
            .count()
            .get_result(&mut db)
            .unwrap(),
        tokens::table
            .filter(tokens::user_id.ne_all(there.clone()))
            .count()
            .get_result(&mut db)
            .unwrap(),
        problems::table
            .filter(problems::owner_id.is_not_null())
            .filter(problems::owner_id.ne_all(there))
            .count()
            .get_result(&mut db)
            .unwrap(),
    ]
}
