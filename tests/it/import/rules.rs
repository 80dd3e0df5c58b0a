//! What becomes of each row, for what is there and for what the file says elsewhere.

use super::dump::{assert_unchanged, dump};
use super::upload::{
    all, counts, import, import_rows, noted, only_solve, send, solved, verdicts, with,
};
use crate::harness::invariants::assert_hold;
use crate::harness::{Server, on_both};
use chrono::TimeDelta;
use diesel::prelude::*;
use serde_json::{Value, json};
use traverse::schema::problems;

const EVERY_CASE: &[u8] = include_bytes!("../data/codeforces-every-case.json");

on_both! {
    fn every_case_of_codeforces(server: Server) {
        let ada = server.register("ada");
        let dry = send(&ada, "?dry_run=true", "application/json", EVERY_CASE).expect(200).body;
        let report = import(&ada, EVERY_CASE);
        assert_eq!(counts(&report), [56, 34, 0, 2, 18, 0, 2]);
        assert_eq!(counts(&dry), counts(&report));
        assert_eq!(dry["errors"].as_array().unwrap().len(), 2);
        let bare = |report: &Value| -> Vec<Value> {
            report["errors"].as_array().unwrap().iter().map(|e| json!([e["row"], e["reason"]])).collect()
        };
        assert_eq!(bare(&dry), bare(&report));
        assert_eq!(all(&ada, "/api/v1/solves").len(), 34);
        assert_eq!(all(&ada, &format!("/api/v1/imports/{}/rows", report["id"])).len(), 56);
        let mut db = server.database.connect();
        let before = dump(&mut db);
        assert_eq!(counts(&import(&ada, EVERY_CASE)), [56, 0, 36, 0, 18, 0, 2]);
        assert_unchanged(&before, &dump(&mut db));
        assert_hold(&mut db);
    }

    fn one_bad_row_blocks_no_other(server: Server) {
        let ada = server.register("ada");
        let file = format!(
            "{}\nnonsense\n{{\"problem\": 5}}\n{}\n{}\n",
            solved("two-sum", "2024-01-01T10:00:00Z"),
            with(solved("3sum", "2024-01-01T10:00:00Z"), &json!({"verdict": "wrong_answer"})),
            solved("4sum", "1999-01-01T10:00:00Z"),
        );
        let report = send(&ada, "", "application/x-ndjson", file.as_bytes()).expect(201).body;
        assert_eq!(counts(&report), [5, 1, 0, 0, 1, 0, 3]);
        assert_eq!(
            verdicts(&ada, &report),
            ["imported", "rejected", "rejected", "ignored", "rejected"]
        );
        let errors = report["errors"].as_array().unwrap();
        assert_eq!(errors.iter().map(|error| error["line"].clone()).collect::<Vec<_>>(), [2, 3, 5]);
        assert!(errors.iter().all(|error| error["reason"].is_string()));
        assert_eq!(ada.get(&format!("/api/v1/imports/{}", report["id"])).expect(200).body, report);
    }

    fn the_earliest_row_makes_the_solve(server: Server) {
        let ada = server.register("ada");
        let report = import_rows(&ada, &[
            with(solved("two-sum", "2024-03-01T10:00:00Z"), &json!({"external_id": "3"})),
            solved("two-sum", "2024-02-01T10:00:00Z"),
            with(solved("two-sum", "2024-01-01T10:00:00Z"),
                 &json!({"external_id": "1", "rating": "easy", "language": "rust"})),
            json!({"problem": {"url": "https://leetcode.com/problems/two-sum/"}, "verdict": "accepted"}),
        ]);
        assert_eq!(counts(&report), [4, 1, 0, 3, 0, 0, 0]);
        assert_eq!(verdicts(&ada, &report)[2], "imported");
        let solve = only_solve(&ada);
        assert_eq!(solve["first_solved_at"], "2024-01-01T10:00:00Z");
        assert_eq!((&solve["rating"], &solve["rating_source"]), (&json!("easy"), &json!("given")));
        assert_eq!(solve["reviews"], json!([]));
        // Those with a number of their own are kept, and move nothing.
        let numbers: Vec<_> = all(&ada, "/api/v1/submissions")
            .iter().map(|row| row["external_id"].clone()).collect();
        assert_eq!(numbers, [json!("3"), json!("1")]);
        assert_hold(&mut server.database.connect());
    }

    fn a_problem_that_is_solved_stays_as_it_is(server: Server) {
        let ada = server.register("ada");
        let live = with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"}));
        ada.post("/api/v1/submissions", &live).expect(201);
        let before = only_solve(&ada);
        let rows = [
            with(solved("two-sum", "2024-02-01T10:00:00Z"), &json!({"external_id": "2"})),
            with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"})),
            solved("two-sum", "2024-02-01T10:00:00Z"),
        ];
        assert_eq!(counts(&import_rows(&ada, &rows)), [3, 0, 3, 0, 0, 0, 0]);
        assert_eq!(only_solve(&ada), before);
        let submissions = all(&ada, "/api/v1/submissions");
        assert_eq!(submissions.len(), 2);
        assert_eq!(submissions[0]["solve_id"], before["id"]);
        let mut db = server.database.connect();
        let stored = dump(&mut db);
        assert_eq!(counts(&import_rows(&ada, &rows)), [3, 0, 3, 0, 0, 0, 0]);
        assert_unchanged(&stored, &dump(&mut db));
    }

    fn an_earlier_solve_becomes_the_first(server: Server) {
        let ada = server.register("ada");
        let live = with(solved("two-sum", "2026-08-01T10:00:00Z"), &json!({"external_id": "2"}));
        ada.post("/api/v1/submissions", &live).expect(201);
        let rows = [with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"}))];
        let dry = send(&ada, "?dry_run=true", "application/json", json!(rows).to_string().as_bytes());
        assert_eq!(counts(&dry.expect(200).body), [1, 0, 1, 0, 0, 0, 0]);
        assert_eq!(counts(&import_rows(&ada, &rows)), [1, 0, 1, 0, 0, 0, 0]);
        let solve = only_solve(&ada);
        assert_eq!(solve["first_solved_at"], "2024-01-01T10:00:00Z");
        // What was solved here is a retrieval now: it was due then.
        assert_eq!(solve["reviews"].as_array().unwrap().len(), 1);
        assert_eq!(solve["revisions"][0]["completed_on"], "2026-08-01");
        // Once more, earlier, over an imported one: that one is no retrieval.
        let earlier = [with(solved("two-sum", "2023-01-01T10:00:00Z"), &json!({"external_id": "0"}))];
        import_rows(&ada, &earlier);
        let solve = only_solve(&ada);
        assert_eq!(solve["first_solved_at"], "2023-01-01T10:00:00Z");
        assert_eq!(solve["reviews"].as_array().unwrap().len(), 1);
        let mut db = server.database.connect();
        let stored = dump(&mut db);
        import_rows(&ada, &earlier);
        import_rows(&ada, &rows);
        assert_unchanged(&stored, &dump(&mut db));
        assert_hold(&mut db);
    }

    fn a_row_says_what_it_changed(server: Server) {
        let ada = server.register("ada");
        let live = with(solved("two-sum", "2026-08-01T10:00:00Z"), &json!({"external_id": "2"}));
        ada.post("/api/v1/submissions", &live).expect(201);
        let pending = with(solved("3sum", "2026-08-01T10:00:00Z"),
            &json!({"external_id": "7", "verdict": "pending"}));
        ada.post("/api/v1/submissions", &pending).expect(201);
        let named = |row: Value, what: &Value| {
            let problem = with(row["problem"].clone(), what);
            with(row, &json!({"problem": problem}))
        };
        let old = |id: &str, at: &str| with(solved("two-sum", at), &json!({"external_id": id}));
        let rows = [
            named(old("3", "2026-08-02T10:00:00Z"), &json!({"title": "Two Sum"})),
            named(old("1", "2024-01-01T10:00:00Z"),
                &json!({"title": "two sum", "difficulty": "easy", "tags": ["array"]})),
            with(old("2", "2026-08-01T10:00:00Z"), &json!({
                "reviews": [{"happened_at": "2026-08-05T10:00:00Z", "rating": "good"}]})),
            old("4", "2025-01-01T10:00:00Z"),
            with(pending, &json!({"verdict": "accepted"})),
            // Of a problem of the file, too.
            named(solved("3sum", "2026-08-03T10:00:00Z"), &json!({"title": "3Sum"})),
        ];
        let first = "it is the first solve now, in place of the one of 2026-08-01T10:00:00Z";
        let pending = "its submission was pending, and is accepted now";
        let report = import_rows(&ada, &rows);
        assert_eq!(counts(&report), [6, 1, 4, 1, 0, 0, 0]);
        assert_eq!(noted(&ada, &report), [
            json!(null),
            json!(format!("{first}; that one completed a revision (5 XP); \
                           kept with your solve: title, difficulty, tags")),
            json!("a review of it is new"),
            json!(null),
            json!(pending),
            json!("kept with your solve: title"),
        ]);
        let solves = all(&ada, "/api/v1/solves");
        let titles: Vec<_> = solves.iter().map(|solve| solve["title"].clone()).collect();
        assert_eq!(titles, ["3Sum", "two sum"]);
        assert_eq!((&solves[1]["difficulty"], &solves[1]["tags"]), (&json!("easy"), &json!(["array"])));
        assert_eq!(solves[1]["first_solved_at"], "2024-01-01T10:00:00Z");
        let mut db = server.database.connect();
        assert_hold(&mut db);
        let before = dump(&mut db);
        let again = import_rows(&ada, &rows);
        assert_eq!(counts(&again), [6, 0, 6, 0, 0, 0, 0]);
        assert!(noted(&ada, &again).iter().all(Value::is_null));
        assert_unchanged(&before, &dump(&mut db));
    }

    fn what_you_said_of_a_problem_stays(server: Server) {
        let ada = server.register("ada");
        let live = with(solved("two-sum", "2026-08-01T10:00:00Z"), &json!({"external_id": "2",
            "problem": {"platform": "leetcode", "slug": "two-sum", "title": "Mine", "tags": ["x"]}}));
        ada.post("/api/v1/submissions", &live).expect(201);
        let theirs = with(solved("two-sum", "2026-08-02T10:00:00Z"), &json!({"problem":
            {"platform": "leetcode", "slug": "two-sum", "title": "Theirs", "difficulty": "hard",
             "tags": ["y"]}}));
        let report = import_rows(&ada, &[theirs]);
        assert_eq!(noted(&ada, &report), ["kept with your solve: difficulty"]);
        let solve = only_solve(&ada);
        assert_eq!((&solve["title"], &solve["difficulty"]), (&json!("Mine"), &json!("hard")));
        assert_eq!(solve["tags"], json!(["x"]));
    }

    fn a_deleted_submission_stays_deleted(server: Server) {
        let ada = server.register("ada");
        let row = with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"}));
        let made = ada.post("/api/v1/submissions", &row).expect(201).body;
        ada.delete(&format!("/api/v1/submissions/{}", made["submission"]["id"])).expect(204);
        ada.delete(&format!("/api/v1/solves/{}", made["solve"]["id"])).expect(204);
        let report = import_rows(&ada, std::slice::from_ref(&row));
        assert_eq!(counts(&report), [1, 0, 1, 0, 0, 0, 0]);
        assert!(all(&ada, "/api/v1/solves").is_empty());
        assert!(all(&ada, "/api/v1/submissions").is_empty());
        // Another submission of the problem is another one, and solves it again.
        let again = with(solved("two-sum", "2024-02-01T10:00:00Z"), &json!({"external_id": "2"}));
        let report = import_rows(&ada, &[row, again]);
        assert_eq!(verdicts(&ada, &report), ["skipped_existing", "imported"]);
        assert_eq!(only_solve(&ada)["first_solved_at"], "2024-02-01T10:00:00Z");
        assert_eq!(ada.get("/api/v1/today").expect(200).body["xp"]["total"], 0, "no second award");
    }

    fn a_pending_submission_gets_its_verdict(server: Server) {
        let ada = server.register("ada");
        let row = with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"}));
        let pending = with(row.clone(), &json!({"verdict": "pending"}));
        ada.post("/api/v1/submissions", &pending).expect(201);
        assert_eq!(counts(&import_rows(&ada, std::slice::from_ref(&row))), [1, 1, 0, 0, 0, 0, 0]);
        let submissions = all(&ada, "/api/v1/submissions");
        assert_eq!(submissions.len(), 1);
        assert_eq!(submissions[0]["verdict"], "accepted");
        assert_eq!(submissions[0]["solve_id"], only_solve(&ada)["id"]);
        assert_eq!(counts(&import_rows(&ada, &[row])), [1, 0, 1, 0, 0, 0, 0]);
        assert_hold(&mut server.database.connect());
    }

    fn a_verdict_comes_with_all_that_its_row_knows(server: Server) {
        let ada = server.register("ada");
        let row = with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"}));
        let pending = with(row.clone(), &json!({"verdict": "pending", "minutes": 9.0}));
        ada.post("/api/v1/submissions", &pending).expect(201);
        let known = json!({"language": "rust", "runtime_ms": 12, "memory_kb": 2048, "attempts": 3,
            "hint_used": true, "solution_viewed": false, "rating": "hard"});
        import_rows(&ada, &[with(row, &known)]);
        let submission = &all(&ada, "/api/v1/submissions")[0];
        assert_eq!(submission["verdict"], "accepted");
        for (name, value) in known.as_object().unwrap() {
            assert_eq!(&submission[name], value, "{name}");
        }
        assert_eq!(submission["minutes"], 9.0, "what the row does not say stays");
        assert_hold(&mut server.database.connect());
    }

    fn a_verdict_that_a_file_brings_twice_comes_once(server: Server) {
        let ada = server.register("ada");
        let row = with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"}));
        let pending = with(row.clone(), &json!({"verdict": "pending"}));
        ada.post("/api/v1/submissions", &pending).expect(201);
        // Another row makes the solve, so that these two are in one batch.
        let first = with(solved("two-sum", "2023-01-01T10:00:00Z"), &json!({"external_id": "2"}));
        let rows = [first, row.clone(), row];
        let dry = send(&ada, "?dry_run=true", "application/json", json!(rows).to_string().as_bytes());
        let report = import_rows(&ada, &rows);
        assert_eq!(counts(&report), [3, 1, 0, 2, 0, 0, 0]);
        assert_eq!(counts(&dry.expect(200).body), counts(&report));
        let note = json!("its submission was pending, and is accepted now");
        assert_eq!(noted(&ada, &report), [Value::Null, note, Value::Null]);
        let submissions = all(&ada, "/api/v1/submissions");
        assert_eq!(submissions.len(), 2);
        assert!(submissions.iter().all(|submission| submission["verdict"] == "accepted"));
        assert_hold(&mut server.database.connect());
    }

    fn without_a_time_it_is_known_not_when(server: Server) {
        let ada = server.register("ada");
        let report = import_rows(&ada, &[
            json!({"problem": {"platform": "cses", "slug": "1068"}, "verdict": "accepted"}),
        ]);
        assert_eq!(counts(&report), [1, 1, 0, 0, 0, 0, 0]);
        let solve = only_solve(&ada);
        assert_eq!(solve["first_solved_at"], Value::Null);
        assert_eq!(solve["time_precision"], "unknown");
        assert_eq!(solve["first_day"], "2026-09-01");
        assert_eq!(all(&ada, "/api/v1/submissions")[0]["happened_at"], Value::Null);
        assert_eq!(ada.get("/api/v1/stats").expect(200).body["heat_map"], json!([]));
        // A time that comes to be known later is better.
        let report = import_rows(&ada, &[
            json!({"problem": {"platform": "cses", "slug": "1068"}, "verdict": "accepted",
                   "happened_at": "2024-01-01T10:00:00Z"}),
        ]);
        assert_eq!(counts(&report), [1, 0, 1, 0, 0, 0, 0]);
        assert_eq!(only_solve(&ada)["first_solved_at"], "2024-01-01T10:00:00Z");
    }

    fn days_and_zones(server: Server) {
        let ada = server.register("ada");
        let csv = "url,date\n\
                   https://leetcode.com/problems/two-sum/,2024-06-23\n\
                   https://leetcode.com/problems/3sum/,2024-06-23 23:30\n\
                   https://leetcode.com/problems/4sum/,03/04/2024\n";
        let report = send(&ada, "?time_zone=Asia/Tokyo&date_order=dmy", "text/csv", csv.as_bytes())
            .expect(201).body;
        assert_eq!(counts(&report), [3, 3, 0, 0, 0, 0, 0]);
        assert_eq!(report["zone_assumed"], "Asia/Tokyo");
        let solves = all(&ada, "/api/v1/solves");
        let times: Vec<_> = solves.iter()
            .map(|s| (s["problem"]["slug"].as_str().unwrap(), s["first_solved_at"].as_str().unwrap(),
                      s["time_precision"].as_str().unwrap()))
            .collect();
        for expected in [
            ("two-sum", "2024-06-23T03:00:00Z", "day"),
            ("3sum", "2024-06-23T14:30:00Z", "minute"),
            ("4sum", "2024-04-03T03:00:00Z", "day"),
        ] {
            assert!(times.contains(&expected), "{times:?}");
        }
        // A day does not make a time of that day less exact.
        ada.post("/api/v1/submissions", &with(solved("5sum", "2024-06-23T18:00:00Z"),
                 &json!({"external_id": "5"}))).expect(201);
        let day = "url,date\nhttps://leetcode.com/problems/5sum/,2024-06-23\n";
        send(&ada, "?time_zone=UTC", "text/csv", day.as_bytes()).expect(201);
        let newest = &all(&ada, "/api/v1/solves")[0];
        assert_eq!(newest["first_solved_at"], "2024-06-23T18:00:00Z");
    }

    fn a_title_alone_is_a_known_problem_or_ambiguous(server: Server) {
        let ada = server.register("ada");
        ada.post("/api/v1/problems", &json!({"platform": "leetcode", "slug": "two-sum", "title": "Two Sum"}))
            .expect(201);
        for slug in ["231/A", "401/C"] {
            ada.post("/api/v1/problems", &json!({"platform": "codeforces", "slug": slug, "title": "Team"}))
                .expect(201);
        }
        let csv = "title,slug,date\n\
                   3Sum,,2024-02-02\n\
                   Two Sum,,2024-01-01\n\
                   two sum,,2024-01-01\n\
                   Team,,2024-01-01\n\
                   3Sum,3sum,2024-01-01\n\
                   Two Sum,,2023-01-01\n";
        let dry = send(&ada, "?dry_run=true", "text/csv", csv.as_bytes()).expect(200).body;
        let report = send(&ada, "", "text/csv", csv.as_bytes()).expect(201).body;
        assert_eq!(
            verdicts(&ada, &report),
            ["duplicates_in_batch", "duplicates_in_batch", "ambiguous", "ambiguous", "imported", "imported"]
        );
        assert_eq!(counts(&dry), counts(&report));
        assert_eq!(all(&ada, "/api/v1/solves").len(), 2);
        let again = send(&ada, "", "text/csv", csv.as_bytes()).expect(201).body;
        assert_eq!(counts(&again), [6, 0, 4, 0, 0, 2, 0]);
    }

    fn a_number_that_disagrees_is_ambiguous(server: Server) {
        let ada = server.register("ada");
        let csv = "number,slug,date\n1,two-sum,2024-01-01\n2,two-sum,2023-01-01\n15,3sum,2024-01-01\n";
        let dry = send(&ada, "?dry_run=true", "text/csv", csv.as_bytes()).expect(200).body;
        let report = send(&ada, "", "text/csv", csv.as_bytes()).expect(201).body;
        assert_eq!(verdicts(&ada, &report), ["imported", "ambiguous", "imported"]);
        assert_eq!(counts(&dry), counts(&report));
    }

    fn an_alias_is_the_problem_that_it_names(server: Server) {
        let ada = server.register("ada");
        let real = ada.post("/api/v1/problems", &json!({"platform": "leetcode", "slug": "real"}))
            .expect(201).body["id"].as_i64().unwrap();
        let alias = ada.post("/api/v1/problems", &json!({"platform": "leetcode", "slug": "old-name"}))
            .expect(201).body["id"].as_i64().unwrap();
        diesel::update(problems::table.find(alias)).set(problems::alias_of.eq(real))
            .execute(&mut server.database.connect()).unwrap();
        let rows = [
            solved("old-name", "2024-02-01T10:00:00Z"),
            solved("real", "2024-01-01T10:00:00Z"),
        ];
        let dry = send(&ada, "?dry_run=true", "application/json", json!(rows).to_string().as_bytes());
        let report = import_rows(&ada, &rows);
        assert_eq!(counts(&report), [2, 1, 0, 1, 0, 0, 0]);
        assert_eq!(counts(&dry.expect(200).body), counts(&report));
        let solve = only_solve(&ada);
        assert_eq!(solve["problem"]["id"], real);
        assert_eq!(solve["first_solved_at"], "2024-01-01T10:00:00Z");
    }

    fn custom_problems_are_ones_own(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        let rows = [json!({"problem": {"platform": "custom", "slug": "dp-1", "title": "Mine"},
                           "verdict": "accepted", "happened_at": "2024-01-01T10:00:00Z"})];
        for user in [&ada, &bob] {
            assert_eq!(counts(&import_rows(user, &rows)), [1, 1, 0, 0, 0, 0, 0]);
            assert_eq!(all(user, "/api/v1/problems").len(), 1);
        }
        assert_ne!(only_solve(&ada)["problem"]["id"], only_solve(&bob)["problem"]["id"]);
    }

    fn what_is_likely_the_same_is_marked(server: Server) {
        let ada = server.register("ada");
        let live = with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"language": "rust"}));
        let made = ada.post_with_key("/api/v1/submissions", "k", &live).expect(201).body;
        let near = |id: &str, at: &str| with(solved("two-sum", at), &json!({"external_id": id, "language": "rust"}));
        import_rows(&ada, &[near("1", "2024-01-01T10:01:30Z"), near("2", "2024-01-01T10:05:00Z")]);
        let submissions = all(&ada, "/api/v1/submissions");
        let marks: Vec<_> = submissions.iter()
            .map(|row| (row["external_id"].clone(), row["possible_duplicate_of"].clone())).collect();
        assert_eq!(marks, [
            (json!("2"), Value::Null),
            (json!("1"), made["submission"]["id"].clone()),
            (Value::Null, Value::Null),
        ]);
    }

    fn xp_is_of_the_day_of_the_solve(server: Server) {
        let ada = server.register("ada");
        let hard = json!({"problem": {"platform": "leetcode", "slug": "median", "difficulty": "hard"},
                          "verdict": "accepted", "happened_at": "2024-01-01T10:00:00Z"});
        import_rows(&ada, &[hard, solved("two-sum", "2026-09-01T10:00:00Z")]);
        let entries = all(&ada, "/api/v1/xp/entries");
        let found: Vec<_> = entries.iter().map(|e| (e["amount"].clone(), e["local_day"].clone())).collect();
        assert!(found.contains(&(json!(30), json!("2024-01-01"))), "{found:?}");
        assert!(found.contains(&(json!(10), json!("2026-09-01"))), "{found:?}");
    }

    fn live_work_goes_on_from_an_import(server: Server) {
        let ada = server.register("ada");
        let row = with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"}));
        import_rows(&ada, std::slice::from_ref(&row));
        // The extension reports the same submission: it is here.
        ada.post("/api/v1/submissions", &row).expect(200);
        let due = ada.get("/api/v1/today").expect(200).body["due"].as_array().unwrap().len();
        assert_eq!(due, 1);
        server.advance(TimeDelta::hours(1));
        let again = ada.post_with_key("/api/v1/submissions", "k",
            &json!({"problem": {"platform": "leetcode", "slug": "two-sum"}, "verdict": "accepted"}))
            .expect(201).body;
        assert_eq!(again["revisions_completed"].as_array().unwrap().len(), 1);
        assert_eq!(again["xp_awarded"], 5);
        assert_hold(&mut server.database.connect());
    }

    fn a_row_may_say_what_a_request_may(server: Server) {
        let ada = server.register("ada");
        for (number, (members, is_taken)) in [
            (json!({"attempts": 10_000, "runtime_ms": 86_400_000, "memory_kb": 1_073_741_824,
                "minutes": 100_000.0, "language": "c".repeat(100), "source": "s".repeat(100),
                "notes": "n".repeat(10_000)}), true),
            (json!({"attempts": 0}), false),
            (json!({"attempts": 10_001}), false),
            (json!({"runtime_ms": -1}), false),
            (json!({"runtime_ms": 86_400_001}), false),
            (json!({"memory_kb": -1}), false),
            (json!({"memory_kb": 1_073_741_825}), false),
            (json!({"minutes": 100_000.5}), false),
            (json!({"language": "a\tb"}), false),
            (json!({"language": ""}), false),
            (json!({"language": "c".repeat(101)}), false),
            (json!({"source": "a\u{7f}b"}), false),
            (json!({"external_id": "1\n2"}), false),
            (json!({"notes": "a\nb"}), true),
            (json!({"notes": "a\0b"}), false),
            (json!({"happened_at": "1999-12-31T23:59:59Z"}), false),
        ].into_iter().enumerate() {
            let bare = with(solved(&format!("p-{number}"), "2026-08-01T10:00:00Z"),
                &json!({"external_id": format!("a{number}")}));
            let row = with(bare, &members);
            let report = import_rows(&ada, std::slice::from_ref(&row));
            assert_eq!(verdicts(&ada, &report) == ["imported"], is_taken, "{row}: {report}");
            let answer = ada.post("/api/v1/submissions", &row);
            assert_eq!(matches!(answer.status, 200 | 201), is_taken, "{row}: {answer:?}");
        }
        for (number, (title, tags, is_taken)) in [
            ("t".repeat(500), vec!["g".repeat(100); 50], true),
            ("a\0b".to_owned(), vec!["a\0b".to_owned()], true),
            ("t".repeat(501), Vec::new(), false),
            ("t".to_owned(), vec!["g".repeat(101)], false),
            ("t".to_owned(), vec!["g".to_owned(); 51], false),
        ].into_iter().enumerate() {
            let problem = json!({"platform": "leetcode", "slug": "said", "title": title, "tags": tags});
            let row = with(solved("said", "2026-08-01T10:00:00Z"), &json!({"problem": problem}));
            let report = import_rows(&ada, std::slice::from_ref(&row));
            assert_eq!(report["rejected"] == 0, is_taken, "{report}");
            let key = format!("k{number}");
            let answer = ada.post_with_key("/api/v1/submissions", &key, &row);
            assert_eq!(matches!(answer.status, 200 | 201), is_taken, "{answer:?}");
        }
        assert_hold(&mut server.database.connect());
    }
}
