//! Friends, blocks, streaks and groups, as their users see them.

use crate::harness::people::{add_users, close_day, open_day};
use crate::harness::rows::User;
use crate::harness::{Answer, Client, Server, on_both};
use chrono::{NaiveDate, TimeDelta};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use serde_json::{Value, json};
use traverse::db::tx::{Work, write};
use traverse::schema::notifications;
use traverse::social::streaks::day_closed;

fn id(client: &Client) -> i64 {
    client.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap()
}

fn ask(client: &Client, handle: &str) -> Answer {
    client.post("/api/v1/friend-requests", &json!({"handle": handle}))
}

fn end(client: &Client, request: &Value, how: &str) -> Answer {
    client.post(&format!("/api/v1/friend-requests/{}/{how}", request["id"]), &json!({}))
}

fn items(client: &Client, path: &str) -> Vec<Value> {
    client.get(&format!("/api/v1/{path}")).expect(200).body["items"].as_array().unwrap().clone()
}

fn befriend(one: &Client, other: &Client, handle: &str) {
    let request = ask(one, handle).expect(201).body;
    end(other, &request, "accept").expect(200);
}

/// What somebody was told: kind and cause.
fn told(server: &Server, client: &Client) -> Vec<String> {
    notifications::table
        .filter(notifications::user_id.eq(id(client)))
        .order(notifications::id)
        .select(notifications::dedup_key)
        .load(&mut server.database.connect())
        .unwrap()
}

/// Lets a user close the rings of a day.
fn close(server: &Server, client: &Client, day: &str) {
    let day: NaiveDate = day.parse().unwrap();
    let user = User { id: id(client), settings_id: 0 };
    let now = server.app.clock.now();
    let mut db = server.database.connect();
    open_day(&mut db, user, day);
    let closed: Work<()> = write(&mut db, |db| {
        assert!(close_day(db, user, day));
        Ok(day_closed(db, user.id, day, now)?)
    });
    closed.unwrap();
}

on_both! {
    fn a_request_becomes_a_friendship(server: Server) {
        let (ada, bob, eve) =
            (server.register("ada"), server.register("bob"), server.register("eve"));
        let request = ask(&ada, "BOB").expect(201).body;
        assert_eq!(request["status"], "pending");
        assert_eq!(request["from"]["handle"], "ada");
        assert_eq!(request["to"]["handle"], "bob");
        assert_eq!(ask(&ada, "bob").expect(200).body, request);
        assert_eq!(items(&ada, "friend-requests"), items(&bob, "friend-requests"));
        assert_eq!(items(&eve, "friend-requests"), Vec::<Value>::new());
        for how in ["accept", "decline", "cancel"] {
            end(&eve, &request, how).expect(404);
        }
        end(&ada, &request, "accept").expect(403);
        end(&ada, &request, "decline").expect(403);
        end(&bob, &request, "cancel").expect(403);

        let accepted = end(&bob, &request, "accept").expect(200).body;
        assert_eq!(accepted["status"], "accepted");
        assert_eq!(end(&bob, &request, "accept").expect(200).body, accepted);
        let late = end(&ada, &request, "cancel").expect(409);
        assert_eq!((late.code(), &late.body["state"]), ("request-closed", &json!("accepted")));
        for (one, handle) in [(&ada, "bob"), (&bob, "ada")] {
            assert_eq!(ask(one, handle).expect(200).body, accepted);
            assert_eq!(items(one, "friends")[0]["user"]["handle"], handle);
            assert_eq!(items(one, "friend-requests"), Vec::<Value>::new());
        }
        let number = &request["id"];
        assert_eq!(told(&server, &bob), [format!("friend-request:{number}")]);
        assert_eq!(told(&server, &ada), [format!("friend-accepted:{number}")]);

        let bob_id = id(&bob);
        for _ in 0..2 {
            ada.delete(&format!("/api/v1/friends/{bob_id}")).expect(204);
        }
        assert_eq!(items(&bob, "friends"), Vec::<Value>::new());
        assert_ne!(ask(&bob, "ada").expect(201).body["id"], *number, "another one");
    }

    fn who_asks_back_accepts(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        let request = ask(&ada, "bob").expect(201).body;
        let answer = ask(&bob, "ada").expect(200).body;
        assert_eq!((&answer["id"], &answer["status"]), (&request["id"], &json!("accepted")));
        assert_eq!(items(&ada, "friends").len(), 1);
        assert_eq!(told(&server, &ada), [format!("friend-accepted:{}", request["id"])]);
    }

    fn a_request_ends_once(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        for (how, client, others) in [("decline", &bob, "cancel"), ("cancel", &ada, "decline")] {
            let request = ask(&ada, "bob").expect(201).body;
            let ended = end(client, &request, how).expect(200).body;
            assert!(ended["closed_at"].is_string());
            assert_eq!(end(client, &request, how).expect(200).body, ended);
            let other = if others == "cancel" { &ada } else { &bob };
            assert_eq!(end(other, &request, others).expect(409).code(), "request-closed");
            assert_eq!(end(&bob, &request, "accept").expect(409).code(), "request-closed");
        }
        assert_eq!(items(&ada, "friends"), Vec::<Value>::new());
    }

    fn wrong_handles_are_refused(server: Server) {
        let ada = server.register("ada");
        ask(&ada, "nobody").expect(404);
        for wrong in ["ada", "a", "not a handle", "ä\u{0}"] {
            assert_eq!(ask(&ada, wrong).expect(422).body["errors"][0]["pointer"], "/handle");
        }
        ada.put(&format!("/api/v1/blocks/{}", id(&ada)), &json!({})).expect(422);
        ada.put("/api/v1/blocks/12345", &json!({})).expect(404);
        for path in ["friends/12345", "blocks/12345"] {
            ada.delete(&format!("/api/v1/{path}")).expect(204);
        }
        ada.get("/api/v1/friends/12345").expect(404);
    }

    fn a_blocked_person_notices_nothing(server: Server) {
        let names = ["ada", "bob", "eve"];
        let [ada, bob, eve] = names.map(|name| server.register(name));
        let (ada_id, eve_id) = (id(&ada), id(&eve));
        let block = ada.put(&format!("/api/v1/blocks/{eve_id}"), &json!({})).expect(200).body;
        assert_eq!(block["handle"], json!(null), "who was blocked by number stays a number");
        assert_eq!(ada.put(&format!("/api/v1/blocks/{eve_id}"), &json!({})).expect(200).body, block);
        assert_eq!(items(&ada, "blocks"), [block]);
        assert_eq!(items(&eve, "blocks"), Vec::<Value>::new());

        // Bob is as anybody is, Eve is blocked; both do the same and get the same.
        let shape = |answer: Answer| {
            let mut body = answer.body;
            for name in ["id", "from", "created_at", "closed_at"] {
                body.as_object_mut().unwrap().remove(name);
            }
            (answer.status, body)
        };
        let both = [&bob, &eve].map(|client| {
            let mut seen = vec![shape(ask(client, "ada")), shape(ask(client, "ada"))];
            let open = items(client, "friend-requests");
            assert_eq!(open.len(), 1);
            for path in ["friends", "friend-streaks", "blocks", "groups"] {
                assert_eq!(items(client, path), Vec::<Value>::new());
            }
            assert_eq!(client.get(&format!("/api/v1/friends/{ada_id}")).status, 404);
            seen.push(shape(end(client, &open[0], "accept")));
            seen.push(shape(end(client, &open[0], "cancel")));
            seen.push(shape(end(client, &open[0], "cancel")));
            seen.push(shape(ask(client, "ada")));
            seen
        });
        assert_eq!(both[0], both[1]);

        let incoming = items(&ada, "friend-requests");
        assert_eq!(incoming.len(), 1, "{incoming:?}");
        assert_eq!(incoming[0]["from"]["handle"], "bob");
        let hidden = &items(&eve, "friend-requests")[0];
        for how in ["accept", "decline"] {
            end(&ada, hidden, how).expect(404);
        }
        assert_eq!(told(&server, &ada).len(), 2, "both of Bob's, none of Eve's");
        assert_eq!(ask(&ada, "eve").expect(409).code(), "you-block-them");

        // Taken back, both wishes meet.
        for _ in 0..2 {
            ada.delete(&format!("/api/v1/blocks/{eve_id}")).expect(204);
        }
        assert_eq!(items(&ada, "friend-requests").len(), 1, "it stays unseen");
        assert_eq!(ask(&ada, "eve").expect(200).body["status"], "accepted");
        let block = ada.put(&format!("/api/v1/blocks/{eve_id}"), &json!({})).expect(200).body;
        assert_eq!(block["handle"], "eve", "a friend is known");
    }

    fn a_block_ends_all_that_there_is(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        befriend(&ada, &bob, "bob");
        for client in [&ada, &bob] {
            close(&server, client, "2026-09-01");
        }
        let ada_id = id(&ada);
        let group = ada.post("/api/v1/groups", &json!({"name": "Evenings"})).expect(201).body;
        let board = format!("/api/v1/groups/{}/leaderboard", group["id"]);
        let member = format!("/api/v1/groups/{}/members/{}", group["id"], id(&bob));
        ada.put(&member, &json!({})).expect(200);
        bob.get(&board).expect(200);
        let block = bob.put(&format!("/api/v1/blocks/{ada_id}"), &json!({})).expect(200).body;
        assert_eq!(block["handle"], "ada", "they knew each other");
        for client in [&ada, &bob] {
            for path in ["friends", "friend-streaks", "friend-requests"] {
                assert_eq!(items(client, path), Vec::<Value>::new());
            }
        }
        bob.get(&board).expect(404);
        ada.put(&member, &json!({})).expect(404);
        // A and B are apart from B and A.
        ada.put(&format!("/api/v1/blocks/{}", id(&bob)), &json!({})).expect(200);
        bob.delete(&format!("/api/v1/blocks/{ada_id}")).expect(204);
        assert_eq!(items(&ada, "blocks").len(), 1);
        assert_eq!(ask(&bob, "ada").expect(201).body["status"], "pending");
        let before = told(&server, &ada).len();
        for client in [&ada, &bob] {
            close(&server, client, "2026-09-02");
        }
        assert_eq!(told(&server, &ada).len(), before, "nothing comes of it");

        // An open request is declined to whoever asked.
        let eve = server.register("eve");
        let request = ask(&eve, "bob").expect(201).body;
        bob.put(&format!("/api/v1/blocks/{}", id(&eve)), &json!({})).expect(200);
        assert_eq!(items(&eve, "friend-requests"), Vec::<Value>::new());
        assert_eq!(end(&eve, &request, "cancel").expect(409).body["state"], "declined");
    }

    fn friends_keep_a_streak(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        befriend(&ada, &bob, "bob");
        let days = |client: &Client| items(client, "friend-streaks")[0]["days"].as_i64().unwrap();
        assert_eq!(days(&ada), 0);
        // A day before they were friends counts for nothing.
        for day in ["2026-08-31", "2026-09-01", "2026-09-02"] {
            for client in [&bob, &ada] {
                close(&server, client, day);
            }
        }
        server.advance(TimeDelta::days(1));
        assert_eq!((days(&ada), days(&bob)), (2, 2));
        // The day after tomorrow leaves a gap, which a late arrival closes.
        server.advance(TimeDelta::days(2));
        for client in [&ada, &bob] {
            close(&server, client, "2026-09-04");
        }
        assert_eq!(days(&ada), 1);
        close(&server, &bob, "2026-09-03");
        assert_eq!(days(&ada), 1);
        close(&server, &ada, "2026-09-03");
        assert_eq!((days(&ada), days(&bob)), (4, 4));
        let streak = &items(&ada, "friends")[0]["shared_streak"];
        assert_eq!(streak, &json!({"days": 4, "last_day": "2026-09-04"}));
        let of_streak: Vec<String> = told(&server, &bob)
            .into_iter()
            .filter(|key| key.starts_with("friend-streak:"))
            .collect();
        let (low, high) = (id(&ada), id(&bob));
        let expected = ["01", "02", "04", "03"]
            .map(|day| format!("friend-streak:{low}-{high}:2026-09-{day}"));
        assert_eq!(of_streak, expected);
        server.advance(TimeDelta::days(2));
        assert_eq!(days(&ada), 0, "over");

        ada.delete(&format!("/api/v1/friends/{high}")).expect(204);
        befriend(&bob, &ada, "ada");
        assert_eq!(items(&ada, "friend-streaks")[0]["last_day"], json!(null));
    }

    fn friends_see_what_friends_see(server: Server) {
        let (ada, bob, eve) =
            (server.register("ada"), server.register("bob"), server.register("eve"));
        befriend(&ada, &bob, "bob");
        let solved = json!({"problem": {"platform": "leetcode", "slug": "two-sum"},
                            "verdict": "accepted"});
        bob.post_with_key("/api/v1/submissions", "k", &solved).expect(201);
        let path = format!("/api/v1/friends/{}", id(&bob));
        let friend = ada.get(&path).expect(200).body;
        assert_eq!(friend["user"]["handle"], "bob");
        assert_eq!(friend["xp"], bob.get("/api/v1/xp").expect(200).body["total"]);
        let rings = bob.get("/api/v1/rings/today").expect(200).body;
        for what in ["day", "goals", "progress", "closed_at"] {
            assert_eq!(friend["rings"][what], rings[what], "{what}");
        }
        let streak = bob.get("/api/v1/streak").expect(200).body;
        assert_eq!(friend["streak"]["current"], streak["current"]);
        assert!(friend["user"].get("email").is_none());
        eve.get(&path).expect(404);
        bob.get(&path).expect(404);
    }

    fn a_group_has_members_and_a_leaderboard(server: Server) {
        let names = ["ada", "bob", "eve", "dan"];
        let [ada, bob, eve, dan] = names.map(|name| server.register(name));
        befriend(&ada, &bob, "bob");
        befriend(&ada, &eve, "eve");
        let make = |key: &str, name: &str| {
            ada.post_with_key("/api/v1/groups", key, &json!({"name": name}))
        };
        let group = make("k", " Evenings ").expect(201).body;
        assert_eq!((&group["name"], &group["role"]), (&json!("Evenings"), &json!("owner")));
        let again = make("k", " Evenings ").expect(200);
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.body, group);
        assert_eq!(make("k", "Mornings").expect(422).code(), "idempotency-key-reused");
        assert_eq!(make("l", "  ").expect(422).body["errors"][0]["pointer"], "/name");

        let path = |what: &str| format!("/api/v1/groups/{}/{what}", group["id"]);
        let member = |client: &Client| path(&format!("members/{}", id(client)));
        let added = ada.put(&member(&bob), &json!({})).expect(200).body;
        assert_eq!((&added["user"]["handle"], &added["role"]), (&json!("bob"), &json!("viewer")));
        // Without a body, and once more; then as something else.
        Answer::of(ada.request(reqwest::Method::PUT, &member(&eve))).expect(200);
        assert_eq!(ada.put(&member(&bob), &json!({})).expect(200).body, added);
        let coach = ada.put(&member(&bob), &json!({"role": "coach"})).expect(200).body;
        assert_eq!((&coach["role"], &coach["joined_at"]), (&json!("coach"), &added["joined_at"]));
        ada.put(&member(&bob), &json!({"role": "owner"})).expect(422);
        assert_eq!(ada.put(&member(&ada), &json!({})).expect(409).code(), "group-owner");
        ada.put(&member(&dan), &json!({})).expect(404);
        bob.put(&member(&eve), &json!({})).expect(403);
        bob.delete(&member(&eve)).expect(403);
        dan.put(&member(&bob), &json!({})).expect(404);
        dan.delete(&member(&bob)).expect(404);
        dan.get(&path("leaderboard")).expect(404);

        let solve = |client: &Client, slug: &str, at: &str| {
            let body = json!({"problem": {"platform": "leetcode", "slug": slug},
                              "verdict": "accepted", "happened_at": at});
            client.post_with_key("/api/v1/submissions", slug, &body).expect(201);
        };
        solve(&bob, "two-sum", "2026-09-01T10:00:00Z");
        solve(&bob, "3sum", "2026-08-31T05:00:00Z");
        // Last week, and next to its border: the day begins at four.
        solve(&eve, "two-sum", "2026-08-31T03:00:00Z");
        let board = |client: &Client, day: &str| -> Vec<(i64, String, i64)> {
            let found = client.get(&path(&format!("leaderboard{day}"))).expect(200).body;
            let places = found["items"].as_array().unwrap().iter();
            places
                .map(|place| {
                    let handle = place["user"]["handle"].as_str().unwrap().to_owned();
                    (place["rank"].as_i64().unwrap(), handle, place["xp"].as_i64().unwrap())
                })
                .collect()
        };
        let found = ada.get(&path("leaderboard")).expect(200).body;
        assert_eq!((&found["from"], &found["to"]), (&json!("2026-08-31"), &json!("2026-09-06")));
        let of_week = board(&ada, "");
        assert_eq!((of_week[0].0, of_week[0].1.as_str()), (1, "bob"));
        assert!(of_week[0].2 >= 20, "{of_week:?}");
        let rest: Vec<_> = of_week[1..].iter().map(|(rank, _, xp)| (*rank, *xp)).collect();
        assert_eq!(rest, [(2, 0), (2, 0)]);
        let before = board(&ada, "?day=2026-08-30");
        assert_eq!(before[0].1, "eve");
        assert!(before[0].2 >= 10, "{before:?}");

        // Members of whom one blocks the other are not there for each other.
        eve.put(&format!("/api/v1/blocks/{}", id(&bob)), &json!({})).expect(200);
        assert_eq!(board(&ada, "").len(), 3);
        for (client, other) in [(&bob, "eve"), (&eve, "bob")] {
            let seen = board(client, "");
            assert_eq!(seen.len(), 2);
            assert!(seen.iter().all(|(_, handle, _)| handle != other), "{seen:?}");
        }

        for _ in 0..2 {
            ada.delete(&member(&eve)).expect(204);
        }
        bob.delete(&member(&bob)).expect(204);
        bob.get(&path("leaderboard")).expect(404);
        assert_eq!(items(&ada, "groups").len(), 1);
        ada.delete(&member(&ada)).expect(204);
        assert_eq!(items(&ada, "groups"), Vec::<Value>::new());
        make("k", " Evenings ").expect(410);
    }

    fn a_deleted_account_takes_with_it_what_was_shared(server: Server) {
        let names = ["ada", "bob", "eve", "dan"];
        let [ada, bob, eve, dan] = names.map(|name| server.register(name));
        befriend(&ada, &bob, "bob");
        for client in [&ada, &bob] {
            close(&server, client, "2026-09-01");
        }
        ask(&ada, "eve").expect(201);
        ada.put(&format!("/api/v1/blocks/{}", id(&dan)), &json!({})).expect(200);
        dan.put(&format!("/api/v1/blocks/{}", id(&ada)), &json!({})).expect(200);
        let groups = [&ada, &bob].map(|owner| {
            owner.post("/api/v1/groups", &json!({"name": "Evenings"})).expect(201).body["id"].clone()
        });
        for (owner, group, friend) in [(&ada, &groups[0], &bob), (&bob, &groups[1], &ada)] {
            let path = format!("/api/v1/groups/{group}/members/{}", id(friend));
            owner.put(&path, &json!({})).expect(200);
        }
        let request = ada.request(reqwest::Method::DELETE, "/api/v1/me");
        let password = json!({"password": crate::harness::server::PASSWORD});
        Answer::of(request.json(&password)).expect(204);
        for client in [&bob, &eve, &dan] {
            for path in ["friends", "friend-streaks", "friend-requests", "blocks"] {
                assert_eq!(items(client, path), Vec::<Value>::new(), "{path}");
            }
        }
        let left = items(&bob, "groups");
        assert_eq!((left.len(), &left[0]["id"]), (1, &groups[1]));
        let board = bob.get(&format!("/api/v1/groups/{}/leaderboard", groups[1])).expect(200).body;
        assert_eq!(board["items"].as_array().unwrap().len(), 1);
        ask(&bob, "ada").expect(404);
    }

    fn nobody_has_more_than_there_may_be(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        add_users(&mut db, 500);
        let (bob, eve) = (server.register("bob"), server.register("eve"));
        let (ada_id, now) = (id(&ada), "2026-08-31T09:00:00.000000Z");
        db.batch_execute(&format!(
            "insert into friend_requests (requester_id, addressee_id, status, hidden, created_at) \
             select {ada_id}, id, 'pending', false, '{now}' from users \
             where handle like 'user-%' order by id limit 199"
        ))
        .unwrap();
        ask(&ada, "bob").expect(201);
        assert_eq!(ask(&ada, "eve").expect(409).code(), "too-many-requests");
        ask(&ada, "bob").expect(200);

        db.batch_execute(&format!(
            "insert into friend_pairs (user1_id, user2_id, friends_since, first_day, created_at, \
               updated_at) \
             select {ada_id}, id, '{now}', '2026-08-31', '{now}', '{now}' from users \
             where handle like 'user-%'"
        ))
        .unwrap();
        let request = ask(&eve, "ada").expect(201).body;
        assert_eq!(end(&ada, &request, "accept").expect(409).code(), "too-many-friends");
        assert_eq!(ask(&bob, "ada").expect(409).code(), "too-many-friends");
        assert_eq!(items(&eve, "friend-requests")[0]["status"], "pending");
        let other = format!("/api/v1/friends/{}", id(&bob) - 1);
        ada.delete(&other).expect(204);
        end(&ada, &request, "accept").expect(200);

        for number in 0..50 {
            let name = json!({"name": format!("group {number}")});
            ada.post("/api/v1/groups", &name).expect(201);
        }
        let one_more = ada.post("/api/v1/groups", &json!({"name": "One more"})).expect(409);
        assert_eq!(one_more.code(), "too-many-groups");
    }

    fn lists_go_page_by_page(server: Server) {
        let ada = server.register("ada");
        let others: Vec<Client> =
            (0..5).map(|number| server.register(&format!("user{number}"))).collect();
        for (number, other) in others.iter().enumerate() {
            befriend(other, &ada, "ada");
            let name = json!({"name": format!("group {number}")});
            ada.post("/api/v1/groups", &name).expect(201);
            ask(other, &format!("user{}", (number + 1) % 5));
        }
        for path in ["friends", "friend-streaks", "groups"] {
            let (mut seen, mut cursor) = (Vec::new(), String::new());
            loop {
                let page = ada.get(&format!("/api/v1/{path}?limit=2{cursor}")).expect(200).body;
                seen.extend(page["items"].as_array().unwrap().clone());
                let Some(next) = page["next_cursor"].as_str() else { break };
                cursor = format!("&cursor={next}");
            }
            assert_eq!(seen, items(&ada, path));
            assert_eq!(seen.len(), 5);
        }
        assert_eq!(items(&others[1], "friend-requests").len(), 2);
    }
}
