use crate::harness::{Server, on_both};
use chrono::TimeDelta;
use serde_json::json;

on_both! {
    fn figures_add_up(server: Server) {
        let ada = server.register("ada");
        for (slug, difficulty) in [("two-sum", "easy"), ("3sum", "medium"), ("4sum", "medium")] {
            let body = json!({"verdict": "accepted", "problem":
                {"platform": "leetcode", "slug": slug, "difficulty": difficulty}});
            ada.post_with_key("/api/v1/submissions", slug, &body).expect(201);
        }
        let failed = json!({"verdict": "wrong_answer",
            "problem": {"platform": "codeforces", "slug": "4A"}});
        let problem = ada.post_with_key("/api/v1/submissions", "wa", &failed).expect(201).body;
        assert_eq!(problem["solve"], json!(null));
        ada.put("/api/v1/problems/1/topic", &json!({"topic": "hashing"})).expect(200);
        let stats = ada.get("/api/v1/stats").expect(200).body;
        assert_eq!(stats["day"], "2026-09-01");
        assert_eq!(stats["counts"]["solves"], 3);
        assert_eq!(stats["counts"]["submissions"], 4);
        assert_eq!(stats["counts"]["untriaged"], 4);
        assert_eq!(stats["heat_map"],
            json!([{"day": "2026-09-01", "solves": 3, "reviews": 0, "submissions": 4}]));
        assert_eq!(stats["by_difficulty"],
            json!([{"name": "medium", "solves": 2}, {"name": "easy", "solves": 1}]));
        assert_eq!(stats["by_topic"],
            json!([{"name": null, "solves": 2}, {"name": "hashing", "solves": 1}]));
        let forecast: i64 = stats["forecast"].as_array().unwrap().iter()
            .map(|day| day["due"].as_i64().unwrap()).sum();
        assert_eq!(forecast, 3);
        // With the closed rings of the day.
        assert_eq!(ada.get("/api/v1/xp").expect(200).body["total"], 65);

        server.advance(TimeDelta::days(10));
        let today = ada.get("/api/v1/today").expect(200).body;
        assert_eq!(today["due"].as_array().unwrap().len(), 3);
        assert_eq!(today["overdue"], 3);
        for (item, rating) in today["due"].as_array().unwrap().iter().zip(["good", "again", "easy"]) {
            let path = format!("/api/v1/revisions/{}/complete", item["id"]);
            ada.post(&path, &json!({"rating": rating})).expect(200);
        }
        let stats = ada.get("/api/v1/stats").expect(200).body;
        assert_eq!(stats["true_retention"]["reviews"], 3);
        assert_eq!(stats["true_retention"]["recalled"], 2);
        assert_eq!(stats["heat_map"][1],
            json!({"day": "2026-09-11", "solves": 0, "reviews": 3, "submissions": 0}));
        let entries = ada.get("/api/v1/xp/entries?limit=4").expect(200).body;
        assert_eq!(entries["items"].as_array().unwrap().len(), 4);
        assert_eq!(entries["items"][0]["reason"], "review");
        let rest = format!("/api/v1/xp/entries?cursor={}", entries["next_cursor"].as_str().unwrap());
        assert_eq!(ada.get(&rest).expect(200).body["items"].as_array().unwrap().len(), 3);
    }

    fn spans_have_limits(server: Server) {
        let ada = server.register("ada");
        for query in [
            "from=2026-01-02&to=2026-01-01",
            "from=2000-01-01",
            "forecast_days=0",
            "from=-10000-01-01&to=-10000-01-02",
            "to=%2B10000-01-01",
        ] {
            ada.get(&format!("/api/v1/stats?{query}")).expect(422);
        }
        for query in ["from=-10000-01-01", "to=%2B10000-01-01"] {
            ada.get(&format!("/api/v1/revisions?{query}")).expect(422);
        }
        // `["-10000-01-01",1]`: nobody but a client made this cursor.
        ada.get("/api/v1/revisions?cursor=WyItMTAwMDAtMDEtMDEiLDFd").expect(422);
    }
}
