//! Reviews that a file holds: they move the schedule, one a local day.

use super::dump::{assert_unchanged, dump};
use super::upload::{all, counts, import_rows, noted, only_solve, solved, with};
use crate::harness::invariants::assert_hold;
use crate::harness::{Server, on_both};
use serde_json::{Value, json};

fn reviews(list: &[(&str, &str)]) -> Value {
    let reviews: Vec<Value> =
        list.iter().map(|(at, rating)| json!({"happened_at": at, "rating": rating})).collect();
    json!({"reviews": reviews})
}

/// When each review was done, and whether it moves its schedule.
fn told(solve: &Value, kind: &str) -> Vec<(String, bool)> {
    let reviews = solve["reviews"].as_array().unwrap().iter();
    reviews
        .filter(|review| review["kind"] == kind)
        .map(|review| {
            let at = review["happened_at"].as_str().unwrap().to_owned();
            (at, review["moves_schedule"].as_bool().unwrap())
        })
        .collect()
}

on_both! {
    fn the_last_of_a_day_moves(server: Server) {
        let ada = server.register("ada");
        let row = with(
            with(solved("two-sum", "2026-06-01T10:00:00Z"), &json!({"rating": "good"})),
            &reviews(&[
                ("2026-06-05T10:00:00Z", "again"),
                ("2026-06-05T11:00:00Z", "good"),
                ("2026-06-20T10:00:00Z", "easy"),
            ]),
        );
        assert_eq!(counts(&import_rows(&ada, std::slice::from_ref(&row))), [1, 1, 0, 0, 0, 0, 0]);
        let solve = only_solve(&ada);
        assert_eq!(told(&solve, "adaptive"), [
            ("2026-06-05T10:00:00Z".to_owned(), false),
            ("2026-06-05T11:00:00Z".to_owned(), true),
            ("2026-06-20T10:00:00Z".to_owned(), true),
        ]);
        assert_eq!(solve["revisions"].as_array().unwrap().len(), 3);
        assert_eq!(solve["lapses"], 0);
        assert_eq!(ada.get("/api/v1/xp").expect(200).body["total"], 10);
        let mut db = server.database.connect();
        assert_hold(&mut db);
        let before = dump(&mut db);
        assert_eq!(counts(&import_rows(&ada, &[row])), [1, 0, 1, 0, 0, 0, 0]);
        assert_unchanged(&before, &dump(&mut db));
    }

    fn they_come_to_a_solve_that_is_here(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"scheduler": "both"})).expect(200);
        let live = with(solved("two-sum", "2026-06-01T10:00:00Z"), &json!({"external_id": "1"}));
        ada.post("/api/v1/submissions", &live).expect(201);
        let first = with(live.clone(), &reviews(&[("2026-06-05T10:00:00Z", "good")]));
        import_rows(&ada, std::slice::from_ref(&first));
        let more = with(live, &reviews(&[
            ("2026-05-01T10:00:00Z", "good"),
            ("2026-06-05T10:00:00Z", "good"),
            ("2026-06-05T12:00:00Z", "easy"),
            ("2026-07-05T10:00:00Z", "again"),
        ]));
        import_rows(&ada, std::slice::from_ref(&more));
        let solve = only_solve(&ada);
        for kind in ["adaptive", "ladder"] {
            assert_eq!(told(&solve, kind), [
                ("2026-06-05T10:00:00Z".to_owned(), true),
                ("2026-06-05T12:00:00Z".to_owned(), false),
                ("2026-07-05T10:00:00Z".to_owned(), true),
            ]);
        }
        assert_eq!(solve["lapses"], 1);
        let mut db = server.database.connect();
        assert_hold(&mut db);
        let before = dump(&mut db);
        import_rows(&ada, &[first, more]);
        assert_unchanged(&before, &dump(&mut db));
    }

    fn they_leave_a_suspended_solve_suspended(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"scheduler": "both"})).expect(200);
        let live = with(solved("two-sum", "2026-06-01T10:00:00Z"), &json!({"external_id": "1"}));
        let made = ada.post("/api/v1/submissions", &live).expect(201).body;
        let path = format!("/api/v1/solves/{}", made["solve"]["id"]);
        ada.post(&format!("{path}/suspend"), &json!({})).expect(200);
        // Before it was suspended, and since.
        server.app.clock.advance(chrono::TimeDelta::days(2));
        let now = server.app.clock.now().to_rfc3339();
        let row = with(live, &reviews(&[("2026-06-05T10:00:00Z", "good"), (&now, "good")]));
        let report = import_rows(&ada, std::slice::from_ref(&row));
        assert_eq!(noted(&ada, &report), [json!("2 reviews of it are new")]);
        let solve = only_solve(&ada);
        assert_eq!(solve["suspended"], true);
        let current = |solve: &Value| -> Vec<Value> {
            solve["revisions"].as_array().unwrap().iter()
                .filter(|revision| revision["state"] != "completed")
                .map(|revision| revision["state"].clone())
                .collect()
        };
        assert_eq!(current(&solve), ["suspended", "suspended"]);
        assert!(all(&ada, "/api/v1/revisions?state=upcoming").is_empty());
        let mut db = server.database.connect();
        assert_hold(&mut db);
        let before = dump(&mut db);
        import_rows(&ada, &[row]);
        assert_unchanged(&before, &dump(&mut db));
        ada.post(&format!("{path}/resume"), &json!({})).expect(200);
        assert_eq!(current(&only_solve(&ada)), ["pending", "pending"]);
    }

    fn many_of_one_solve_leave_room_for_more(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"scheduler": "both"})).expect(200);
        let days: Vec<String> = (1..=28).map(|day| format!("2026-07-{day:02}T10:00:00Z")).collect();
        let list: Vec<_> = days.iter().map(|day| (day.as_str(), "good")).collect();
        let one = with(solved("two-sum", "2026-06-01T10:00:00Z"), &reviews(&list));
        import_rows(&ada, std::slice::from_ref(&one));
        let later: Vec<String> = (1..=28).map(|day| format!("2026-08-{day:02}T10:00:00Z")).collect();
        let list: Vec<_> = later.iter().map(|day| (day.as_str(), "good")).collect();
        let two = with(solved("two-sum", "2026-06-01T10:00:00Z"), &reviews(&list));
        import_rows(&ada, &[two]);
        let solve = only_solve(&ada);
        assert_eq!(told(&solve, "adaptive").len(), 56);
        let pending = solve["revisions"].as_array().unwrap().iter()
            .find(|revision| revision["state"] == "pending").unwrap();
        let path = format!("/api/v1/revisions/{}", pending["id"]);
        ada.post(&format!("{path}/complete"), &json!({"rating": "again"})).expect(200);
        ada.post(&format!("{path}/undo"), &json!({})).expect(200);
        let mut db = server.database.connect();
        assert_hold(&mut db);
    }

    fn what_is_balanced_after_them_has_a_place_of_its_own(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"load_balance": true})).expect(200);
        let begun = solved("two-sum", "2026-06-01T10:00:00Z");
        import_rows(&ada, std::slice::from_ref(&begun));
        // As many as one opening of the log has room for, and the date of the last is chosen.
        let days: Vec<String> = (1..=16).map(|day| format!("2026-07-{day:02}T10:00:00Z")).collect();
        let list: Vec<_> = days.iter().map(|day| (day.as_str(), "good")).collect();
        import_rows(&ada, &[with(begun, &reviews(&list))]);
        let solve = only_solve(&ada);
        let pending = solve["revisions"].as_array().unwrap().last().unwrap();
        let path = format!("/api/v1/revisions/{}", pending["id"]);
        ada.post(&format!("{path}/postpone"), &json!({"days": 3})).expect(200);
        assert_hold(&mut server.database.connect());
    }

    fn without_a_time_the_first_review_bounds_the_solve(server: Server) {
        let ada = server.register("ada");
        let row = with(
            json!({"problem": {"platform": "leetcode", "slug": "two-sum"}, "verdict": "accepted"}),
            &reviews(&[("2026-06-05T10:00:00Z", "good"), ("2026-06-25T10:00:00Z", "good")]),
        );
        import_rows(&ada, &[row]);
        let solve = only_solve(&ada);
        assert_eq!(solve["first_solved_at"], "2026-06-05T10:00:00Z");
        assert_eq!(solve["time_precision"], "upper_bound");
        assert_hold(&mut server.database.connect());
    }

    fn what_they_make_due_is_spread(server: Server) {
        let ada = server.register("ada");
        ada.patch("/api/v1/me", &json!({"daily_cap": 3})).expect(200);
        let row = |n: usize, list: &[(&str, &str)]|
            with(solved(&format!("p-{n}"), "2026-01-01T10:00:00Z"), &reviews(list));
        let bare: Vec<Value> = (0..10).map(|n| row(n, &[])).collect();
        import_rows(&ada, &bare);
        let reviewed: Vec<Value> =
            (0..20).map(|n| row(n, &[("2026-03-01T10:00:00Z", "good")])).collect();
        import_rows(&ada, &reviewed);
        let mut load = std::collections::BTreeMap::new();
        for revision in all(&ada, "/api/v1/revisions?state=upcoming") {
            *load.entry(revision["due_on"].as_str().unwrap().to_owned()).or_insert(0) += 1;
        }
        for revision in all(&ada, "/api/v1/revisions?state=due") {
            *load.entry(revision["due_on"].as_str().unwrap().to_owned()).or_insert(0) += 1;
        }
        assert_eq!(load.values().sum::<i32>(), 20);
        assert!(load.values().all(|due| *due <= 3), "{load:?}");
        assert_hold(&mut server.database.connect());
    }

    fn a_row_has_at_most_a_thousand(server: Server) {
        let ada = server.register("ada");
        let list = |count: i64| -> Value {
            let first = chrono::DateTime::parse_from_rfc3339("2026-08-01T10:00:00Z").unwrap();
            let at = |n| (first + chrono::TimeDelta::seconds(n)).to_rfc3339();
            (0..count).map(|n| json!({"happened_at": at(n), "rating": "good"})).collect()
        };
        let row = |slug: &str, count: i64| with(
            solved(slug, "2026-06-01T10:00:00Z"), &json!({"reviews": list(count)}));
        let report = import_rows(&ada, &[row("two-sum", 1000), row("3sum", 1001)]);
        assert_eq!(counts(&report), [2, 1, 0, 0, 0, 0, 1]);
        assert_eq!(report["errors"][0]["reason"], "the reviews: at most 1000 of one row");
        assert_eq!(told(&only_solve(&ada), "adaptive").len(), 1000);
        assert_hold(&mut server.database.connect());
    }
}
