//! A real history of submissions, with ids and handle replaced: in once, and again.

use super::dump::{assert_unchanged, dump};
use super::upload::{all, counts, import, send};
use crate::harness::{Server, on_both};
use chrono::NaiveDate;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use traverse::db::tx::{Work, write};
use traverse::preferences;
use traverse::revisions::derive_again;

const HISTORY: &[u8] = include_bytes!("../data/codeforces-user-status.json");

/// What falls due on each day.
fn load(revisions: &[Value]) -> BTreeMap<NaiveDate, usize> {
    let mut load = BTreeMap::new();
    for revision in revisions {
        let day = revision["due_on"].as_str().unwrap().parse().unwrap();
        *load.entry(day).or_default() += 1;
    }
    load
}

on_both! {
    fn it_goes_in(server: Server) {
        let ada = server.register("ada");
        let report = import(&ada, HISTORY);
        assert_eq!(counts(&report), [487, 480, 0, 7, 0, 0, 0]);
        assert_eq!(report["status"], "completed");
        assert_eq!(report["format"], "codeforces");
        assert_eq!(report["progress"], 1.0);
        assert_eq!(report["errors"], json!([]));

        let solves = all(&ada, "/api/v1/solves");
        assert_eq!(solves.len(), 480);
        assert!(solves.iter().all(|solve| solve["first_solved_at"].is_string()));
        assert_eq!(all(&ada, "/api/v1/submissions").len(), 487);
        assert_eq!(all(&ada, "/api/v1/inbox").len(), 0);

        let revisions = all(&ada, "/api/v1/revisions?state=all");
        assert_eq!(revisions.len(), 480);
        let load = load(&revisions);
        assert_eq!(load.len(), 24);
        assert_eq!(load.first_key_value().unwrap().0.to_string(), "2026-09-01");
        assert!(load.values().all(|due| *due == 20), "{load:?}");

        let today = ada.get("/api/v1/today").expect(200).body;
        assert_eq!(today["due"].as_array().unwrap().len(), 20);
        assert_eq!(today["overdue"], 0);
        assert_eq!(today["xp"], json!({"total": 4800, "today": 0}));
    }

    fn again_it_changes_nothing(server: Server) {
        let ada = server.register("ada");
        import(&ada, HISTORY);
        let mut db = server.database.connect();
        let before = dump(&mut db);
        server.advance(chrono::TimeDelta::days(3));
        let report = import(&ada, HISTORY);
        assert_eq!(counts(&report), [487, 0, 487, 0, 0, 0, 0]);
        assert_unchanged(&before, &dump(&mut db));
    }

    fn the_earliest_is_the_first_solve(server: Server) {
        let ada = server.register("ada");
        let id = import(&ada, HISTORY)["id"].clone();
        let further = all(&ada, &format!("/api/v1/imports/{id}/rows?verdict=duplicates_in_batch"));
        assert_eq!(further.len(), 7);
        let submissions = all(&ada, "/api/v1/submissions");
        for solve in all(&ada, "/api/v1/solves") {
            let mut times: Vec<_> = submissions
                .iter()
                .filter(|submission| submission["solve_id"] == solve["id"])
                .map(|submission| submission["happened_at"].as_str().unwrap())
                .collect();
            times.sort_unstable();
            assert_eq!(solve["first_solved_at"], times[0], "{solve}");
        }
    }

    fn the_schedule_is_the_one_that_is_derived(server: Server) {
        let ada = server.register("ada");
        import(&ada, HISTORY);
        let mut db = server.database.connect();
        let before = dump(&mut db);
        let solves = all(&ada, "/api/v1/solves");
        let now = server.app.clock.now();
        let learner = learner(&mut db, 1);
        for solve in &solves {
            let id = solve["id"].as_i64().unwrap();
            let derived: Work<()> = write(&mut db, |db| Ok(derive_again(db, &learner, id, now)?));
            derived.unwrap();
        }
        let after = dump(&mut db);
        for table in ["revisions", "schedule_entries", "reviews"] {
            assert_eq!(before[table], after[table], "{table}");
        }
    }

    fn a_name_with_a_nul_spoils_only_its_row(server: Server) {
        let ada = server.register("ada");
        let good = r#"{"problem":{"platform":"leetcode","slug":"two-sum"},"verdict":"accepted"}"#;
        let bad = good.replace("verdict", "ver\\u0000dict");
        let long = good.replace("verdict", &"v".repeat(100_000));
        let report = import(&ada, format!("{good}\n{bad}\n{long}\n").as_bytes());
        assert_eq!(counts(&report), [3, 1, 0, 0, 0, 0, 2]);
        assert!(report.to_string().len() < 4_000);
    }

    fn each_user_has_their_own(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        import(&ada, HISTORY);
        assert_eq!(counts(&import(&bob, HISTORY)), [487, 480, 0, 7, 0, 0, 0]);
        assert_eq!(all(&bob, "/api/v1/solves").len(), 480);
        assert_eq!(all(&ada, "/api/v1/problems").len(), 480);
    }

    fn a_dry_run_tells_the_same_and_stores_nothing(server: Server) {
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let before = dump(&mut db);
        let dry = send(&ada, "?dry_run=true", "application/json", HISTORY).expect(200);
        assert_eq!(dry.header("location"), None);
        assert_eq!(dry.body["id"], Value::Null);
        assert_eq!(dry.body["dry_run"], true);
        assert_unchanged(&before, &dump(&mut db));
        assert_eq!(all(&ada, "/api/v1/imports").len(), 0);
        assert_eq!(counts(&dry.body), counts(&import(&ada, HISTORY)));
        let dry = send(&ada, "?dry_run=true", "application/json", HISTORY).expect(200);
        assert_eq!(counts(&dry.body), [487, 0, 487, 0, 0, 0, 0]);
    }
}

/// The user as the schedules know them.
fn learner(db: &mut traverse::db::Db, user_id: i64) -> traverse::revisions::Learner {
    let (row, settings) = preferences::store::current(db, user_id).unwrap().unwrap();
    preferences::read(row, &settings).unwrap().learner(user_id)
}
