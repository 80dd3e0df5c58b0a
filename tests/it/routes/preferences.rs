use crate::harness::{Server, on_both};
use chrono::TimeDelta;
use serde_json::{Value, json};

on_both! {
    fn a_new_account_has_the_defaults(server: Server) {
        let me = server.register("ada").get("/api/v1/me").expect(200).body;
        let expected = json!({
            "email": "ada@example.org", "handle": "ada", "display_name": null,
            "time_zone": "UTC", "day_starts_at": "04:00", "scheduler": "adaptive",
            "ladder_days": [1, 3, 7, 14, 30, 60, 120], "desired_retention": 0.9,
            "maximum_interval": 180, "fuzz": true, "load_balance": false,
            "weekday_weights": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
            "daily_goal": {"solves": 1, "revisions": 3}, "daily_cap": 20, "digest_hour": 8,
            "quiet_hours": null, "calendar_time": null,
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&me[name], value, "{name}");
        }
    }

    fn what_is_given_changes_and_the_rest_stays(server: Server) {
        let ada = server.register("ada");
        let patch = json!({
            "scheduler": "both", "ladder_days": [2, 4], "desired_retention": 0.8,
            "daily_goal": {"solves": 2, "revisions": 0}, "calendar_time": "18:30",
            "quiet_hours": {"from": "22:00", "until": "07:00"}, "display_name": " Ada ",
        });
        let changed = ada.patch("/api/v1/me", &patch).expect(200).body;
        assert_eq!(changed["scheduler"], "both");
        assert_eq!(changed["display_name"], "Ada");
        assert_eq!(changed["maximum_interval"], 180);
        assert_eq!(ada.get("/api/v1/me").body, changed);
        let nulls = json!({"quiet_hours": null, "calendar_time": null, "display_name": null});
        let changed = ada.patch("/api/v1/me", &nulls).expect(200).body;
        assert_eq!(changed["quiet_hours"], Value::Null);
        assert_eq!(changed["display_name"], Value::Null);
        assert_eq!(changed["ladder_days"], json!([2, 4]));
    }

    fn another_zone_counts_from_the_next_day(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"time_zone": "Asia/Tokyo"})).expect(200);
        server.advance(TimeDelta::days(1));
        assert_eq!(ada.get("/api/v1/me").body["time_zone"], "Asia/Tokyo");
    }

    fn what_arrives_late_counts_in_the_zone_of_its_time(server: Server) {
        let ada = server.register("ada");
        for zone in ["Pacific/Auckland", "Pacific/Honolulu", "Asia/Tokyo"] {
            ada.patch("/api/v1/me", &json!({"time_zone": zone})).expect(200);
            server.advance(TimeDelta::days(10));
        }
        for (at, day) in [
            ("2026-08-31T20:00:00Z", "2026-08-31"),
            ("2026-09-05T20:00:00Z", "2026-09-06"),
            ("2026-09-15T12:00:00Z", "2026-09-14"),
            ("2026-09-25T20:00:00Z", "2026-09-26"),
        ] {
            let body = json!({"verdict": "wrong_answer", "happened_at": at,
                "problem": {"platform": "leetcode", "slug": "two-sum"}});
            let made = ada.post_with_key("/api/v1/submissions", at, &body).expect(201).body;
            assert_eq!(made["submission"]["local_day"], day, "{at}");
        }
    }

    fn all_that_is_wrong_is_said_at_once_and_nothing_changes(server: Server) {
        let ada = server.register("ada");
        let before = ada.get("/api/v1/me").body;
        let patch = json!({
            "time_zone": "Mars/Phobos", "day_starts_at": "24:00", "desired_retention": 1.0,
            "maximum_interval": 0, "ladder_days": [], "weekday_weights": [0, 0, 0, 0, 0, 0, 0],
            "daily_goal": {"solves": 0, "revisions": 0}, "daily_cap": 0, "digest_hour": 24,
            "quiet_hours": {"from": "9", "until": "07:00"}, "calendar_time": "7pm",
            "scheduler": "both",
        });
        let refused = ada.patch("/api/v1/me", &patch).expect(422);
        assert_eq!(refused.code(), "invalid");
        let pointers: Vec<_> = refused.body["errors"].as_array().unwrap().iter()
            .map(|error| error["pointer"].as_str().unwrap().split('/').nth(1).unwrap()).collect();
        for field in patch.as_object().unwrap().keys().filter(|field| *field != "scheduler") {
            assert!(pointers.contains(&field.as_str()), "{field}: {pointers:?}");
        }
        assert_eq!(ada.get("/api/v1/me").body, before);
        ada.patch("/api/v1/me", &json!({"email": "eve@example.org"})).expect(422);
        ada.patch("/api/v1/me", &json!({"role": "admin"})).expect(422);
        ada.patch("/api/v1/me", &json!([])).expect(422);
    }

    fn changes_at_once_are_all_kept(server: Server) {
        let ada = server.register("ada");
        let patches = [json!({"daily_cap": 7}), json!({"digest_hour": 9}),
                       json!({"desired_retention": 0.85}), json!({"maximum_interval": 90})];
        for _ in 0..10 {
            std::thread::scope(|scope| {
                for patch in &patches {
                    scope.spawn(|| ada.patch("/api/v1/me", patch).expect(200));
                }
            });
            let me = ada.get("/api/v1/me").body;
            assert_eq!((&me["daily_cap"], &me["digest_hour"]), (&json!(7), &json!(9)));
            assert_eq!(me["desired_retention"], 0.85);
            assert_eq!(me["maximum_interval"], 90);
            let back = json!({"daily_cap": 20, "digest_hour": 8, "desired_retention": 0.9,
                              "maximum_interval": 180});
            ada.patch("/api/v1/me", &back).expect(200);
        }
    }
}
