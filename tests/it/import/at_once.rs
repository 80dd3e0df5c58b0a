//! Imports and live submissions at the same time: each problem is solved once.

use super::upload::{all, counts, import, noted, only_solve, send, solved, with};
use crate::harness::invariants::{assert_hold, learners};
use crate::harness::overlap::{begin, wait_for_anybody};
use crate::harness::{Server, on_both, rows};
use diesel::connection::SimpleConnection;
use serde_json::{Value, json};
use traverse::revisions::rating::Rating;
use traverse::submissions::model::{NewSubmission, Verdict};
use traverse::submissions::triage::{Triage, triage};

const HISTORY: &[u8] = include_bytes!("../data/codeforces-user-status.json");

on_both! {
    fn one_file_twice_at_once(server: Server) {
        let ada = server.register("ada");
        let reports: Vec<Value> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| import(&ada, HISTORY))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let sum = |name: &str| reports.iter().map(|r| r[name].as_i64().unwrap()).sum::<i64>();
        assert_eq!(sum("received"), 2 * 487);
        assert_eq!(sum("imported"), 480, "{reports:?}");
        assert_eq!(sum("skipped_existing") + sum("duplicates_in_batch"), 487 + 7);
        assert_eq!(all(&ada, "/api/v1/solves").len(), 480);
        assert_eq!(all(&ada, "/api/v1/submissions").len(), 487);
        assert_eq!(ada.get("/api/v1/xp").expect(200).body["total"], 4800);
        assert_hold(&mut server.database.connect());
    }

    fn two_users_who_make_the_same_problems(server: Server) {
        let users = ["ada", "bob", "eve"].map(|name| server.register(name));
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                users.iter().map(|user| scope.spawn(|| import(user, HISTORY))).collect();
            for thread in threads {
                assert_eq!(counts(&thread.join().unwrap()), [487, 480, 0, 7, 0, 0, 0]);
            }
        });
        assert_eq!(all(&users[0], "/api/v1/problems").len(), 480);
        assert_hold(&mut server.database.connect());
    }

    fn an_import_and_live_submissions(server: Server) {
        let ada = server.register("ada");
        let count = 60;
        let row = |n: i32, at: &str, id: i32|
            with(solved(&format!("p-{n}"), at), &json!({"external_id": id.to_string()}));
        // Each problem live with one number, and in the file with another, and with the same.
        let rows: Vec<Value> = (0..count)
            .map(|n| row(n, "2026-08-01T10:00:00Z", if n % 2 == 0 { n } else { 1000 + n }))
            .collect();
        let file = json!(rows).to_string();
        let (live, report) = std::thread::scope(|scope| {
            let live = scope.spawn(|| {
                (0..count)
                    .map(|n| {
                        let body = row(count - 1 - n, "2026-08-01T10:00:00Z", count - 1 - n);
                        let answer = ada.post("/api/v1/submissions", &body);
                        assert!(matches!(answer.status, 200 | 201), "{answer:?}");
                        answer
                    })
                    .filter(|answer| answer.status == 201 && answer.body["first_solve"] == true)
                    .count()
            });
            let report =
                scope.spawn(|| send(&ada, "", "application/json", file.as_bytes()).expect(201).body);
            (live.join().unwrap(), report.join().unwrap())
        });
        let imported = usize::try_from(report["imported"].as_i64().unwrap()).unwrap();
        assert_eq!(imported + live, 60, "{report}");
        assert_eq!(all(&ada, "/api/v1/solves").len(), 60);
        assert_eq!(all(&ada, "/api/v1/submissions").len(), 90);
        assert_eq!(ada.get("/api/v1/xp").expect(200).body["total"], 600);
        assert_hold(&mut server.database.connect());
    }

    fn a_triage_while_the_verdict_comes(server: Server) {
        let ada = server.register("ada");
        let row = with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"}));
        let pending = with(row.clone(), &json!({"verdict": "pending"}));
        let made = ada.post("/api/v1/submissions", &pending).expect(201).body;
        let id = made["submission"]["id"].as_i64().unwrap();
        let mut db = server.database.connect();
        let learner = learners(&mut db).into_values().next().unwrap();
        let hard = Triage { rating: Some(Rating::Hard), notes: None, dismiss: false };
        begin(&server.database, &mut db);
        triage(&mut db, &learner, id, &hard, server.app.clock.now()).unwrap();
        let report = std::thread::scope(|scope| {
            let report = scope.spawn(|| import(&ada, json!([row]).to_string().as_bytes()));
            // The batch has seen the submission before it was triaged, and waits for its row.
            wait_for_anybody(&server.database);
            db.batch_execute("commit").unwrap();
            report.join().unwrap()
        });
        assert_eq!(counts(&report), [1, 1, 0, 0, 0, 0, 0]);
        let submission = &all(&ada, "/api/v1/submissions")[0];
        assert_eq!(submission["verdict"], "accepted");
        assert_eq!(submission["rating"], "hard");
        let note = json!("its submission was pending, and is accepted now");
        assert_eq!(noted(&ada, &report), [note]);
        let solve = only_solve(&ada);
        assert_eq!(submission["solve_id"], solve["id"]);
        assert_eq!(solve["rating"], "hard", "what triage said counts");
        assert_hold(&mut db);
    }

    /// A number that somebody hands in while the batch is at work names their submission, and what
    /// its judge said of it counts.
    fn a_verdict_that_comes_first_counts(server: Server) {
        let ada = server.register("ada");
        let row = with(solved("two-sum", "2024-01-01T10:00:00Z"), &json!({"external_id": "1"}));
        let mut db = server.database.connect();
        let problem_id = rows::add_problem(&mut db, "two-sum");
        let learner = learners(&mut db).into_values().next().unwrap();
        let user = rows::User { id: learner.user_id, settings_id: 0 };
        begin(&server.database, &mut db);
        rows::add_submission(
            &mut db,
            &NewSubmission {
                external_id: Some("1"),
                verdict: Some(Verdict::WrongAnswer),
                ..rows::new_submission(user, problem_id, "live")
            },
        );
        let report = std::thread::scope(|scope| {
            let report = scope.spawn(|| import(&ada, json!([row]).to_string().as_bytes()));
            // The batch has not seen the submission, and waits for its number.
            wait_for_anybody(&server.database);
            db.batch_execute("commit").unwrap();
            report.join().unwrap()
        });
        assert_eq!(counts(&report), [1, 0, 1, 0, 0, 0, 0]);
        assert_eq!(all(&ada, "/api/v1/submissions")[0]["verdict"], "wrong_answer");
        assert!(all(&ada, "/api/v1/solves").is_empty());
        assert_eq!(ada.get("/api/v1/xp").expect(200).body["total"], 0);
    }
}
