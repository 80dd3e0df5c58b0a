//! A mail server on loopback, which is code of others: `aiosmtpd`, with STARTTLS and a certificate of
//! its own. `scripts/judges` makes it ready, and a test that does not find it fails.

use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use traverse::mail::settings::{Insistence, Raw, Settings};

/// A letter that came.
#[derive(Clone, Debug, Deserialize)]
pub struct Arrived {
    pub to: Vec<String>,
    pub tls: bool,
    /// Whom it is from.
    pub from: String,
    /// By their names in lower case.
    pub headers: HashMap<String, String>,
    pub text: String,
    pub html: String,
}

/// The server; it ends with this.
pub struct MailServer {
    process: Child,
    port: u64,
    letters: Arc<Mutex<Vec<Arrived>>>,
    files: TempDir,
}

impl MailServer {
    pub fn start() -> Self {
        let files = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let (certificate, key) = (files.path().join("cert.pem"), files.path().join("key.pem"));
        std::fs::write(&certificate, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        let python = std::env::var("TRAVERSE_JUDGES_PYTHON")
            .expect("TRAVERSE_JUDGES_PYTHON names the judges; run `scripts/test`");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges/smtp/server.py");
        let mut process = Command::new(python)
            .arg(script)
            .args([&certificate, &key])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the mail server is there");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let letters = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&letters);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                kept.lock().unwrap().push(serde_json::from_str(&line).unwrap());
            }
        });
        Self { process, port: first["port"].as_u64().unwrap(), letters, files }
    }

    /// How an instance is told of it.
    pub fn settings(&self) -> Settings {
        let (url, ca) = (
            format!("smtp://localhost:{}", self.port),
            self.files.path().join("cert.pem").display().to_string(),
        );
        let raw = Raw {
            url: Some(&url),
            user: None,
            password: None,
            from: Some("Traverse <noreply@example.org>"),
            tls: Insistence::Required,
            ca: Some(&ca),
        };
        Settings::read(raw).unwrap().unwrap()
    }

    /// All that came so far.
    pub fn letters(&self) -> Vec<Arrived> {
        self.letters.lock().unwrap().clone()
    }

    /// Waits until so many have come.
    pub fn wait_for(&self, count: usize) -> Vec<Arrived> {
        let began = Instant::now();
        loop {
            let letters = self.letters();
            if letters.len() >= count {
                return letters;
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{letters:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
