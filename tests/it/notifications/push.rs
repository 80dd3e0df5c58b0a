//! What goes well: each device has each message once.

use super::judge::judge;
use super::{Stage, start, subscription, tell};
use crate::harness::on_both;
use crate::harness::push_service::Received;
use serde_json::json;

on_both! {
    fn a_device_gets_what_its_user_is_told(stage: Stage) {
        let device = stage.device("/phone");
        let worker = stage.work();
        let told = stage.tell("1");
        stage.until(told, "sent1");
        worker.stop();

        let received = stage.service.received();
        assert_eq!(received.len(), 1);
        let headers = &received[0].headers;
        for (name, value) in [
            ("content-encoding", "aes128gcm"),
            ("ttl", "604800"),
            ("urgency", "normal"),
            ("topic", format!("n{told}").as_str()),
        ] {
            assert_eq!(headers[name], value, "{name}");
        }
        let judged = judge(&received).remove(0);
        assert_eq!(judged.json(), json!({
            "title": "Bob asks", "body": "Bob would like to be your friend",
            "link": "/friends", "notification_id": told, "kind": "friend-request",
        }));
        assert!(judged.signed);
        assert_eq!(judged.claims["aud"], stage.service.url);
        let lasts = judged.claims["exp"].as_i64().unwrap() - start().timestamp();
        assert!((1..=86_400).contains(&lasts), "{lasts}");
        let key = stage.ada.get("/api/v1/push-subscriptions/key").expect(200).body;
        assert_eq!(key["public_key"], judged.key);

        let delivery = stage.delivery(told);
        assert_eq!(delivery["state"], "sent");
        assert_eq!(delivery["next_attempt_at"], json!(null));
        assert_eq!(delivery["receipts"][0]["push_subscription_id"], device);
        assert_eq!(stage.server.app.deliveries.get(
            traverse::notifications::model::Channel::Push, "sent"), 1);
        let metrics = stage.server.anonymous().get("/metrics").expect(200);
        let text = String::from_utf8(metrics.bytes).unwrap();
        let line = "traverse_deliveries_total{channel=\"push\",outcome=\"sent\"} 1";
        assert!(text.contains(line), "{text}");
    }

    /// In all processes, after every start.
    fn the_key_of_the_instance_stays(stage: Stage) {
        let key = stage.server.app.vapid.public_key().to_owned();
        let other = stage.server.another();
        assert_eq!(other.app.vapid.public_key(), key);
    }

    fn all_devices_get_it_and_nobody_elses(stage: Stage) {
        let bob = stage.server.register("bob");
        let his = subscription(&format!("{}/his", stage.service.url));
        bob.post("/api/v1/push-subscriptions", &his).expect(201);
        for path in ["/phone", "/laptop", "/desk"] {
            stage.device(path);
        }
        let worker = stage.work();
        let told = stage.tell("1");
        stage.until(told, "sent1");
        worker.stop();
        for (path, statuses) in
            [("/phone", vec![201]), ("/laptop", vec![201]), ("/desk", vec![201]), ("/his", vec![])]
        {
            assert_eq!(stage.service.statuses(path), statuses, "{path}");
        }
        assert_eq!(stage.delivery(told)["receipts"].as_array().unwrap().len(), 3);
    }

    /// Many at once, more than are on their way at a time.
    fn a_hundred_are_sent_soon(stage: Stage) {
        stage.device("/phone");
        let mut db = stage.db();
        for number in 0..100 {
            tell(&mut db, stage.ada_id, &number.to_string());
        }
        let worker = stage.work();
        stage.until_received(100);
        worker.stop();
        let mut sent: Vec<i64> =
            stage.service.received().iter().map(Received::notification).collect();
        sent.sort_unstable();
        sent.dedup();
        assert_eq!((sent.len(), stage.service.received().len()), (100, 100));
    }

    fn without_a_device_there_is_nothing_to_send(stage: Stage) {
        let told = stage.tell("1");
        let path = format!("/api/v1/notifications/{told}/deliveries");
        let listed = stage.ada.get(&path).expect(200).body;
        let items = listed["items"].as_array().unwrap();
        assert_eq!(items.len(), 1);
        assert_eq!((&items[0]["channel"], &items[0]["state"]), (&json!("in_app"), &json!("sent")));
        assert!(stage.ada.get("/api/v1/notifications").body["items"][0]["read_at"].is_null());
    }
}
