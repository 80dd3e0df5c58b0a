//! What the API answers can be imported: by somebody else, and into another instance.

use super::upload::{all, counts, import, noted, send, solved, with};
use crate::harness::invariants::assert_hold;
use crate::harness::{Client, Server, on_both};
use serde_json::{Value, json};

/// What does not depend on where an answer is from.
fn bare(mut row: Value, gone: &[&str]) -> Value {
    for name in gone.iter().chain(&["id", "created_at", "updated_at"]) {
        row.as_object_mut().unwrap().remove(*name);
    }
    row
}

fn submissions(client: &Client) -> Vec<Value> {
    let gone = ["solve_id", "received_at", "triaged_at", "possible_duplicate_of"];
    let mut rows: Vec<Value> =
        all(client, "/api/v1/submissions").into_iter().map(|row| bare(row, &gone)).collect();
    rows.sort_by_key(|row| row["external_id"].to_string());
    rows
}

fn details(client: &Client) -> Vec<Value> {
    let solves = all(client, "/api/v1/solves");
    let path = |solve: &Value| format!("/api/v1/solves/{}", solve["id"]);
    solves.iter().map(|solve| client.get(&path(solve)).expect(200).body).collect()
}

/// A solve, with the instants and ratings of its reviews in the place of its history.
fn history(mut solve: Value) -> Value {
    let reviews: Vec<Value> = solve["reviews"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|review| review["undone_at"].is_null())
        .map(|review| {
            json!([
                review["kind"],
                review["happened_at"],
                review["rating"],
                review["moves_schedule"]
            ])
        })
        .collect();
    solve["reviews"] = json!(reviews);
    bare(solve, &["revisions", "rating_source"])
}

/// Solves with all members, some of them decimal.
fn live(ada: &Client) {
    ada.patch("/api/v1/me", &json!({"scheduler": "both"})).expect(200);
    let full = with(
        solved("two-sum", "2026-06-01T10:00:00.123456Z"),
        &json!({
            "problem": {"url": "https://leetcode.cn/problems/two-sum/", "title": "Two Sum",
                        "difficulty": "easy", "tags": ["array", "hash table"]},
            "external_id": "1", "language": "rust", "runtime_ms": 12, "memory_kb": 20480,
            "rating": "hard", "attempts": 2, "minutes": 12.25, "hint_used": true,
            "solution_viewed": false, "source": "my-script", "notes": "two pointers",
        }),
    );
    ada.post("/api/v1/submissions", &full).expect(201);
    for (slug, id, verdict) in [("3sum", "2", "accepted"), ("4sum", "3", "wrong_answer")] {
        let row = with(
            solved(slug, "2026-06-02T10:00:00Z"),
            &json!({"external_id": id, "verdict": verdict}),
        );
        ada.post("/api/v1/submissions", &row).expect(201);
    }
    let custom = json!({"problem": {"platform": "custom", "slug": "dp-1"}, "verdict": "accepted",
        "happened_at": "2026-06-03T10:00:00Z", "external_id": "4", "minutes": 0.5});
    ada.post("/api/v1/submissions", &custom).expect(201);
    // A re-solve completes what is due of both schedules.
    let again = with(solved("3sum", "2026-07-02T10:00:00Z"), &json!({"external_id": "5"}));
    ada.post("/api/v1/submissions", &again).expect(201);
}

on_both! {
    fn submissions_of_the_api_can_be_imported(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        live(&ada);
        let page = ada.get("/api/v1/submissions?limit=200").expect(200).body;
        let report = import(&bob, page.to_string().as_bytes());
        assert_eq!(report["format"], "traverse");
        assert_eq!(report["remarks"], json!([]));
        assert_eq!(counts(&report), [5, 3, 0, 1, 1, 0, 0]);
        let theirs = submissions(&ada).into_iter().filter(|row| row["verdict"] == "accepted");
        let mut theirs: Vec<Value> = theirs.collect();
        let mut ours = submissions(&bob);
        // A custom problem is everybody's own.
        for row in theirs.iter_mut().chain(&mut ours) {
            row["problem"].as_object_mut().unwrap().remove("id");
            row.as_object_mut().unwrap().remove("problem_id");
        }
        assert_eq!(ours, theirs);
        // To oneself it brings nothing.
        let report = import(&ada, page.to_string().as_bytes());
        assert_eq!(counts(&report), [5, 0, 4, 0, 1, 0, 0]);
        assert_eq!(submissions(&ada).len(), 5);
        assert!(noted(&ada, &report).iter().all(Value::is_null) , "{:?}", noted(&ada, &report));
        assert_hold(&mut server.database.connect());
        // Pages that are not the last say so; lines and arrays are read, too.
        let first = ada.get("/api/v1/submissions?limit=2").expect(200).body;
        let report = send(&bob, "?dry_run=true", "application/json", first.to_string().as_bytes());
        let remarks = report.expect(200).body["remarks"].clone();
        assert_eq!(remarks, json!(["the list goes on behind the last page of the file"]));
        let lines: Vec<String> =
            page["items"].as_array().unwrap().iter().map(Value::to_string).collect();
        for file in [page["items"].to_string(), lines.join("\n")] {
            assert_eq!(counts(&import(&bob, file.as_bytes())), [5, 0, 4, 0, 1, 0, 0]);
        }
    }

    fn solves_of_the_api_can_be_imported(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        live(&ada);
        let noted = format!("/api/v1/solves/{}", all(&ada, "/api/v1/solves")[0]["id"]);
        ada.patch(&noted, &json!({"notes": "mind\nthe zero"})).expect(200);
        bob.patch("/api/v1/me", &json!({"scheduler": "both"})).expect(200);
        let undated = json!({"problem": {"platform": "leetcode", "slug": "undated"},
                             "verdict": "accepted"});
        import(&ada, json!([undated]).to_string().as_bytes());
        // A review that was taken back is none.
        let due = all(&ada, "/api/v1/revisions?state=due").remove(0);
        let path = format!("/api/v1/revisions/{}", due["id"]);
        ada.post(&format!("{path}/complete"), &json!({"rating": "again"})).expect(200);
        ada.post(&format!("{path}/undo"), &json!({})).expect(200);
        let theirs = details(&ada);
        let report = import(&bob, json!(theirs).to_string().as_bytes());
        assert_eq!(counts(&report), [4, 4, 0, 0, 0, 0, 0], "{report}");
        let bare = |solves: Vec<Value>| -> Vec<Value> {
            let mut solves: Vec<Value> = solves.into_iter().map(history).collect();
            for solve in &mut solves {
                // The number of a custom problem is another; a problem lends its words.
                for gone in ["problem", "title", "difficulty"] {
                    let value = solve.as_object_mut().unwrap().remove(gone).unwrap();
                    if gone == "problem" {
                        solve["slug"] = value["slug"].clone();
                    }
                }
            }
            solves.sort_by_key(|solve| solve["slug"].to_string());
            solves
        };
        assert_eq!(bare(details(&bob)), bare(theirs));
        // The notes are the solve's, and not its submission's, too.
        let submissions = all(&bob, "/api/v1/submissions");
        assert!(submissions.iter().all(|submission| submission["notes"].is_null()));
        assert_hold(&mut server.database.connect());
        // One alone is a line, and a page of them is a file.
        let one = details(&ada).remove(0).to_string();
        assert_eq!(counts(&import(&bob, one.as_bytes())), [1, 0, 1, 0, 0, 0, 0]);
        let page = ada.get("/api/v1/solves?limit=200").expect(200).body.to_string();
        assert_eq!(counts(&import(&bob, page.as_bytes())), [4, 0, 4, 0, 0, 0, 0]);
    }
}
