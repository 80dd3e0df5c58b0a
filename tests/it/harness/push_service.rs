//! A push service on loopback: takes messages over plain HTTP, keeps them, and answers as the test
//! says.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// A message that came.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
    /// What was answered.
    pub status: u16,
    pub at: Instant,
}

impl Received {
    /// The notification that it is of: its topic says so.
    pub fn notification(&self) -> i64 {
        self.headers["topic"].strip_prefix('n').unwrap().parse().unwrap()
    }

    pub fn is_taken(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// What is answered.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// After so long.
    pub delay: Duration,
}

impl Reply {
    pub fn of(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new(), delay: Duration::ZERO }
    }

    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

type Answer = dyn Fn(&str, usize) -> Reply + Send + Sync;

/// What it does, and what it has seen.
struct Desk {
    received: Mutex<Vec<Received>>,
    /// How many messages came to each path.
    counts: Mutex<HashMap<String, usize>>,
    answer: Mutex<Arc<Answer>>,
}

/// The service; it takes messages for as long as the process lives.
#[derive(Clone)]
pub struct PushService {
    pub url: String,
    desk: Arc<Desk>,
}

impl PushService {
    /// One that takes everything.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let desk = Arc::new(Desk {
            received: Mutex::default(),
            counts: Mutex::default(),
            answer: Mutex::new(Arc::new(|_: &str, _| Reply::of(201))),
        });
        let shared = Arc::clone(&desk);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let desk = Arc::clone(&shared);
                // Whoever breaks off in the middle has sent nothing.
                thread::spawn(move || drop(serve(&desk, &stream)));
            }
        });
        Self { url, desk }
    }

    /// How it answers from now on: by the path, and by how many messages came to it before.
    pub fn answers(&self, answer: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) {
        *self.desk.answer.lock().unwrap() = Arc::new(answer);
    }

    /// All that came.
    pub fn received(&self) -> Vec<Received> {
        self.desk.received.lock().unwrap().clone()
    }

    /// What came to one path: the statuses that were answered.
    pub fn statuses(&self, path: &str) -> Vec<u16> {
        let all = self.received();
        all.iter().filter(|one| one.path == path).map(|one| one.status).collect()
    }
}

fn serve(desk: &Desk, stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut headers = HashMap::new();
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let reply = {
            let mut received = desk.received.lock().unwrap();
            let mut counts = desk.counts.lock().unwrap();
            let count = counts.entry(path.clone()).or_default();
            let answer = Arc::clone(&desk.answer.lock().unwrap());
            let reply = answer(&path, *count);
            *count += 1;
            let status = reply.status;
            received.push(Received { path, headers, body, status, at: Instant::now() });
            reply
        };
        thread::sleep(reply.delay);
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 {} Test\r\nContent-Length: {}\r\n",
            reply.status,
            reply.body.len()
        )?;
        for (name, value) in &reply.headers {
            write!(stream, "{name}: {value}\r\n")?;
        }
        stream.write_all(b"\r\n")?;
        stream.write_all(&reply.body)?;
    }
}
