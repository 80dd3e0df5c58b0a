//! What was sent, read by code of others: `http_ece` of npm decrypts it, Node's own crypto checks
//! who signed it. `scripts/judges` makes them ready, and a test that does not find them fails.

use crate::harness::devices::{AUTH, P256DH, PRIVATE};
use crate::harness::push_service::Received;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A message, as its device and its push service read it.
#[derive(Debug, Deserialize)]
pub struct Judged {
    pub payload: String,
    pub claims: Value,
    /// The public key of who signed it.
    pub key: String,
    /// Whether that is who did.
    pub signed: bool,
}

impl Judged {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.payload).unwrap()
    }
}

/// Has messages read that were sent to the device of the tests.
pub fn judge(messages: &[Received]) -> Vec<Judged> {
    let bodies: Vec<_> = messages
        .iter()
        .map(|one| (one.body.as_slice(), one.headers["authorization"].as_str()))
        .collect();
    read(&bodies)
}

/// As [`judge`], of bodies and headers.
pub fn read(messages: &[(&[u8], &str)]) -> Vec<Judged> {
    let messages: Vec<_> = messages
        .iter()
        .map(|(body, authorization)| {
            json!({"body": BASE64_URL_SAFE_NO_PAD.encode(body), "authorization": authorization})
        })
        .collect();
    let input = json!({"private": PRIVATE, "public": P256DH, "auth": AUTH, "messages": messages});
    let home = std::env::var("TRAVERSE_JUDGES_NODE")
        .expect("TRAVERSE_JUDGES_NODE names the judges; run `scripts/test`");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges/push/judge.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .env("TRAVERSE_JUDGES_NODE", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the judge is there");
    node.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let done = node.wait_with_output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}
