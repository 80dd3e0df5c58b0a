//! Many users told at once, each on the ways that they want.

use super::{Stage, start, subscription};
use crate::harness::devices::register;
use crate::harness::on_both;
use crate::harness::rows::User;
use diesel::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use traverse::db::Db;
use traverse::db::tx::{self, Work};
use traverse::notifications::model::{Channel, Kind};
use traverse::notifications::{Announcement, Recipients, notify_all};
use traverse::schema::{deliveries, jobs, notifications};

fn announce(db: &mut Db, to: &Recipients<'_>, cause: &str) -> usize {
    let what = Announcement {
        kind: Kind::Broadcast,
        cause,
        title: "News",
        body: "There are some",
        link: None,
    };
    let told: Work<usize> = tx::write(db, |db| Ok(notify_all(db, to, &what, start())?));
    told.unwrap()
}

/// The channels of each user's deliveries.
fn ways(db: &mut Db) -> BTreeMap<i64, Vec<Channel>> {
    let rows: Vec<(i64, Channel)> = deliveries::table
        .inner_join(notifications::table)
        .order((notifications::user_id, deliveries::channel))
        .select((notifications::user_id, deliveries::channel))
        .load(db)
        .unwrap();
    let mut ways: BTreeMap<i64, Vec<Channel>> = BTreeMap::new();
    for (user, channel) in rows {
        ways.entry(user).or_default().push(channel);
    }
    ways
}

on_both! {
    fn each_is_told_on_the_ways_that_they_want(stage: Stage) {
        let mut db = stage.db();
        let names = ["plain", "device", "silent", "muted", "deaf", "other"];
        let mut users = BTreeMap::new();
        for name in names {
            let client = stage.server.register(name);
            if name != "plain" {
                let device = subscription(&format!("{}/{name}", stage.service.url));
                client.post("/api/v1/push-subscriptions", &device).expect(201);
            }
            let id = client.get("/api/v1/me").body["id"].as_i64().unwrap();
            users.insert(name, (client, id));
        }
        let put = |name: &str, channel: &str, body: serde_json::Value| {
            users[name].0.put(&format!("/api/v1/channels/{channel}"), &body).expect(200);
        };
        put("silent", "push", json!({"enabled": false}));
        put("muted", "push", json!({"enabled": true, "kinds": {"broadcast": false}}));
        put("muted", "in_app", json!({"enabled": true, "kinds": {"broadcast": false}}));
        put("deaf", "push", json!({"enabled": false}));
        put("deaf", "in_app", json!({"enabled": false}));
        put("other", "push", json!({"enabled": true, "kinds": {"digest": false, "broadcast": true}}));

        let ids: Vec<i64> = users.values().map(|(_, id)| *id).collect();
        assert_eq!(announce(&mut db, &Recipients::Users(&ids), "1"), 6);
        assert_eq!(announce(&mut db, &Recipients::Users(&ids), "1"), 0);
        let both = vec![Channel::InApp, Channel::Push];
        let expected: BTreeMap<i64, Vec<Channel>> = [
            ("plain", vec![Channel::InApp]),
            ("device", both.clone()),
            ("silent", vec![Channel::InApp]),
            ("other", both),
        ]
        .map(|(name, channels)| (users[name].1, channels))
        .into();
        assert_eq!(ways(&mut db), expected);
        // Those who want it on no way were told all the same, once.
        let told: i64 = notifications::table.count().get_result(&mut db).unwrap();
        assert_eq!(told, 6);
        for (name, listed) in [("plain", 1), ("muted", 0), ("deaf", 0)] {
            let list = users[name].0.get("/api/v1/notifications").expect(200).body;
            assert_eq!(list["items"].as_array().unwrap().len(), listed, "{name}");
        }
        // One run sends them all.
        let waiting: Vec<String> = jobs::table.select(jobs::job_id).load(&mut db).unwrap();
        assert_eq!(waiting, ["notification-push-drain"]);
    }

    fn a_thousand_are_told_at_once(stage: Stage) {
        let mut db = stage.db();
        let added: Work<Vec<User>> = tx::write(&mut db, |db| {
            Ok((0..1000).map(|number| User::add(db, &format!("user-{number}"))).collect())
        });
        let users = added.unwrap();
        for user in users.iter().step_by(10) {
            register(&mut db, *user, &format!("https://push.example.org/{}", user.id));
        }
        let (after, until) = (users[0].id - 1, users[999].id);
        let to = Recipients::Between { after, until };
        assert_eq!(announce(&mut db, &to, "1"), 1000);
        assert_eq!(announce(&mut db, &to, "1"), 0);
        let ids: Vec<i64> = users.iter().map(|user| user.id).collect();
        assert_eq!(announce(&mut db, &Recipients::Users(&ids), "2"), 1000);
        let count: i64 = deliveries::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, 2 * 1100);
        let nobody = Recipients::Between { after: until, until: until + 1000 };
        assert_eq!(announce(&mut db, &nobody, "3"), 0);
        assert_eq!(announce(&mut db, &Recipients::Users(&[]), "3"), 0);
    }
}
