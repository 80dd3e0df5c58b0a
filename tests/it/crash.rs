//! `kill -9` in the middle of a load. Whatever was acknowledged is there with all that it caused,
//! nothing is there by halves, and a retry ends in exactly one.

use crate::harness::{Client, Database, Process, invariants, on_both};
use chrono::{TimeDelta, Utc};
use diesel::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use traverse::db::Db;
use traverse::schema::submissions;

const PATH: &str = "/api/v1/submissions";

/// Clients that submit at once.
const CLIENTS: usize = 16;

/// How often the process is killed: `TRAVERSE_KILLS` says more.
fn kills() -> usize {
    std::env::var("TRAVERSE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(10)
}

/// A submission that was sent, and what came back, if anything did.
struct Sent {
    key: String,
    body: Value,
    answer: Option<Value>,
}

on_both! {
    fn what_was_acknowledged_outlives_a_kill(database: Database) {
        let mut all: Vec<Sent> = Vec::new();
        let mut token: Option<String> = None;
        let mut unanswered = 0;
        let kills = kills();
        for round in 0..kills {
            let mut process = Process::on(&database);
            let client = match &token {
                Some(token) => process.client().with_token(token),
                None => registered(&process),
            };
            token.clone_from(&client.token);
            let sent = submit_until_killed(&mut process, &client, round);
            assert!(!process.log().contains("\"ERROR\""), "{}", process.log());
            unanswered += sent.iter().filter(|sent| sent.answer.is_none()).count();
            all.extend(sent);
            assert_acknowledged(&mut database.connect(), &all);
            invariants::assert_hold(&mut database.connect());
        }
        assert!(unanswered >= kills, "only {unanswered} submissions were in flight");
        assert!(all.len() - unanswered >= 20 * kills, "only {} were acknowledged", all.len());
        let stored = invariants::assert_hold(&mut database.connect()).submissions;
        retry(&Process::on(&database), token.as_deref().unwrap(), &all);
        let found = invariants::assert_hold(&mut database.connect());
        assert_eq!(found.submissions, all.len());
        let acknowledged = all.len() - unanswered;
        println!(
            "{kills} kills: {acknowledged} acknowledged, none lost; {unanswered} not answered, {} \
             of them stored",
            stored - acknowledged
        );
    }
}

fn registered(process: &Process) -> Client {
    let client = process.client();
    let account = json!({"email": "ada@example.org", "password": "correct horse battery"});
    let answer = client.post("/api/v1/auth/register", &account).expect(201);
    client.with_token(answer.body["token"].as_str().unwrap())
}

/// A load of new and further solves, late ones too; after some answers the process is killed.
fn submit_until_killed(process: &mut Process, client: &Client, round: usize) -> Vec<Sent> {
    let answered = AtomicUsize::new(0);
    let enough = 30 + round * 7 % 40;
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (answered, client) = (&answered, client.clone());
                scope.spawn(move || submit_until_refused(&client, round, number, answered))
            })
            .collect();
        while answered.load(Ordering::Relaxed) < enough {
            thread::yield_now();
        }
        process.kill();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    })
}

fn submit_until_refused(
    client: &Client,
    round: usize,
    number: usize,
    answered: &AtomicUsize,
) -> Vec<Sent> {
    let mut all = Vec::new();
    for turn in 0.. {
        let key = format!("k{round}-{number}-{turn}");
        let body = body(round, number, turn);
        let request = client.request(reqwest::Method::POST, PATH).header("Idempotency-Key", &key);
        // An answer that breaks off is none.
        let answer = request.json(&body).send().and_then(|answer| {
            assert_eq!(answer.status(), 201);
            answer.json::<Value>()
        });
        let ended = answer.is_err();
        all.push(Sent { key, body, answer: answer.ok() });
        if ended {
            break;
        }
        answered.fetch_add(1, Ordering::Relaxed);
    }
    all
}

fn body(round: usize, number: usize, turn: usize) -> Value {
    let slug = format!("p{}", (round * 5 + number + turn) % 60);
    #[expect(clippy::disallowed_methods, reason = "the process has the system's clock")]
    let now = Utc::now();
    let days = i64::try_from((number * 7 + turn * 3) % 40).unwrap();
    json!({"problem": {"platform": "leetcode", "slug": slug}, "verdict": "accepted",
           "happened_at": now - TimeDelta::days(days)})
}

/// Each acknowledged submission is there, once, under the number that its answer had.
fn assert_acknowledged(db: &mut Db, all: &[Sent]) {
    let rows: Vec<(Option<String>, i64)> = submissions::table
        .select((submissions::idempotency_key, submissions::id))
        .load(db)
        .unwrap();
    let count = rows.len();
    let rows: HashMap<String, i64> = rows.into_iter().map(|(key, id)| (key.unwrap(), id)).collect();
    assert_eq!(rows.len(), count);
    for sent in all {
        if let Some(answer) = &sent.answer {
            let id = answer["submission"]["id"].as_i64();
            assert_eq!(rows.get(&sent.key).copied(), id, "{} is lost", sent.key);
        }
    }
}

/// Sends everything again: what was acknowledged is answered as before, the rest is there now.
fn retry(process: &Process, token: &str, all: &[Sent]) {
    let client = process.client().with_token(token);
    for sent in all {
        let again = client.post_with_key(PATH, &sent.key, &sent.body);
        match &sent.answer {
            Some(first) => {
                let again = again.expect(200);
                for what in ["first_solve", "xp_awarded", "revisions_completed", "next_revisions"] {
                    assert_eq!(again.body[what], first[what], "{what} of {}", sent.key);
                }
                assert_eq!(again.body["submission"]["id"], first["submission"]["id"]);
            }
            None => assert!([200, 201].contains(&again.status), "{again:?}"),
        }
    }
}
