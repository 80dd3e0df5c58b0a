//! Sending files to be imported.

use crate::harness::{Answer, Client};
use reqwest::Method;
use serde_json::{Value, json};

/// Sends a file as the body.
pub fn send(client: &Client, query: &str, media_type: &str, body: &[u8]) -> Answer {
    let path = format!("/api/v1/imports{query}");
    let request = client.request(Method::POST, &path).header("content-type", media_type);
    Answer::of(request.body(body.to_vec()))
}

/// Imports a file, and returns the report.
#[track_caller]
pub fn import(client: &Client, body: &[u8]) -> Value {
    send(client, "", "application/json", body).expect(201).body
}

/// Imports rows of Traverse's own format.
#[track_caller]
pub fn import_rows(client: &Client, rows: &[Value]) -> Value {
    import(client, json!(rows).to_string().as_bytes())
}

/// An accepted solve of a problem of LeetCode.
pub fn solved(slug: &str, at: &str) -> Value {
    json!({"problem": {"platform": "leetcode", "slug": slug}, "verdict": "accepted",
           "happened_at": at})
}

/// The same with other members.
pub fn with(mut row: Value, members: &Value) -> Value {
    row.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    row
}

/// The counts of a report, in the order of the API.
pub fn counts(report: &Value) -> [i64; 7] {
    [
        "received",
        "imported",
        "skipped_existing",
        "duplicates_in_batch",
        "ignored",
        "ambiguous",
        "rejected",
    ]
    .map(|name| report[name].as_i64().unwrap())
}

/// The verdict of each row of an import.
pub fn verdicts(client: &Client, report: &Value) -> Vec<String> {
    let rows = all(client, &format!("/api/v1/imports/{}/rows", report["id"]));
    rows.iter().map(|row| row["verdict"].as_str().unwrap().to_owned()).collect()
}

/// What each row of an import is noted to have changed.
pub fn noted(client: &Client, report: &Value) -> Vec<Value> {
    let rows = all(client, &format!("/api/v1/imports/{}/rows", report["id"]));
    rows.iter().map(|row| row["note"].clone()).collect()
}

/// All items of a list, page by page.
pub fn all(client: &Client, path: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut cursor = String::new();
    loop {
        let joint = if path.contains('?') { '&' } else { '?' };
        let page = client.get(&format!("{path}{joint}limit=200{cursor}")).expect(200).body;
        items.extend(page["items"].as_array().unwrap().iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return items,
        }
    }
}

/// The only solve of a user, with its history.
pub fn only_solve(client: &Client) -> Value {
    let solves = all(client, "/api/v1/solves");
    assert_eq!(solves.len(), 1, "{solves:?}");
    client.get(&format!("/api/v1/solves/{}", solves[0]["id"])).expect(200).body
}
