use super::{ROUNDS, accepted, due, history, xp};
use crate::harness::site::{CROWD, assert_among, count, only, statuses};
use crate::harness::{Site, on_both};
use serde_json::{Value, json};

fn path(revision: &Value, what: &str) -> String {
    format!("/api/v1/revisions/{}/{what}", revision["id"])
}

fn live_reviews(history: &Value) -> usize {
    let reviews = history["reviews"].as_array().unwrap();
    reviews.iter().filter(|review| review["undone_at"].is_null()).count()
}

fn states(history: &Value) -> Vec<&str> {
    let revisions = history["revisions"].as_array().unwrap();
    revisions.iter().map(|revision| revision["state"].as_str().unwrap()).collect()
}

on_both! {
    fn the_same_completion_is_answered_the_same(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let solved = due(&ada, &format!("p{round}"));
            let path = path(&solved["next_revisions"][0], "complete");
            let answers = crowd.at_once(|client, _| client.post(&path, &json!({"rating": "good"})));
            assert_eq!(count(&answers, 200), CROWD, "{:?}", statuses(&answers));
            assert!(answers.iter().all(|answer| answer.body == answers[0].body));
            let history = history(&ada, &solved["solve"]);
            assert_eq!((states(&history), live_reviews(&history)), (vec!["completed", "pending"], 1));
        }
        assert_eq!(xp(&ada), 15 * i64::try_from(ROUNDS).unwrap());
        site.check();
    }

    fn one_of_many_ratings_counts(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        let ratings = ["again", "hard", "good", "easy"];
        for round in 0..ROUNDS {
            let solved = due(&ada, &format!("p{round}"));
            let path = path(&solved["next_revisions"][0], "complete");
            let answers = crowd.at_once(|client, number| {
                client.post(&path, &json!({"rating": ratings[number % ratings.len()]}))
            });
            assert_eq!(count(&answers, 200), CROWD / 4, "{:?}", statuses(&answers));
            assert_eq!(count(&answers, 409), CROWD - CROWD / 4, "{:?}", statuses(&answers));
            let winner = answers.iter().find(|answer| answer.status == 200).unwrap();
            for answer in &answers {
                match answer.status {
                    409 => assert_eq!(answer.code(), "already-completed"),
                    _ => assert_eq!(answer.body, winner.body),
                }
            }
            assert_eq!(live_reviews(&history(&ada, &solved["solve"])), 1);
        }
        site.check();
    }

    fn a_day_has_one_review_however_it_comes(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let slug = format!("p{round}");
            let solved = due(&ada, &slug);
            let path = path(&solved["next_revisions"][0], "complete");
            let answers = crowd.at_once(|client, number| {
                if number % 2 == 0 {
                    return client.post(&path, &json!({"rating": "hard"}));
                }
                client.post_with_key("/api/v1/submissions", &format!("k{round}-{number}"),
                                     &accepted(&slug))
            });
            assert_eq!(count(&answers, 201), CROWD / 2, "{:?}", statuses(&answers));
            assert_among(&answers, &[200, 201, 409]);
            let by_hand = count(&answers, 200);
            assert!(by_hand == 0 || by_hand == CROWD / 2, "{:?}", statuses(&answers));
            let completed: usize = answers
                .iter()
                .filter(|answer| answer.status == 201)
                .map(|answer| answer.body["revisions_completed"].as_array().unwrap().len())
                .sum();
            // One that began earlier and came later takes the place of one that was told so before.
            assert_eq!(completed == 0, by_hand > 0, "{completed}");
            let history = history(&ada, &solved["solve"]);
            assert_eq!((states(&history), live_reviews(&history)), (vec!["completed", "pending"], 1));
        }
        assert_eq!(xp(&ada), 15 * i64::try_from(ROUNDS).unwrap());
        site.check();
    }

    fn what_is_undone_stays_undone(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let solved = due(&ada, &format!("p{round}"));
            let revision = &solved["next_revisions"][0];
            let (complete, undo) = (path(revision, "complete"), path(revision, "undo"));
            ada.post(&complete, &json!({"rating": "good"})).expect(200);
            let answers = crowd.at_once(|client, number| match number % 2 {
                0 => client.post(&complete, &json!({"rating": "good"})),
                _ => client.post(&undo, &json!({})),
            });
            assert_among(&answers, &[200, 409]);
            for (number, answer) in answers.iter().enumerate() {
                if number % 2 == 1 {
                    assert_eq!(answer.status, 200, "an undo: {answer:?}");
                } else if answer.status == 409 {
                    assert_eq!(answer.code(), "wrong-state");
                }
            }
            let history = history(&ada, &solved["solve"]);
            assert_eq!(states(&history), ["undone", "withdrawn", "pending"]);
            assert_eq!(history["revisions"][2]["due_on"], revision["due_on"]);
            assert_eq!(live_reviews(&history), 0);
        }
        assert_eq!(xp(&ada), 10 * i64::try_from(ROUNDS).unwrap());
        site.check();
    }

    /// Completing, undoing, putting off, skipping, suspending and resetting, all at once.
    fn all_that_can_be_done_to_a_schedule_at_once(site: Site) {
        let ada = site.register("ada");
        ada.patch("/api/v1/me", &json!({"scheduler": "both"})).expect(200);
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let solved = due(&ada, &format!("p{round}"));
            let of_solve = |what: &str| format!("/api/v1/solves/{}/{what}", solved["solve"]["id"]);
            let answers = crowd.at_once(|client, number| {
                let revision = &solved["next_revisions"][number % 2];
                match number / 2 % 8 {
                    0 | 1 => client.post(&path(revision, "complete"), &json!({"rating": "good"})),
                    2 => client.post(&path(revision, "undo"), &json!({})),
                    3 => client.post(&path(revision, "postpone"), &json!({"days": 2})),
                    4 => client.post(&path(revision, "skip"), &json!({})),
                    5 => client.post(&of_solve("suspend"), &json!({})),
                    6 => client.post(&of_solve("resume"), &json!({})),
                    _ => client.post(&of_solve("reset"), &json!({})),
                }
            });
            assert_among(&answers, &[200, 409]);
        }
        site.check();
    }

    fn triage_happens_once(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let made = ada
                .post_with_key("/api/v1/submissions", &format!("k{round}"),
                               &accepted(&format!("p{round}")))
                .expect(201)
                .body;
            let path = format!("/api/v1/submissions/{}/triage", made["submission"]["id"]);
            let answers = crowd.at_once(|client, number| {
                let rating = if number % 2 == 0 { "again" } else { "easy" };
                client.post(&path, &json!({"rating": rating}))
            });
            assert_eq!(count(&answers, 200), CROWD / 2, "{:?}", statuses(&answers));
            assert_eq!(count(&answers, 409), CROWD / 2, "{:?}", statuses(&answers));
            let winner = answers.iter().find(|answer| answer.status == 200).unwrap();
            for answer in &answers {
                match answer.status {
                    409 => assert_eq!(answer.code(), "already-triaged"),
                    _ => assert_eq!(answer.body, winner.body),
                }
            }
            assert_eq!(history(&ada, &made["solve"])["rating"], winner.body["rating"]);
        }
        site.check();
    }

    fn a_topic_is_set_once(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let named = json!({"platform": "leetcode", "slug": format!("p{round}")});
            let problem = ada.post("/api/v1/problems", &named).expect(201).body;
            let path = format!("/api/v1/problems/{}/topic", problem["id"]);
            let topics = ["graphs", "greedy"];
            let answers = crowd.at_once(|client, number| {
                client.put(&path, &json!({"topic": topics[number % 2]}))
            });
            assert_eq!(count(&answers, 200), CROWD / 2, "{:?}", statuses(&answers));
            assert_eq!(count(&answers, 409), CROWD / 2, "{:?}", statuses(&answers));
            let winner = answers.iter().find(|answer| answer.status == 200).unwrap();
            for answer in &answers {
                assert_eq!(answer.body["topic"], winner.body["topic"]);
            }
        }
    }

    fn an_adaptive_schedule_starts_once(site: Site) {
        let ada = site.register("ada");
        ada.patch("/api/v1/me", &json!({"scheduler": "ladder"})).expect(200);
        let crowd = site.crowd(&ada, CROWD);
        for round in 0..ROUNDS {
            let solved = due(&ada, &format!("p{round}"));
            let path = format!("/api/v1/solves/{}/adaptive", solved["solve"]["id"]);
            let answers = crowd.at_once(|client, _| client.post(&path, &json!({})));
            let started = only(&answers, 201);
            assert_eq!(count(&answers, 200), CROWD - 1, "{:?}", statuses(&answers));
            assert!(answers.iter().all(|answer| answer.body == started.body));
        }
        site.check();
    }
}
