//! A process that ends in the middle: its import says so, and the same request goes on with it.

use super::upload::{all, counts, import, solved, with};
use crate::harness::invariants::assert_hold;
use crate::harness::{Answer, Client, Database, Process, Server, on_both};
use chrono::{NaiveDate, TimeDelta};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use reqwest::Method;
use reqwest::blocking::{RequestBuilder, Response};
use serde_json::{Value, json};
use std::thread;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::schema::{
    import_rows, imports, problems, revisions, solves, submissions, xp_entries,
};

const FIRSTS: usize = 3000;
const OTHERS: usize = 1500;

/// First solves, then further ones of half of them, some with reviews, and rows of other kinds.
pub fn file() -> String {
    let at = |row: usize| format!("2024-{:02}-{:02}T10:00:00Z", 1 + row % 12, 1 + row % 28);
    let first = |row: usize| {
        let number = json!({"external_id": format!("a{row}")});
        match row % 50 {
            7 => with(solved(&format!("p-{row}"), &at(row)), &json!({"verdict": "other"})),
            8 => solved("no such slug", &at(row)),
            _ => with(solved(&format!("p-{row}"), &at(row)), &number),
        }
    };
    let other = |row: usize| {
        let row_of = with(
            solved(&format!("p-{row}"), "2025-06-01T10:00:00Z"),
            &json!({"external_id": format!("b{row}")}),
        );
        match row % 10 {
            3 => with(
                row_of,
                &json!({
                "reviews": [{"happened_at": "2025-07-01T10:00:00Z", "rating": "good"}]}),
            ),
            _ => row_of,
        }
    };
    let rows: Vec<Value> = (0..FIRSTS).map(first).chain((0..OTHERS).map(other)).collect();
    json!(rows).to_string()
}

fn request(client: &Client, file: &str) -> RequestBuilder {
    client
        .request(Method::POST, "/api/v1/imports")
        .header("content-type", "application/json")
        .header("idempotency-key", "k")
        .body(file.to_owned())
}

pub fn registered(process: &Process) -> Client {
    let client = process.client();
    let account = json!({"email": "ada@example.org", "password": "correct horse battery"});
    let answer = client.post("/api/v1/auth/register", &account).expect(201);
    let client = client.with_token(answer.body["token"].as_str().unwrap());
    // Its dates do not depend on the numbers of the solves, in which an import leaves gaps.
    client.patch("/api/v1/me", &json!({"scheduler": "ladder"})).expect(200);
    // One that was there, earlier than in the file, and one later.
    for (slug, at) in [("p-0", "2023-01-01T10:00:00Z"), ("p-1", "2025-01-01T10:00:00Z")] {
        let live = with(solved(slug, at), &json!({"external_id": format!("live {slug}")}));
        client.post("/api/v1/submissions", &live).expect(201);
    }
    client
}

/// Waits until so many rows are done.
fn wait_for(client: &Client, rows: i64) {
    while all(client, "/api/v1/imports").first().is_none_or(|import| counts(import)[0] < rows) {
        thread::yield_now();
    }
}

type Solved = (String, Option<At>, NaiveDate, String, Option<i64>);
type Submitted = (String, Option<String>, Option<At>, bool);

/// All that an import may make, by the names of the problems.
pub fn state(db: &mut Db) -> Vec<String> {
    let mut lines = Vec::new();
    let of_solves: Vec<Solved> = solves::table
        .inner_join(problems::table)
        .select((
            problems::slug,
            solves::first_solved_at,
            solves::first_day,
            solves::time_precision,
            solves::import_id,
        ))
        .load(db)
        .unwrap();
    lines.extend(of_solves.iter().map(|row| format!("solve {row:?}")));
    let of_revisions: Vec<(String, i32, String, NaiveDate)> = revisions::table
        .inner_join(solves::table.inner_join(problems::table))
        .select((problems::slug, revisions::revision_number, revisions::state, revisions::due_on))
        .load(db)
        .unwrap();
    lines.extend(of_revisions.iter().map(|row| format!("revision {row:?}")));
    let of_submissions: Vec<Submitted> = submissions::table
        .inner_join(problems::table)
        .select((
            problems::slug,
            submissions::external_id,
            submissions::happened_at,
            submissions::possible_duplicate_of.is_not_null(),
        ))
        .load(db)
        .unwrap();
    lines.extend(of_submissions.iter().map(|row| format!("submission {row:?}")));
    let of_xp: Vec<(String, i32, NaiveDate)> = xp_entries::table
        .select((xp_entries::reason, xp_entries::amount, xp_entries::local_day))
        .load(db)
        .unwrap();
    lines.extend(of_xp.iter().map(|row| format!("xp {row:?}")));
    let told: Vec<(i64, String, Option<String>, Option<String>)> = import_rows::table
        .select((
            import_rows::row_number,
            import_rows::verdict,
            import_rows::reason,
            import_rows::note,
        ))
        .load(db)
        .unwrap();
    lines.extend(told.iter().map(|row| format!("row {row:?}")));
    lines.sort();
    lines
}

/// Lets the time pass after which a run that says nothing has ended.
fn let_time_pass(db: &mut Db) {
    let touched: At = imports::table.select(imports::touched_at).first(db).unwrap();
    let before: At = (*touched - TimeDelta::hours(1)).into();
    diesel::update(imports::table).set(imports::touched_at.eq(before)).execute(db).unwrap();
}

/// Lets somebody take the import over in the middle of the batch that makes a problem.
fn take_over_at(db: &mut Db, slug: &str) {
    let update = "update imports set attempt = attempt + 1";
    let sql = match db {
        Db::Postgres(_) => format!(
            "create function take_over() returns trigger language plpgsql as \
               $$ begin {update}; return new; end $$; \
             create trigger take_over before insert on problems for each row \
               when (new.slug = '{slug}') execute function take_over()"
        ),
        Db::Sqlite(_) => format!(
            "create trigger take_over before insert on problems when new.slug = '{slug}' \
             begin {update}; end"
        ),
    };
    db.batch_execute(&sql).unwrap();
}

fn take_no_more_over(db: &mut Db) {
    let sql = match db {
        Db::Postgres(_) => "drop trigger take_over on problems",
        Db::Sqlite(_) => "drop trigger take_over",
    };
    db.batch_execute(sql).unwrap();
}

fn only(client: &Client) -> Value {
    let imports = all(client, "/api/v1/imports");
    assert_eq!(imports.len(), 1);
    client.get(&format!("/api/v1/imports/{}", imports[0]["id"])).expect(200).body
}

on_both! {
    fn it_ends_as_if_it_had_never_been_killed(database: Database) {
        let file = file();
        let mut process = Process::on(&database);
        let ada = registered(&process);
        let token = ada.token.clone().unwrap();
        // In the middle of the first solves, then of the other rows.
        for rows in [1000, 3500] {
            let ada = process.client().with_token(&token);
            thread::scope(|scope| {
                let sent = scope.spawn(|| request(&ada, &file).send());
                wait_for(&ada, rows);
                process.kill();
                // An answer that breaks off is none.
                assert!(sent.join().unwrap().and_then(Response::text).is_err());
            });
            process = Process::on(&database);
            let ada = process.client().with_token(&token);
            let running = only(&ada);
            assert_eq!(running["status"], "running");
            assert!((rows..4500).contains(&counts(&running)[0]), "{running}");
            let replayed = Answer::of(request(&ada, &file)).expect(200);
            assert_eq!(replayed.body, running);
            let mut db = database.connect();
            assert_hold(&mut db);
            let_time_pass(&mut db);
            let interrupted = only(&ada);
            assert_eq!(interrupted["status"], "failed");
            assert_eq!(interrupted["finished_at"], Value::Null);
            assert_eq!(counts(&interrupted), counts(&running));
        }
        let ada = process.client().with_token(&token);
        let report = Answer::of(request(&ada, &file)).expect(201).body;
        assert_eq!(report["status"], "completed");
        assert_eq!(only(&ada), report);
        let found = state(&mut database.connect());
        assert_hold(&mut database.connect());

        let other = Database::fresh(database.backend);
        let undisturbed = Process::on(&other);
        let ada = registered(&undisturbed);
        let clean = Answer::of(request(&ada, &file)).expect(201).body;
        assert_eq!(counts(&report), counts(&clean));
        let bare = |report: &Value| report["errors"].as_array().unwrap().clone();
        assert_eq!(bare(&report), bare(&clean));
        let expected = state(&mut other.connect());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected);
        }
        assert_eq!(found.len(), expected.len());
    }

    fn a_run_that_was_taken_over_can_do_nothing(server: Server) {
        let ada = server.register("ada");
        let file = file();
        let mut db = server.database.connect();
        take_over_at(&mut db, "p-1500");
        // It tells what there is of the import that another run has.
        let told = Answer::of(request(&ada, &file)).expect(200);
        assert_eq!(told.header("idempotency-replayed"), Some("true"));
        assert_eq!(told.body, only(&ada));
        assert_eq!(told.body["status"], "running");
        assert_eq!(counts(&told.body)[0], 1000, "nothing of the batch is stored");
        assert_hold(&mut db);
        take_no_more_over(&mut db);
        server.app.clock.advance(TimeDelta::seconds(59));
        Answer::of(request(&ada, &file)).expect(200);
        assert_eq!(only(&ada)["status"], "running");
        server.app.clock.advance(TimeDelta::seconds(1));
        assert_eq!(only(&ada)["status"], "failed");
        let report = Answer::of(request(&ada, &file)).expect(201).body;
        assert_eq!(counts(&report)[0], 4500);
        assert_hold(&mut db);
    }

    fn without_a_key_it_says_that_it_failed(server: Server) {
        let ada = server.register("ada");
        let row = json!([solved("two-sum", "2024-01-01T10:00:00Z")]).to_string();
        let send = || import(&ada, row.as_bytes());
        let id = send()["id"].as_i64().unwrap();
        let mut db = server.database.connect();
        // As if the process had ended before it could say that it was done.
        let none: Option<At> = None;
        diesel::update(imports::table.find(id))
            .set((imports::status.eq("running"), imports::finished_at.eq(none)))
            .execute(&mut db)
            .unwrap();
        assert_eq!(only(&ada)["status"], "running");
        server.app.clock.advance(TimeDelta::minutes(1));
        assert_eq!(only(&ada)["status"], "failed");
        assert_eq!(all(&ada, "/api/v1/imports")[0]["status"], "failed");
        assert_eq!(counts(&send()), [1, 0, 1, 0, 0, 0, 0]);
    }
}
