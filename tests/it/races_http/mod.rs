//! The main races as clients see them: many at once over real HTTP, on PostgreSQL against two
//! processes, on SQLite against one. Every answer is a documented one, the losers' too, and in the
//! end everything that is always true holds.

mod accounts;
mod deletions;
mod load;
mod people;
mod revisions;
mod rings;
mod submissions;

use crate::harness::{Client, Site};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};

/// How often each race is run on one site.
const ROUNDS: usize = 3;

/// An accepted submission.
fn accepted(slug: &str) -> Value {
    json!({"problem": {"platform": "leetcode", "slug": slug}, "verdict": "accepted"})
}

/// A problem that was solved so long ago that its revision is due; returns the receipt.
fn due(client: &Client, slug: &str) -> Value {
    let mut body = accepted(slug);
    #[expect(clippy::disallowed_methods, reason = "the processes have the system's clock")]
    let long_ago = Utc::now() - TimeDelta::days(30);
    body["happened_at"] = json!(long_ago);
    client.post_with_key("/api/v1/submissions", slug, &body).expect(201).body
}

/// The history of a solve.
fn history(client: &Client, solve: &Value) -> Value {
    client.get(&format!("/api/v1/solves/{}", solve["id"])).expect(200).body
}

/// XP in all, but for closed rings.
fn xp(client: &Client) -> i64 {
    let today = client.get("/api/v1/today").expect(200).body;
    let entries = client.get("/api/v1/xp/entries?limit=200").expect(200).body["items"].clone();
    let entries = entries.as_array().unwrap().iter();
    let closed = entries.filter(|entry| entry["reason"] == "ring_closed");
    let of_rings: i64 = closed.map(|entry| entry["amount"].as_i64().unwrap()).sum();
    today["xp"]["total"].as_i64().unwrap() - of_rings
}

/// How many submissions there are; further keys of theirs are none.
fn submissions(site: &Site) -> i64 {
    use diesel::prelude::*;
    use traverse::schema::submissions;
    submissions::table
        .filter(submissions::key_of.is_null())
        .count()
        .get_result(&mut site.connect())
        .unwrap()
}
