//! A file with many rows: it is answered at once, and a worker imports it.

use super::upload::{all, counts, import, solved, with};
use crate::harness::invariants::assert_hold;
use crate::harness::{Answer, Client, Process, Server, Working, on_both};
use diesel::prelude::*;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use traverse::db::Db;
use traverse::import::job::RunImport;
use traverse::import::settle::SettleImports;
use traverse::jobs::model::State;
use traverse::jobs::{self, guards::cancel_job};
use traverse::schema::{import_chunks, import_files, import_rows, jobs as table, notifications};

const ROWS: usize = 6000;

/// Rows of all kinds; those of one half have nothing to do with those of the other.
fn rows() -> Vec<Value> {
    let row = |number: usize| {
        let at = format!("2024-{:02}-{:02}T10:00:00Z", 1 + number % 12, 1 + number % 28);
        match number % 25 {
            7 => with(solved(&format!("p-{number}"), &at), &json!({"verdict": "other"})),
            8 => solved("no such slug", &at),
            // A later solve of the problem before.
            10 => solved(&format!("p-{}", number - 1), "2025-05-05T10:00:00Z"),
            _ => with(
                solved(&format!("p-{number}"), &at),
                &json!({"external_id": number.to_string()}),
            ),
        }
    };
    (0..ROWS).map(row).collect()
}

pub fn send(client: &Client, key: Option<&str>, file: &str) -> Answer {
    let request =
        client.request(Method::POST, "/api/v1/imports").header("content-type", "application/json");
    let request = match key {
        Some(key) => request.header("idempotency-key", key),
        None => request,
    };
    Answer::of(request.body(file.to_owned()))
}

fn one(client: &Client, id: &Value) -> Value {
    client.get(&format!("/api/v1/imports/{id}")).expect(200).body
}

/// Waits until an import has ended.
pub fn ended(client: &Client, id: &Value) -> Value {
    let began = Instant::now();
    loop {
        let import = one(client, id);
        if import["status"] == "completed" || import["status"] == "failed" {
            return import;
        }
        assert!(began.elapsed() < Duration::from_mins(2), "{import}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What became of the rows of all imports of a user, in the order of the files.
fn told(db: &mut Db, ids: &[&Value]) -> Vec<(String, Option<String>, Option<String>)> {
    let ids: Vec<i64> = ids.iter().map(|id| id.as_i64().unwrap()).collect();
    import_rows::table
        .filter(import_rows::import_id.eq_any(ids))
        .order((import_rows::import_id, import_rows::row_number))
        .select((import_rows::verdict, import_rows::reason, import_rows::note))
        .load(db)
        .unwrap()
}

fn files(db: &mut Db) -> (i64, i64) {
    let files = import_files::table.count().get_result(db).unwrap();
    (files, import_chunks::table.count().get_result(db).unwrap())
}

fn notices(db: &mut Db) -> Vec<(String, String)> {
    notifications::table
        .filter(notifications::kind.eq("import-finished"))
        .order(notifications::id)
        .select((notifications::dedup_key, notifications::title))
        .load(db)
        .unwrap()
}

/// All jobs of imports, in their order.
fn states(db: &mut Db) -> Vec<(i64, State)> {
    table::table
        .filter(table::kind.eq("import"))
        .order(table::id)
        .select((table::id, table::state))
        .load(db)
        .unwrap()
}

/// A server where a file of one row goes to the background.
fn small(server: Server) -> Server {
    server.with_app(|app| app.imports.at_once = 0)
}

fn file(rows: usize) -> String {
    let rows: Vec<Value> =
        (0..rows).map(|row| solved(&format!("p-{row}"), "2024-01-01T10:00:00Z")).collect();
    json!(rows).to_string()
}

on_both! {
    fn it_tells_what_one_that_is_waited_for_tells(server: Server) {
        let (ada, bob) = (server.register("ada"), server.register("bob"));
        let mut db = server.database.connect();
        let rows = rows();
        let accepted = send(&ada, None, &json!(rows).to_string()).expect(202);
        let queued = &accepted.body;
        let id = &queued["id"];
        assert_eq!(accepted.header("location"), Some(&*format!("/api/v1/imports/{id}")));
        assert_eq!(queued["status"], "queued");
        assert_eq!(queued["progress"], 0.0);
        assert_eq!(counts(queued), [0; 7]);
        assert_eq!(queued["errors"], json!([]));
        // Nobody works: it waits, and says so.
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(one(&ada, id), *queued);
        assert_eq!(files(&mut db).0, 1);
        let working = Working::beside(&server);
        let report = ended(&ada, id);
        assert_eq!(report["status"], "completed", "{report}");
        assert_eq!(report["progress"], 1.0);
        assert_eq!(report["failure"], Value::Null);
        assert_eq!(files(&mut db), (0, 0));
        let notice = (format!("import-finished:{id}"), "Your import is complete".to_owned());
        assert_eq!(notices(&mut db), [notice]);
        drop(working);

        let halves: Vec<Value> = rows
            .chunks(ROWS / 2)
            .map(|half| import(&bob, json!(half).to_string().as_bytes()))
            .collect();
        let sum: Vec<i64> =
            counts(&halves[0]).iter().zip(counts(&halves[1])).map(|(one, other)| one + other).collect();
        assert_eq!(counts(&report).to_vec(), sum);
        let theirs = told(&mut db, &[&halves[0]["id"], &halves[1]["id"]]);
        assert_eq!(told(&mut db, &[id]), theirs);
        assert_eq!(theirs.len(), ROWS);
        assert_hold(&mut db);
    }

    fn a_key_names_one_import_wherever_it_is(server: Server) {
        let server = small(server);
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let queued = send(&ada, Some("k"), &file(20)).expect(202).body;
        let replayed = send(&ada, Some("k"), &file(20)).expect(200);
        assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
        assert_eq!(replayed.body, queued);
        assert_eq!(send(&ada, Some("k"), &file(21)).expect(422).code(), "idempotency-key-reused");
        assert_eq!(files(&mut db).0, 1, "what was not needed is not there");
        // As it stands when a worker has begun.
        let id = queued["id"].as_i64().unwrap();
        traverse::import::guards::begin_import(&mut db, id, server.app.clock.now()).unwrap().unwrap();
        server.advance(chrono::TimeDelta::hours(1));
        let running = send(&ada, Some("k"), &file(20)).expect(200).body;
        assert_eq!(running["status"], "running", "however long it is silent");
        assert_eq!(states(&mut db).len(), 1);
        let working = Working::beside(&server);
        let report = ended(&ada, &queued["id"]);
        drop(working);
        assert_eq!(send(&ada, Some("k"), &file(20)).expect(200).body, report);
        assert_eq!(counts(&report), [20, 20, 0, 0, 0, 0, 0]);
        assert_eq!(all(&ada, "/api/v1/imports").len(), 1);
        assert_eq!(files(&mut db), (0, 0));
    }

    fn many_with_one_key_store_one(server: Server) {
        let server = small(server);
        let ada = server.register("ada");
        let file = file(30);
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| send(&ada, Some("k"), &file).status)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 7, "{statuses:?}");
        let mut db = server.database.connect();
        assert_eq!(files(&mut db), (1, 1));
        assert_eq!(states(&mut db).len(), 1);
    }

    fn a_second_run_changes_nothing(server: Server) {
        let server = small(server);
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let id = send(&ada, None, &file(20)).expect(202).body["id"].clone();
        let working = Working::beside(&server);
        let report = ended(&ada, &id);
        let before = told(&mut db, &[&id]);
        let job = RunImport { import_id: id.as_i64().unwrap() };
        assert!(jobs::enqueue(&mut db, &job).unwrap());
        until(&mut db, |states| states == [State::Done, State::Done]);
        drop(working);
        assert_eq!(one(&ada, &id), report);
        assert_eq!(told(&mut db, &[&id]), before);
        assert_eq!(notices(&mut db).len(), 1);
        assert_eq!(all(&ada, "/api/v1/solves").len(), 20);
        assert_hold(&mut db);
    }

    /// A run that may not work for long lets another one go on, with all its attempts.
    fn it_may_take_many_runs(server: Server) {
        let server = small(server).with_app(|app| {
            app.imports.batch = 7;
            app.imports.stretch = Duration::ZERO;
        });
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let id = send(&ada, None, &file(50)).expect(202).body["id"].clone();
        let _working = Working::beside(&server);
        let report = ended(&ada, &id);
        assert_eq!(report["status"], "completed");
        assert_eq!(counts(&report), [50, 50, 0, 0, 0, 0, 0]);
        until(&mut db, |states| states.len() >= 8 && states.iter().all(|s| *s == State::Done));
        assert_eq!(notices(&mut db).len(), 1);
        assert_hold(&mut db);
    }

    fn an_account_that_is_gone_needs_nothing(server: Server) {
        let server = small(server);
        let ada = server.register("ada");
        let mut db = server.database.connect();
        send(&ada, None, &file(20)).expect(202);
        let body = json!({"password": crate::harness::server::PASSWORD});
        Answer::of(ada.request(Method::DELETE, "/api/v1/me").json(&body)).expect(204);
        assert_eq!(files(&mut db), (0, 0));
        let _working = Working::beside(&server);
        until(&mut db, |states| states == [State::Done]);
    }

    /// An import whose job an admin cancels has failed, says why, and goes on when it is sent again.
    fn one_whose_job_is_no_more_has_failed(server: Server) {
        let server = small(server).with_app(|app| app.imports.batch = 10);
        let ada = server.register("ada");
        let mut db = server.database.connect();
        let id = send(&ada, Some("k"), &file(20)).expect(202).body["id"].clone();
        let job = states(&mut db)[0].0;
        assert!(jobs::enqueue(&mut db, &SettleImports {}).unwrap());
        let working = Working::with(server.app.clone(), settling());
        settled(&mut db);
        assert_eq!(one(&ada, &id)["status"], "queued", "its job waits");
        assert!(cancel_job(&mut db, job).unwrap());
        assert!(jobs::enqueue(&mut db, &SettleImports {}).unwrap());
        settled(&mut db);
        drop(working);
        let failed = one(&ada, &id);
        assert_eq!(failed["status"], "failed");
        assert_eq!(failed["failure"], "its job was cancelled, or broke off too often");
        assert!(failed["finished_at"].is_string());
        assert_eq!(files(&mut db), (0, 0));
        assert_eq!(notices(&mut db)[0].1, "Your import did not come to its end");
        // Under its key it goes on.
        let again = send(&ada, Some("k"), &file(20)).expect(202).body;
        assert_eq!(again["id"], id);
        assert_eq!(again["status"], "queued");
        assert_eq!(again["failure"], Value::Null);
        let _working = Working::beside(&server);
        let report = ended(&ada, &id);
        assert_eq!(counts(&report), [20, 20, 0, 0, 0, 0, 0]);
        assert_eq!(notices(&mut db)[1].1, "Your import is complete");
        assert_hold(&mut db);
    }

    /// What a process left that died while it stored a file.
    fn a_file_without_an_import_goes_in_time(server: Server) {
        let ada = server.register("ada");
        let me = ada.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        let mut db = server.database.connect();
        let now = server.app.clock.now();
        traverse::import::store::begin_file(&mut db, me, "{}", now).unwrap();
        let _working = Working::with(server.app.clone(), settling());
        for (after, left) in [(30, 1), (31, 0)] {
            server.advance(chrono::TimeDelta::minutes(after));
            assert!(jobs::enqueue(&mut db, &SettleImports {}).unwrap());
            settled(&mut db);
            assert_eq!(files(&mut db).0, left);
        }
    }

    fn a_file_that_is_refused_is_not_stored(server: Server) {
        let server = small(server);
        let ada = server.register("ada");
        let mut broken = file(2000);
        broken.truncate(broken.len() - 10);
        assert_eq!(send(&ada, Some("k"), &broken).expect(422).code(), "unreadable-file");
        let mut db = server.database.connect();
        assert_eq!(files(&mut db), (0, 0));
        assert!(all(&ada, "/api/v1/imports").is_empty());
        send(&ada, Some("k"), &file(20)).expect(202);
    }

    /// Neither the request nor the worker holds the file in memory.
    fn a_large_file_takes_little_memory(process: Process) {
        let ada = process.client();
        let account = json!({"email": "ada@example.org", "password": "correct horse battery"});
        let token = ada.post("/api/v1/auth/register", &account).expect(201).body["token"].clone();
        let ada = ada.with_token(token.as_str().unwrap());
        let before = process.peak();
        let notes = "x".repeat(9000);
        let rows: Vec<Value> = (0..6000)
            .map(|row| {
                let row = solved(&format!("p-{row}"), "2024-01-01T10:00:00Z");
                with(row, &json!({"notes": notes}))
            })
            .collect();
        let file = json!(rows).to_string();
        let id = send(&ada, None, &file).expect(202).body["id"].clone();
        assert_eq!(ended(&ada, &id)["imported"], 6000);
        let (grown, size) = (process.peak() - before, u64::try_from(file.len()).unwrap());
        println!("{} MiB more for a file of {} MiB", grown >> 20, size >> 20);
        assert!(grown < size / 2, "{grown} bytes more for a file of {size}");
    }

    fn a_dry_run_is_waited_for(server: Server) {
        let server = small(server);
        let ada = server.register("ada");
        let path = "/api/v1/imports?dry_run=true";
        let request = ada.request(Method::POST, path).header("content-type", "application/json");
        let report = Answer::of(request.body(file(20))).expect(200).body;
        assert_eq!(counts(&report), [20, 20, 0, 0, 0, 0, 0]);
        assert_eq!(files(&mut server.database.connect()), (0, 0));
    }
}

fn settling() -> traverse::jobs::registry::Registry {
    use traverse::import::settle::settle_imports;
    traverse::jobs::registry::Registry::default().on::<SettleImports, _, _>(settle_imports)
}

/// Waits until nothing is to be settled.
fn settled(db: &mut Db) {
    let began = Instant::now();
    loop {
        let open: i64 = table::table
            .filter(table::kind.eq("settle-imports"))
            .filter(table::state.ne(State::Done))
            .count()
            .get_result(db)
            .unwrap();
        if open == 0 {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn until(db: &mut Db, are: impl Fn(&[State]) -> bool) {
    let began = Instant::now();
    loop {
        let states: Vec<State> = states(db).into_iter().map(|(_, state)| state).collect();
        if are(&states) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{states:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
