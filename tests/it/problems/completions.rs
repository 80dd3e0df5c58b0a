//! A server that speaks the chat completions of the OpenAI API, and says what a test wants.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What it answers.
#[derive(Clone, Debug)]
pub struct Canned {
    pub status: &'static str,
    pub headers: &'static str,
    pub body: String,
    pub after: Duration,
}

impl Canned {
    pub fn text(status: &'static str, body: &str) -> Self {
        Self { status, headers: "", body: body.to_owned(), after: Duration::ZERO }
    }

    /// A completion with this text.
    pub fn saying(content: &str) -> Self {
        let message = json!({"role": "assistant", "content": content});
        let body = json!({"id": "c1", "object": "chat.completion", "model": "m",
                          "choices": [{"index": 0, "finish_reason": "stop", "message": message}]});
        Self::text("200 OK", &body.to_string())
    }
}

/// A request that came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub head: String,
    pub body: Value,
}

/// The server. It answers all requests alike until it is told otherwise.
pub struct Completions {
    pub url: String,
    says: Arc<Mutex<Canned>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Completions {
    pub fn start(says: Canned) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let says = Arc::new(Mutex::new(says));
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let (canned, log) = (Arc::clone(&says), Arc::clone(&asked));
        // It ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (canned, log) = (canned.lock().unwrap().clone(), Arc::clone(&log));
                std::thread::spawn(move || answer(stream.unwrap(), &canned, &log));
            }
        });
        Self { url, says, asked }
    }

    pub fn say(&self, says: Canned) {
        *self.says.lock().unwrap() = says;
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, canned: &Canned, log: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned))
        .map_or(0, |length| length.trim().parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    log.lock().unwrap().push(Asked { head, body });
    std::thread::sleep(canned.after);
    let Canned { status, headers, body, .. } = canned;
    // Whoever did not wait does not read it.
    drop(write!(
        stream,
        "HTTP/1.1 {status}\r\n{headers}content-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    ));
}
