//! Values that a type can hold and a database cannot, or that the two hold differently.

use crate::harness::{Server, on_both};
use diesel::prelude::*;
use serde_json::{Value, json};
use traverse::db::instant::At;
use traverse::schema::solves;

/// `["-262143-01-01",1]` and `["+262142-12-31",1]`.
const CURSORS: [&str; 2] = ["WyItMjYyMTQzLTAxLTAxIiwxXQ", "WyIrMjYyMTQyLTEyLTMxIiwxXQ"];

on_both! {
    fn a_day_has_a_year_of_four_digits(server: Server) {
        let ada = server.register("ada");
        let body = json!({"verdict": "accepted",
            "problem": {"platform": "leetcode", "slug": "two-sum"}});
        ada.post_with_key("/api/v1/submissions", "two-sum", &body).expect(201);
        for day in ["-262143-01-01", "-0001-01-01", "%2B10000-01-01", "%2B262142-12-31"] {
            for path in ["/api/v1/revisions?from", "/api/v1/revisions?to",
                         "/api/v1/stats?from", "/api/v1/stats?to"] {
                assert_eq!(ada.get(&format!("{path}={day}")).expect(422).code(), "invalid");
            }
        }
        for cursor in CURSORS {
            ada.get(&format!("/api/v1/revisions?cursor={cursor}")).expect(422);
        }
        let count = |query: &str| {
            let list = ada.get(&format!("/api/v1/revisions?{query}")).expect(200).body;
            list["items"].as_array().unwrap().len()
        };
        assert_eq!(count("from=0000-01-01&to=9999-12-31"), 1);
        assert_eq!(count("from=9999-12-31"), 0);
        assert_eq!(count("to=0000-01-01"), 0);
    }

    fn an_instant_is_in_a_year_of_four_digits_when_it_is_stored(server: Server) {
        let ada = server.register("ada");
        let token = |until: &str| json!({"name": "t", "scopes": ["read"], "expires_at": until});
        // This leap second would be in the year 10000.
        let leap = ada.post("/api/v1/tokens", &token("9999-12-31T23:59:60Z")).expect(422);
        assert_eq!(leap.code(), "invalid");
        ada.post("/api/v1/tokens", &token("9999-12-31T23:59:59.999999Z")).expect(201);
        ada.get("/api/v1/tokens").expect(200);
        ada.get("/api/v1/submissions?updated_since=9999-12-31T23:59:60Z").expect(422);
    }

    fn a_solve_of_unknown_time_is_not_reviewed_before_2000(server: Server) {
        let ada = server.register("ada");
        let body = json!({"verdict": "accepted",
            "problem": {"platform": "leetcode", "slug": "two-sum"}});
        let made = ada.post_with_key("/api/v1/submissions", "k", &body).expect(201).body;
        diesel::update(solves::table)
            .set(solves::first_solved_at.eq(None::<At>))
            .execute(&mut server.database.connect())
            .unwrap();
        let path = format!("/api/v1/revisions/{}/complete", made["next_revisions"][0]["id"]);
        let at = |at: &str| json!({"rating": "good", "completed_at": at});
        for far in ["0001-01-01T00:00:00Z", "1999-12-31T23:59:59Z", "2026-09-02T12:00:01Z"] {
            let refused = ada.post(&path, &at(far)).expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "/completed_at");
        }
        ada.post(&path, &at("2000-01-01T00:00:00Z")).expect(200);
    }

    fn planning_goes_on_after_a_solve(server: Server) {
        let ada = server.register("ada");
        for (name, value, status) in
            [("after", -1, 422), ("after", 0, 200), ("spread_days", 366, 422), ("spread_days", 365, 200)]
        {
            let body = json!({"preview": false, name: value});
            let answer = ada.post("/api/v1/revisions/reschedule", &body).expect(status);
            if status == 422 {
                assert_eq!(answer.body["errors"][0]["pointer"], format!("/{name}"));
            }
        }
    }

    fn any_text_can_be_searched_for(server: Server) {
        let ada = server.register("ada");
        let title = r"École 100%_\ naïve";
        let body = json!({"platform": "custom", "slug": "one", "title": title});
        ada.post("/api/v1/problems", &body).expect(201);
        let found = |text: &str| -> Vec<Value> {
            let text: Vec<_> = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let text = text.concat();
            let list = ada.get(&format!("/api/v1/problems?q={text}")).expect(200).body;
            list["items"].as_array().unwrap().clone()
        };
        for text in [title, "École", "COLE", "%_", "\\", "ï", "ONE"] {
            assert_eq!(found(text).len(), 1, "{text:?}");
        }
        assert!(found("é cole").is_empty() && found("%%").is_empty());
        for text in ["%00", "a%00b"] {
            let refused = ada.get(&format!("/api/v1/problems?q={text}")).expect(422);
            assert_eq!(refused.code(), "invalid");
        }
    }
}
