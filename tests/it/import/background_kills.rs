//! A worker that dies at any call of the database while it imports, and one that is killed by the
//! system: whatever there is in the end is what one undisturbed run makes.

use super::background::{ended, send};
use super::killed::{file as large, registered, state};
use super::upload::{counts, solved, with};
use crate::harness::faults::{self, Kill};
use crate::harness::invariants::assert_hold;
use crate::harness::{Client, Database, Process, Server, on_both, rows};
use diesel::prelude::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use traverse::app::App;
use traverse::db::Db;
use traverse::db::pool::Pool;
use traverse::import::job::{RunImport, run_import};
use traverse::import::settle::{SettleImports, settle_imports};
use traverse::jobs::backend::Settings;
use traverse::jobs::model::State;
use traverse::jobs::registry::Registry;
use traverse::jobs::worker::Worker;
use traverse::schema::{import_chunks, import_rows, imports, jobs, notifications, xp_entries};

fn registry() -> Registry {
    Registry::default().on::<RunImport, _, _>(run_import).on::<SettleImports, _, _>(settle_imports)
}

/// A small file of all that an import may bring: two batches of first solves and one of others.
fn small(name: &str) -> String {
    let at = |number: usize| format!("2024-{:02}-{:02}T10:00:00Z", 1 + number, 1 + number);
    let mut rows: Vec<Value> = (0..6)
        .map(|number| {
            with(
                solved(&format!("{name}-{number}"), &at(number)),
                &json!({"external_id": format!("{name}{number}")}),
            )
        })
        .collect();
    rows.push(with(
        solved(&format!("{name}-0"), "2025-06-01T10:00:00Z"),
        &json!({"external_id": format!("{name}again"),
                "reviews": [{"happened_at": "2025-07-01T10:00:00Z", "rating": "good"}]}),
    ));
    rows.push(solved("no such slug", &at(0)));
    json!(rows).to_string()
}

/// As [`faults::live`], with our worker.
fn live(server: &Server, db: &mut Db, call: i64) -> bool {
    let start = |pool: Pool| {
        let app = App { pool: pool.clone(), ..server.app.clone() };
        let settings =
            Settings { slots: 2, poll: Duration::from_millis(50), sweep: Duration::from_secs(5) };
        Worker::start(pool, settings, registry(), &[], app.jobs.clone(), app)
    };
    faults::live(&server.database, call, start, || is_done(db))
}

/// The kinds of jobs that imports have.
const KINDS: [&str; 2] = ["import", "settle-imports"];

fn is_done(db: &mut Db) -> bool {
    let open: i64 = jobs::table
        .filter(jobs::kind.eq_any(KINDS))
        .filter(jobs::state.eq_any([State::Pending, State::Running]))
        .count()
        .get_result(db)
        .unwrap();
    open == 0
}

/// Time passes: nobody answers for what was running, and what failed has waited.
fn expire(db: &mut Db) {
    let mine = || jobs::table.filter(jobs::kind.eq_any(KINDS));
    diesel::update(mine().filter(jobs::state.eq(State::Running)))
        .set(jobs::lease_until.eq(rows::then()))
        .execute(db)
        .unwrap();
    diesel::update(mine().filter(jobs::state.eq(State::Pending)))
        .set(jobs::run_at.eq(rows::then()))
        .execute(db)
        .unwrap();
}

/// What an import says of itself and of its rows, but for numbers and times.
fn outcome(client: &Client, db: &mut Db, id: &Value) -> Value {
    let mut report = client.get(&format!("/api/v1/imports/{id}")).expect(200).body;
    for gone in ["id", "created_at", "touched_at", "finished_at"] {
        report.as_object_mut().unwrap().remove(gone);
    }
    let id = id.as_i64().unwrap();
    let told: Vec<(i64, String, Option<String>, Option<String>)> = import_rows::table
        .filter(import_rows::import_id.eq(id))
        .order(import_rows::row_number)
        .select((
            import_rows::row_number,
            import_rows::verdict,
            import_rows::reason,
            import_rows::note,
        ))
        .load(db)
        .unwrap();
    let owner: i64 = imports::table.find(id).select(imports::user_id).first(db).unwrap();
    let xp: Vec<i32> = xp_entries::table
        .filter(xp_entries::user_id.eq(owner))
        .order((xp_entries::local_day, xp_entries::amount))
        .select(xp_entries::amount)
        .load(db)
        .unwrap();
    let notices: i64 = notifications::table
        .filter(notifications::user_id.eq(owner))
        .count()
        .get_result(db)
        .unwrap();
    let dues = client.get("/api/v1/revisions?limit=200").expect(200).body;
    let mut dues: Vec<String> = dues["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| format!("{} {} {}", item["state"], item["due_on"], item["revision_number"]))
        .collect();
    dues.sort();
    json!({"report": report, "told": told, "xp": xp, "notices": notices, "dues": dues})
}

/// Somebody whose import waits.
fn waiting(server: &Server, name: &str) -> (Client, Value) {
    let client = server.register(name);
    // Its dates do not depend on the numbers of the solves, in which an import leaves gaps.
    client.patch("/api/v1/me", &json!({"scheduler": "ladder"})).expect(200);
    let id = send(&client, None, &small(name)).expect(202).body["id"].clone();
    (client, id)
}

fn chunks(db: &mut Db) -> i64 {
    import_chunks::table.count().get_result(db).unwrap()
}

on_both! {
    fn at_any_call_it_ends_as_if_nothing_had_happened(server: Server) {
        let server = server.with_app(|app| {
            app.imports.at_once = 0;
            app.imports.batch = 4;
        });
        let mut db = server.database.connect();
        let (clean, id) = waiting(&server, "clean");
        live(&server, &mut db, 0);
        let expected = outcome(&clean, &mut db, &id).to_string();
        assert!(expected.contains("\"status\":\"completed\""), "{expected}");
        assert!(expected.contains("\"received\":8"), "{expected}");
        assert!(expected.contains("\"notices\":1"), "{expected}");
        let mut struck = 0;
        for call in 1.. {
            // So many do not register within a minute.
            server.advance(chrono::TimeDelta::seconds(1));
            let name = format!("k{call}");
            let (client, id) = waiting(&server, &name);
            let is_struck = live(&server, &mut db, call);
            struck += i64::from(is_struck);
            expire(&mut db);
            live(&server, &mut db, 0);
            let found = outcome(&client, &mut db, &id).to_string().replace(&name, "clean");
            assert_eq!(found, expected, "killed at call {call}");
            assert_eq!(chunks(&mut db), 0, "killed at call {call}");
            if !is_struck {
                break;
            }
        }
        assert_hold(&mut db);
        println!("{struck} kills, each at another call");
        assert!(struck >= 40, "only {struck} kills struck");
    }

    /// An import whose job was cancelled fails once, says so once, and its file goes.
    fn at_any_call_an_import_without_a_job_fails_once(server: Server) {
        let server = server.with_app(|app| app.imports.at_once = 0);
        let mut db = server.database.connect();
        let mut struck = 0;
        for call in 1.. {
            server.advance(chrono::TimeDelta::seconds(1));
            let (client, id) = waiting(&server, &format!("s{call}"));
            let job = jobs::table
                .filter(jobs::kind.eq("import").and(jobs::state.eq(State::Pending)))
                .select(jobs::id)
                .first(&mut db)
                .unwrap();
            assert!(traverse::jobs::guards::cancel_job(&mut db, job).unwrap());
            assert!(traverse::jobs::enqueue(&mut db, &SettleImports {}).unwrap());
            let is_struck = live(&server, &mut db, call);
            expire(&mut db);
            live(&server, &mut db, 0);
            let report = client.get(&format!("/api/v1/imports/{id}")).expect(200).body;
            assert_eq!(report["status"], "failed", "killed at call {call}");
            let told: i64 = notifications::table.count().get_result(&mut db).unwrap();
            assert_eq!((told, chunks(&mut db)), (call, 0), "killed at call {call}");
            if !is_struck {
                break;
            }
            struck += 1;
        }
        println!("{struck} kills, each at another call");
        assert!(struck >= 8, "only {struck} kills struck");
    }

    /// A process that dies while it receives a file: the same request again makes the one import, and
    /// what was left of the file goes in time.
    fn a_request_that_dies_at_any_call_can_be_sent_again(server: Server) {
        let server = server.with_app(|app| app.imports.at_once = 0);
        let mut db = server.database.connect();
        let ada = server.register("ada");
        let mut imports_made = 0;
        for call in 1.. {
            let kill = Kill::watch(&server.database);
            let dying = server.another().with_app(|app| app.imports.at_once = 0);
            let file = small(&format!("c{call}"));
            let key = format!("k{call}");
            kill.arm(call);
            let at_dying = Client::new(&dying.url).with_token(ada.token.as_ref().unwrap());
            let first = send(&at_dying, Some(&key), &file);
            let is_struck = kill.disarm(&server.database);
            drop(dying);
            let second = send(&ada, Some(&key), &file);
            imports_made += 1;
            assert!(matches!(second.status, 200 | 202), "killed at call {call}: {second:?}");
            assert!(first.status != 202 || second.body["id"] == first.body["id"]);
            assert!(first.status == 202 || is_struck, "{first:?}");
            let made: i64 = imports::table.count().get_result(&mut db).unwrap();
            let wait = jobs::table.filter(jobs::kind.eq("import")).count();
            assert_eq!((made, wait.get_result(&mut db).unwrap()), (imports_made, imports_made));
            if !is_struck {
                assert!(call > 8, "only {call} calls");
                println!("{} kills, each at another call", call - 1);
                break;
            }
        }
        server.advance(chrono::TimeDelta::hours(2));
        let since = server.app.clock.now();
        for left in traverse::import::store::left_files(&mut db, since).unwrap() {
            traverse::import::store::delete_file(&mut db, left).unwrap();
        }
        let files: i64 = traverse::schema::import_files::table.count().get_result(&mut db).unwrap();
        assert_eq!(files, imports_made, "those that wait");
        live(&server, &mut db, 0);
        assert_eq!(chunks(&mut db), 0);
        let done = imports::table.filter(imports::status.eq("completed")).count();
        assert_eq!(done.get_result::<i64>(&mut db).unwrap(), imports_made);
        assert_hold(&mut db);
    }

    fn another_worker_goes_on(database: Database) {
        // A file that its request would wait for, and as many rows again.
        let rows: Vec<Value> = serde_json::from_str(&large()).unwrap();
        let more = (0..2000).map(|row| solved(&format!("more-{row}"), "2024-03-03T10:00:00Z"));
        let file = json!(rows.into_iter().chain(more).collect::<Vec<_>>()).to_string();
        let import = |database: &Database, kills: usize| {
            let serving = Process::serve(database, &["--worker=no"]);
            let ada = registered(&serving);
            let id = send(&ada, None, &file).expect(202).body["id"].clone();
            let mut db = database.connect();
            for kill in 0..kills {
                let mut worker = Process::worker(database);
                let path = format!("/api/v1/imports/{id}");
                let began = Instant::now();
                let least = 1000 + 2000 * i64::try_from(kill).unwrap();
                while counts(&ada.get(&path).expect(200).body)[0] < least {
                    assert!(began.elapsed() < Duration::from_mins(1), "{}", worker.log());
                }
                worker.kill();
                let running = ada.get(&path).expect(200).body;
                assert_eq!(running["status"], "running", "it was at work");
                assert!(counts(&running)[0] < 6500, "{running}");
                assert_hold(&mut db);
                expire(&mut db);
            }
            let _worker = Process::worker(database);
            (ended(&ada, &id), state(&mut db))
        };
        let (report, found) = import(&database, 2);
        let other = Database::fresh(database.backend);
        let (clean, expected) = import(&other, 0);
        assert_eq!(counts(&report), counts(&clean));
        assert_eq!(report["errors"], clean["errors"]);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected);
        }
        assert_eq!(found.len(), expected.len());
        assert_hold(&mut database.connect());
    }
}
