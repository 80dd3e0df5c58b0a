use crate::harness::site::{CROWD, assert_among, count, only, statuses};
use crate::harness::{Client, Site, on_both};
use diesel::prelude::*;
use serde_json::json;
use traverse::schema::{blocks, friend_pairs, friend_requests, group_members};
use traverse::social::model::Status;

const ROUNDS: usize = 6;

fn id(client: &Client) -> i64 {
    client.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap()
}

on_both! {
    /// A block against an acceptance, 64 at once: whoever wins, they are never friends and blocked.
    fn a_block_and_an_acceptance_never_both_win(site: Site) {
        let mut accepted = 0;
        for round in 0..ROUNDS {
            let handles = ["ada", "bob"].map(|name| format!("{name}{round}"));
            let [ada, bob] = handles.each_ref().map(|handle| site.register(handle));
            let request = ada.post("/api/v1/friend-requests", &json!({"handle": handles[1]}));
            let request = request.expect(201).body;
            let (ada_id, bob_id) = (id(&ada), id(&bob));
            let accept = format!("/api/v1/friend-requests/{}/accept", request["id"]);
            let crowd = site.crowd(&bob, CROWD);
            let answers = crowd.at_once(|client, number| match number % 4 {
                0 => client.put(&format!("/api/v1/blocks/{ada_id}"), &json!({})),
                1 => client.with_token(ada.token.as_deref().unwrap())
                    .post("/api/v1/friend-requests", &json!({"handle": handles[1]})),
                _ => client.post(&accept, &json!({})),
            });
            assert_among(&answers, &[200, 201, 409]);
            for answer in answers.iter().step_by(4) {
                assert_eq!(answer.status, 200, "{answer:?}");
            }
            accepted += usize::from(
                answers.iter().skip(2).step_by(4).any(|answer| answer.status == 200),
            );
            let mut db = site.connect();
            let friends: i64 = friend_pairs::table
                .filter(friend_pairs::friends_since.is_not_null())
                .count()
                .get_result(&mut db)
                .unwrap();
            assert_eq!(friends, 0, "the block came last, or first: they are no friends");
            let blocked: i64 = blocks::table.count().get_result(&mut db).unwrap();
            assert_eq!(blocked, i64::try_from(round).unwrap() + 1);
            // What Ada still has open goes nowhere.
            let seen: i64 = friend_requests::table
                .filter(friend_requests::status.eq(Status::Pending))
                .filter(friend_requests::hidden.eq(false))
                .count()
                .get_result(&mut db)
                .unwrap();
            assert_eq!(seen, 0);
            ada.get(&format!("/api/v1/friends/{bob_id}")).expect(404);
        }
        println!("in {accepted} of {ROUNDS} rounds an acceptance came before the block");
        site.check();
    }

    /// Two who ask each other at once are friends, by one request.
    fn crossing_requests_become_one_friendship(site: Site) {
        for round in 0..ROUNDS {
            let handles = ["ada", "bob"].map(|name| format!("{name}{round}"));
            let [ada, bob] = handles.each_ref().map(|handle| site.register(handle));
            let crowd = site.crowd(&ada, CROWD);
            let answers = crowd.at_once(|client, number| {
                let (who, whom) = if number % 2 == 0 { (&ada, 1) } else { (&bob, 0) };
                client.with_token(who.token.as_deref().unwrap())
                    .post("/api/v1/friend-requests", &json!({"handle": handles[whom]}))
            });
            only(&answers, 201);
            assert_eq!(count(&answers, 200), CROWD - 1, "{:?}", statuses(&answers));
            assert!(answers.iter().all(|answer| answer.body["id"] == answers[0].body["id"]));
            for client in [&ada, &bob] {
                let friends = client.get("/api/v1/friends").expect(200).body;
                assert_eq!(friends["items"].as_array().unwrap().len(), 1);
            }
        }
        site.check();
    }

    /// Ends of one request: one of them wins, and is the one that is told again.
    fn a_request_ends_once(site: Site) {
        for round in 0..ROUNDS {
            let handles = ["ada", "bob"].map(|name| format!("{name}{round}"));
            let [ada, bob] = handles.each_ref().map(|handle| site.register(handle));
            let request = ada.post("/api/v1/friend-requests", &json!({"handle": handles[1]}));
            let request = request.expect(201).body;
            let crowd = site.crowd(&bob, CROWD);
            let ends = ["accept", "decline", "cancel"];
            let answers = crowd.at_once(|client, number| {
                let end = ends[number % 3];
                let who = if end == "cancel" { &ada } else { &bob };
                client.with_token(who.token.as_deref().unwrap()).post(
                    &format!("/api/v1/friend-requests/{}/{end}", request["id"]),
                    &json!({}),
                )
            });
            assert_among(&answers, &[200, 409]);
            let won: Vec<usize> =
                (0..3).filter(|end| answers[*end].status == 200).collect();
            assert_eq!(won.len(), 1, "{:?}", statuses(&answers));
            for (number, answer) in answers.iter().enumerate() {
                assert_eq!(answer.status == 200, number % 3 == won[0]);
            }
            let friends = ada.get("/api/v1/friends").expect(200).body;
            assert_eq!(friends["items"].as_array().unwrap().len(), usize::from(won[0] == 0));
        }
        site.check();
    }

    fn a_member_is_added_once(site: Site) {
        let [ada, bob] = ["ada", "bob"].map(|handle| site.register(handle));
        for (client, handle) in [(&ada, "bob"), (&bob, "ada")] {
            client.post("/api/v1/friend-requests", &json!({"handle": handle}));
        }
        let crowd = site.crowd(&ada, CROWD);
        let made = crowd.at_once(|client, _| {
            client.post_with_key("/api/v1/groups", "k", &json!({"name": "Evenings"}))
        });
        let group = only(&made, 201).body["id"].clone();
        assert_eq!(count(&made, 200), CROWD - 1, "{:?}", statuses(&made));
        let path = format!("/api/v1/groups/{group}/members/{}", id(&bob));
        let added = crowd.at_once(|client, _| client.put(&path, &json!({"role": "coach"})));
        assert_eq!(count(&added, 200), CROWD, "{:?}", statuses(&added));
        let members: i64 = group_members::table.count().get_result(&mut site.connect()).unwrap();
        assert_eq!(members, 2);
        site.check();
    }
}
