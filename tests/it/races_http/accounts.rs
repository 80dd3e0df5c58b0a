use crate::harness::server::PASSWORD;
use crate::harness::site::{CROWD, assert_among, count, only, statuses};
use crate::harness::{Client, Site, on_both};
use serde_json::json;

/// A password takes long to hash, on purpose.
const REGISTRATIONS: usize = 32;

fn nobody(site: &Site) -> Client {
    site.processes[0].client()
}

on_both! {
    fn an_address_gets_one_account_and_the_instance_one_admin(site: Site) {
        let crowd = site.crowd(&nobody(&site), REGISTRATIONS);
        let answers = crowd.at_once(|client, number| {
            let email = format!("user{}@example.org", number % 4);
            client.post("/api/v1/auth/register", &json!({"email": email, "password": PASSWORD}))
        });
        assert_eq!(count(&answers, 201), 4, "{:?}", statuses(&answers));
        assert_eq!(count(&answers, 409), REGISTRATIONS - 4, "{:?}", statuses(&answers));
        let mut admins = 0;
        for answer in &answers {
            match answer.status {
                409 => assert_eq!(answer.code(), "email-taken"),
                _ => admins += usize::from(answer.body["user"]["role"] == "admin"),
            }
        }
        assert_eq!(admins, 1);
        assert_eq!(site.check().users, 4);
    }

    fn a_key_makes_one_token(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        let order = json!({"name": "extension", "scopes": ["submit"]});
        let answers = crowd.at_once(|client, _| client.post_with_key("/api/v1/tokens", "k", &order));
        let made = only(&answers, 201);
        assert!(made.body["token"].is_string());
        assert_eq!(count(&answers, 200), CROWD - 1, "{:?}", statuses(&answers));
        for answer in answers.iter().filter(|answer| answer.status == 200) {
            assert!(answer.body.get("token").is_none_or(serde_json::Value::is_null));
            assert_eq!(answer.body["id"], made.body["id"]);
        }
        let answers = crowd.at_once(|client, number| {
            let order = json!({"name": format!("token {}", number % 2), "scopes": ["read"]});
            client.post_with_key("/api/v1/tokens", "l", &order)
        });
        only(&answers, 201);
        assert_eq!(count(&answers, 422), CROWD / 2, "{:?}", statuses(&answers));
        assert_among(&answers, &[200, 201, 422]);
        let tokens = ada.get("/api/v1/tokens").expect(200).body;
        assert_eq!(tokens["items"].as_array().unwrap().len(), 2);
        site.check();
    }

    fn a_key_makes_one_custom_problem(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        let path = "/api/v1/problems";
        let custom = |slug: String| json!({"platform": "custom", "slug": slug, "title": "Mine"});
        let same = crowd.at_once(|client, _| {
            client.post_with_key(path, "k", &custom("dp-1".to_owned()))
        });
        let made = only(&same, 201);
        assert_eq!(count(&same, 200), CROWD - 1, "{:?}", statuses(&same));
        assert!(same.iter().all(|answer| answer.body == made.body));

        let other = crowd.at_once(|client, number| {
            client.post_with_key(path, "l", &custom(format!("dp-2-{}", number % 4)))
        });
        only(&other, 201);
        assert_eq!(count(&other, 422), CROWD - CROWD / 4, "{:?}", statuses(&other));
        assert_among(&other, &[200, 201, 422]);

        let keys = crowd.at_once(|client, number| {
            client.post_with_key(path, &format!("m{number}"), &custom("dp-3".to_owned()))
        });
        let made = only(&keys, 201);
        assert_eq!(count(&keys, 200), CROWD - 1, "{:?}", statuses(&keys));
        assert!(keys.iter().all(|answer| answer.body["id"] == made.body["id"]));
        let listed = ada.get("/api/v1/problems?platform=custom").expect(200).body;
        assert_eq!(listed["items"].as_array().unwrap().len(), 3);
        site.check();
    }

    fn changes_of_preferences_take_turns(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        let answers = crowd.at_once(|client, number| match number % 4 {
            0 => client.patch("/api/v1/me", &json!({"desired_retention": 0.8})),
            1 => client.patch("/api/v1/me", &json!({"maximum_interval": 90})),
            2 => client.patch("/api/v1/me", &json!({"daily_cap": 7})),
            _ => client.patch("/api/v1/me", &json!({"fuzz": false})),
        });
        assert_eq!(count(&answers, 200), CROWD, "{:?}", statuses(&answers));
        let me = ada.get("/api/v1/me").expect(200).body;
        assert_eq!(
            [&me["desired_retention"], &me["maximum_interval"], &me["daily_cap"], &me["fuzz"]],
            [&json!(0.8), &json!(90), &json!(7), &json!(false)],
            "a change was lost"
        );
    }
}
