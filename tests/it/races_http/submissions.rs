use super::{ROUNDS, accepted, history, submissions, xp};
use crate::harness::site::{CROWD, assert_among, count, only, statuses};
use crate::harness::{Site, on_both};
use serde_json::json;

const PATH: &str = "/api/v1/submissions";

on_both! {
    fn one_key_and_one_content_make_one_submission(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let (key, body) = (format!("k{round}"), accepted(&format!("p{round}")));
            let answers = crowd.at_once(|client, _| client.post_with_key(PATH, &key, &body));
            let made = only(&answers, 201);
            assert_eq!(made.body["first_solve"], true);
            assert_eq!(count(&answers, 200), CROWD - 1, "{:?}", statuses(&answers));
            for answer in answers.iter().filter(|answer| answer.status == 200) {
                assert_eq!(answer.header("idempotency-replayed"), Some("true"));
                assert_eq!(answer.body, made.body);
            }
        }
        assert_eq!(submissions(&site), i64::try_from(ROUNDS).unwrap());
        assert_eq!(site.check().solves, ROUNDS);
    }

    fn one_key_names_the_content_that_came_first(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let key = format!("k{round}");
            let answers = crowd.at_once(|client, number| {
                client.post_with_key(PATH, &key, &accepted(&format!("p{round}-{}", number % 4)))
            });
            let made = only(&answers, 201);
            assert_eq!(count(&answers, 200), CROWD / 4 - 1, "{:?}", statuses(&answers));
            assert_eq!(count(&answers, 422), CROWD - CROWD / 4, "{:?}", statuses(&answers));
            for answer in &answers {
                match answer.status {
                    422 => assert_eq!(answer.code(), "idempotency-key-reused"),
                    _ => assert_eq!(answer.body, made.body),
                }
            }
        }
        assert_eq!(submissions(&site), i64::try_from(ROUNDS).unwrap());
        site.check();
    }

    fn a_number_makes_one_submission_whatever_the_key(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let mut body = accepted(&format!("p{round}"));
            body["external_id"] = json!(round.to_string());
            let answers = crowd.at_once(|client, number| match number % 3 {
                0 => client.post(PATH, &body),
                _ => client.post_with_key(PATH, &format!("k{round}-{number}"), &body),
            });
            let made = only(&answers, 201);
            assert_eq!(count(&answers, 200), CROWD - 1, "{:?}", statuses(&answers));
            assert!(answers.iter().all(|answer| answer.body == made.body));
        }
        assert_eq!(submissions(&site), i64::try_from(ROUNDS).unwrap());
        site.check();
    }

    fn numbers_of_two_judges_stay_apart(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        let answers = crowd.at_once(|client, number| {
            let host = if number % 2 == 0 { "leetcode.com" } else { "leetcode.cn" };
            let url = format!("https://{host}/problems/two-sum/");
            let body = json!({"problem": {"url": url}, "verdict": "accepted", "external_id": "5"});
            client.post(PATH, &body)
        });
        assert_eq!(count(&answers, 201), 2, "{:?}", statuses(&answers));
        assert_eq!(count(&answers, 200), CROWD - 2, "{:?}", statuses(&answers));
        let firsts =
            answers.iter().filter(|answer| answer.status == 201 && answer.body["first_solve"] == true);
        assert_eq!(firsts.count(), 1);
        assert_eq!(submissions(&site), 2);
        site.check();
    }

    fn a_pending_verdict_advances_once(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let mut body = accepted(&format!("p{round}"));
            body["external_id"] = json!(round.to_string());
            body["verdict"] = json!("pending");
            ada.post(PATH, &body).expect(201);
            body["verdict"] = json!("accepted");
            let answers = crowd.at_once(|client, _| client.post(PATH, &body));
            assert_eq!(count(&answers, 200), CROWD, "{:?}", statuses(&answers));
            let advanced: Vec<_> = answers
                .iter()
                .filter(|answer| answer.header("idempotency-replayed").is_none())
                .collect();
            assert_eq!(advanced.len(), 1);
            assert_eq!(advanced[0].body["first_solve"], true);
            assert!(answers.iter().all(|answer| answer.body == advanced[0].body));
        }
        assert_eq!(xp(&ada), 10 * i64::try_from(ROUNDS).unwrap());
        site.check();
    }

    /// Some bring the pending submission, others already its verdict.
    fn a_verdict_may_come_with_its_submission(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let answers = crowd.at_once(|client, number| {
                let mut body = accepted(&format!("p{round}"));
                body["external_id"] = json!(round.to_string());
                if number % 2 == 0 {
                    body["verdict"] = json!("pending");
                }
                client.post(PATH, &body)
            });
            only(&answers, 201);
            assert_among(&answers, &[200, 201]);
        }
        assert_eq!(submissions(&site), i64::try_from(ROUNDS).unwrap());
        assert_eq!(xp(&ada), 10 * i64::try_from(ROUNDS).unwrap());
        site.check();
    }

    fn one_submission_solves_a_problem_first(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let answers = crowd.at_once(|client, number| {
                client.post_with_key(PATH, &format!("k{round}-{number}"),
                                     &accepted(&format!("p{round}")))
            });
            assert_eq!(count(&answers, 201), CROWD, "{:?}", statuses(&answers));
            let firsts: Vec<_> =
                answers.iter().filter(|answer| answer.body["first_solve"] == true).collect();
            assert_eq!(firsts.len(), 1);
            let awarded: i64 =
                answers.iter().map(|answer| answer.body["xp_awarded"].as_i64().unwrap()).sum();
            assert_eq!(awarded, 10);
            let solve = history(&ada, &firsts[0].body["solve"]);
            assert_eq!(solve["revisions"].as_array().unwrap().len(), 1);
        }
        assert_eq!(xp(&ada), 10 * i64::try_from(ROUNDS).unwrap());
        assert_eq!(site.check().submissions, ROUNDS * CROWD);
    }

    /// What many users say of one new problem at once makes one problem, and each their solve.
    fn users_share_the_problem_and_not_the_solve(site: Site) {
        let users: Vec<_> = (0..8).map(|number| site.register(&format!("user{number}"))).collect();
        let crowd = site.crowd(&users[0], CROWD);
        let answers = crowd.at_once(|client, number| {
            let token = users[number % users.len()].token.as_deref().unwrap();
            let mut body = accepted("two-sum");
            body["problem"]["title"] = json!(format!("Two Sum, says {number}"));
            client.with_token(token).post_with_key(PATH, "the-same-key", &body)
        });
        assert_among(&answers, &[200, 201, 422]);
        assert_eq!(count(&answers, 201), users.len());
        let problems: std::collections::HashSet<_> = answers
            .iter()
            .filter(|answer| answer.status == 201)
            .map(|answer| answer.body["problem"]["id"].as_i64())
            .collect();
        assert_eq!(problems.len(), 1);
        let found = site.check();
        assert_eq!((found.solves, found.submissions), (users.len(), users.len()));
    }
}
