//! The routes of notifications, channels and devices.

use super::{Stage, start, subscription, tell};
use crate::harness::devices::{AUTH, P256DH};
use crate::harness::on_both;
use chrono::TimeDelta;
use diesel::prelude::*;
use serde_json::{Value, json};

const KINDS: [&str; 7] = [
    "rings-closed",
    "digest",
    "friend-request",
    "friend-accepted",
    "friend-streak",
    "broadcast",
    "import-finished",
];

fn ids(list: &Value) -> Vec<i64> {
    list["items"].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect()
}

on_both! {
    fn the_list_is_read_page_by_page(stage: Stage) {
        let told: Vec<i64> = (0..5).map(|number| stage.tell(&number.to_string())).collect();
        let newest: Vec<i64> = told.iter().rev().copied().collect();
        let get = |path: &str| stage.ada.get(&format!("/api/v1/notifications{path}")).expect(200);
        let all = get("").body;
        assert_eq!(ids(&all), newest);
        assert_eq!(all["items"][0], json!({
            "id": newest[0], "kind": "friend-request", "title": "Bob asks",
            "body": "Bob would like to be your friend", "link": "/friends",
            "created_at": start(), "read_at": null,
        }));
        let first = get("?limit=2").body;
        assert_eq!(ids(&first), newest[..2]);
        let cursor = first["next_cursor"].as_str().unwrap();
        assert_eq!(ids(&get(&format!("?limit=2&cursor={cursor}")).body), newest[2..4]);

        stage.ada.post(&format!("/api/v1/notifications/{}/read", told[2]), &json!({})).expect(200);
        for unread in ["?unread", "?unread=", "?unread=true"] {
            assert_eq!(ids(&get(unread).body), [newest[0], newest[1], newest[3], newest[4]]);
        }
        assert_eq!(ids(&get("?unread=false").body), [told[2]]);
        stage.ada.get("/api/v1/notifications?unread=maybe").expect(422);
        let other = stage.server.register("bob");
        assert_eq!(ids(&other.get("/api/v1/notifications").expect(200).body), [0; 0]);
    }

    fn the_first_reading_counts(stage: Stage) {
        let told = stage.tell("1");
        let path = format!("/api/v1/notifications/{told}/read");
        let first = stage.ada.post(&path, &json!({})).expect(200).body;
        assert_eq!(first["read_at"], json!(start()));
        stage.server.advance(TimeDelta::hours(1));
        assert_eq!(stage.ada.post(&path, &json!({})).expect(200).body, first);
        let bob = stage.server.register("bob");
        bob.post(&path, &json!({})).expect(404);
        bob.get(&format!("/api/v1/notifications/{told}/deliveries")).expect(404);
        stage.ada.post("/api/v1/notifications/999999/read", &json!({})).expect(404);
    }

    fn a_channel_is_set_as_a_whole(stage: Stage) {
        let all = |carries: bool| {
            Value::Object(KINDS.iter().map(|kind| ((*kind).to_owned(), json!(carries))).collect())
        };
        for (channel, enabled, available) in
            [("in_app", true, true), ("push", true, true), ("email", false, false)]
        {
            let shown = stage.ada.get(&format!("/api/v1/channels/{channel}")).expect(200).body;
            assert_eq!(shown, json!({"channel": channel, "available": available,
                                     "enabled": enabled, "kinds": all(true)}));
        }
        let wanted = json!({"enabled": true, "kinds": {"digest": false, "broadcast": true}});
        let mut kinds = all(true);
        kinds["digest"] = json!(false);
        let set = stage.ada.put("/api/v1/channels/push", &wanted).expect(200).body;
        assert_eq!(set, json!({"channel": "push", "available": true, "enabled": true,
                               "kinds": kinds}));
        assert_eq!(stage.ada.get("/api/v1/channels/push").expect(200).body, set);
        let off = stage.ada.put("/api/v1/channels/push", &json!({"enabled": false})).expect(200);
        assert_eq!((&off.body["enabled"], &off.body["kinds"]), (&json!(false), &all(true)));
        // Somebody else's choice is their own.
        let bob = stage.server.register("bob");
        assert_eq!(bob.get("/api/v1/channels/push").expect(200).body["enabled"], true);

        stage.ada.get("/api/v1/channels/pigeon").expect(404);
        stage.ada.put("/api/v1/channels/pigeon", &wanted).expect(404);
        for wrong in [
            json!({}),
            json!({"enabled": "yes"}),
            json!({"enabled": true, "kinds": {"gossip": true}}),
            json!({"enabled": true, "kinds": {"digest": 1}}),
            json!({"enabled": true, "loud": true}),
        ] {
            stage.ada.put("/api/v1/channels/push", &wrong).expect(422);
        }
        let mail = stage.ada.put("/api/v1/channels/email", &json!({"enabled": true})).expect(409);
        assert_eq!(mail.code(), "channel-unavailable");
        stage.ada.put("/api/v1/channels/email", &json!({"enabled": false})).expect(200);
    }

    fn a_device_is_registered_moved_and_removed(stage: Stage) {
        let register = |client: &crate::harness::Client, endpoint: &str| {
            client.post("/api/v1/push-subscriptions", &subscription(endpoint))
        };
        let endpoint = "https://push.example.org/send/1";
        let first = register(&stage.ada, endpoint).expect(201).body;
        assert_eq!(first, json!({"id": first["id"], "endpoint": endpoint, "created_at": start(),
                                 "updated_at": start()}));
        stage.server.advance(TimeDelta::hours(1));
        let again = register(&stage.ada, "HTTPS://push.example.org:443/send/1").expect(200).body;
        assert_eq!((&again["id"], &again["created_at"]), (&first["id"], &first["created_at"]));
        assert_ne!(again["updated_at"], first["updated_at"]);
        let second = register(&stage.ada, "https://push.example.org/send/2").expect(201).body;
        let list = stage.ada.get("/api/v1/push-subscriptions").expect(200).body;
        assert_eq!(ids(&list), [second["id"].as_i64().unwrap(), first["id"].as_i64().unwrap()]);
        let page = stage.ada.get("/api/v1/push-subscriptions?limit=1").expect(200).body;
        assert_eq!(ids(&page), [second["id"].as_i64().unwrap()]);

        // The same browser, used by somebody else.
        let bob = stage.server.register("bob");
        let his = register(&bob, endpoint).expect(201).body;
        assert_eq!(his["id"], first["id"]);
        assert_eq!(stage.ada.get("/api/v1/push-subscriptions").body["items"], json!([second]));
        let path = format!("/api/v1/push-subscriptions/{}", first["id"]);
        stage.ada.delete(&path).expect(404);
        bob.delete(&path).expect(204);
        bob.delete(&path).expect(404);
    }

    fn a_user_has_twenty_devices_at_most(stage: Stage) {
        for number in 0..22 {
            stage.server.advance(TimeDelta::seconds(1));
            stage.device(&format!("/{number}"));
        }
        let list = stage.ada.get("/api/v1/push-subscriptions?limit=200").expect(200).body;
        let items = list["items"].as_array().unwrap();
        assert_eq!(items.len(), 20);
        assert!(items[0]["endpoint"].as_str().unwrap().ends_with("/21"));
        assert!(items[19]["endpoint"].as_str().unwrap().ends_with("/2"));
    }

    fn what_is_no_device_is_refused(stage: Stage) {
        let body = |endpoint: &str, p256dh: &str, auth: &str| {
            json!({"endpoint": endpoint, "keys": {"p256dh": p256dh, "auth": auth}})
        };
        let fine = "https://push.example.org/send/1";
        let long = format!("https://push.example.org/{}", "x".repeat(2048));
        for (wrong, pointer) in [
            (body("", P256DH, AUTH), "/endpoint"),
            (body("push", P256DH, AUTH), "/endpoint"),
            (body(&long, P256DH, AUTH), "/endpoint"),
            (body("https://user@push.example.org/", P256DH, AUTH), "/endpoint"),
            (body("https://192.168.0.1/", P256DH, AUTH), "/endpoint"),
            (body(fine, "AAAA", AUTH), "/keys/p256dh"),
            (body(fine, P256DH, "AAAA"), "/keys/auth"),
            (json!({"endpoint": fine}), "/keys"),
            (json!({"endpoint": fine, "keys": {"auth": AUTH}}), "/keys/p256dh"),
        ] {
            let answer = stage.ada.post("/api/v1/push-subscriptions", &wrong).expect(422);
            assert_eq!(answer.body["errors"][0]["pointer"], pointer, "{wrong}");
        }
        stage.ada.post("/api/v1/push-subscriptions", &body(fine, P256DH, AUTH)).expect(201);
    }

    fn whoever_goes_takes_all_of_it_along(stage: Stage) {
        stage.device("/phone");
        tell(&mut stage.db(), stage.ada_id, "1");
        stage.ada.put("/api/v1/channels/push", &json!({"enabled": true})).expect(200);
        let gone = stage.ada.request(reqwest::Method::DELETE, "/api/v1/me");
        let gone = gone.json(&json!({"password": crate::harness::server::PASSWORD}));
        crate::harness::Answer::of(gone).expect(204);
        let mut db = stage.db();
        let left: i64 = traverse::schema::deliveries::table.count().get_result(&mut db).unwrap();
        assert_eq!(left, 0);
    }
}
