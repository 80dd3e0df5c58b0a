//! The load generator: threads with one kept connection each, that send the next request as soon
//! as the answer to the last one is here. It does as little as it can, since it runs on the cores
//! of what it measures.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// One kept connection.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// What came back.
pub struct Answer<'a> {
    pub status: u16,
    pub head: &'a str,
    pub body: &'a [u8],
}

impl Connection {
    pub fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(10))).unwrap();
        Self { stream, buffer: vec![0; 1 << 16] }
    }

    /// Sends a request and reads the whole answer.
    pub fn send(&mut self, request: &[u8]) -> Answer<'_> {
        self.stream.write_all(request).unwrap();
        let mut filled = 0;
        let (head, length) = loop {
            filled += self.read(filled);
            if let Some(end) = find(&self.buffer[..filled], b"\r\n\r\n") {
                let head = std::str::from_utf8(&self.buffer[..end]).unwrap();
                break (end + 4, content_length(head));
            }
        };
        while filled < head + length {
            filled += self.read(filled);
        }
        let text = std::str::from_utf8(&self.buffer[..head]).unwrap();
        let status = text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap();
        Answer { status, head: text, body: &self.buffer[head..head + length] }
    }

    fn read(&mut self, filled: usize) -> usize {
        if filled == self.buffer.len() {
            self.buffer.resize(filled * 2, 0);
        }
        let read = self.stream.read(&mut self.buffer[filled..]).unwrap();
        assert!(read > 0, "the server closed the connection");
        read
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn content_length(head: &str) -> usize {
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map_or(0, |(_, value)| value.trim().parse().unwrap())
}

impl Answer<'_> {
    /// Ends the run if it is not as expected.
    pub fn expect(&self, status: u16) -> &Self {
        let body = String::from_utf8_lossy(self.body);
        assert_eq!(self.status, status, "{}{body}", self.head);
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(self.body).unwrap()
    }

    pub fn header(&self, wanted: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value)
    }
}

/// What was achieved.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Requests a second.
    pub rate: f64,
    /// Requests in all.
    pub sent: f64,
}

/// Sends requests over `connections` for `time`. `request` gets the number of the connection
/// and how many it has sent; each answer must have `status`.
pub fn rate(
    address: SocketAddr,
    connections: usize,
    time: Duration,
    status: u16,
    request: impl Fn(usize, usize) -> Vec<u8> + Sync,
) -> Load {
    let (gate, stop) = (Barrier::new(connections + 1), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections)
            .map(|number| {
                let (gate, stop, request) = (&gate, &stop, &request);
                scope.spawn(move || {
                    let mut connection = Connection::open(address);
                    gate.wait();
                    let mut sent = 0;
                    while !stop.load(Ordering::Relaxed) {
                        connection.send(&request(number, sent)).expect(status);
                        sent += 1;
                    }
                    sent
                })
            })
            .collect();
        gate.wait();
        let began = Instant::now();
        std::thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        let sent: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        let sent = number(sent);
        Load { rate: sent / began.elapsed().as_secs_f64(), sent }
    })
}

/// A count as a number to calculate with.
pub fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}
