//! Sending files to be imported.

use crate::harness::{Answer, Client};
use reqwest::Method;
use serde_json::Value;

/// What the query of an import says beside nothing.
pub const PLAIN: &str = "";

/// Sends a file as the body.
pub fn send(client: &Client, query: &str, media_type: &str, body: &[u8]) -> Answer {
    let path = format!("/api/v1/imports{query}");
    let request = client.request(Method::POST, &path).header("content-type", media_type);
    Answer::of(request.body(body.to_vec()))
}

/// Sends JSON that is imported, and returns the report.
#[track_caller]
pub fn import(client: &Client, body: &[u8]) -> Value {
    send(client, PLAIN, "application/json", body).expect(201).body
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
