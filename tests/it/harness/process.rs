//! The real binary, as an operator starts it.

use super::{Backend, Client, Database};
use std::fs::File;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A running `traverse serve` on a database of its own. It is killed when it is dropped.
pub struct Process {
    child: Child,
    pub url: String,
    log: PathBuf,
    _database: Database,
}

impl Process {
    /// Starts the binary, and waits until it is ready.
    pub fn fresh(backend: Backend) -> Self {
        let database = Database::fresh(backend);
        // Somebody else may take the port in between, but then it is no longer a free one.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let name = format!("traverse-{}-{}.log", std::process::id(), address.port());
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let child = Command::new(env!("CARGO_BIN_EXE_traverse"))
            .arg("serve")
            .env("DATABASE_URL", database.url())
            .env("TRAVERSE_LISTEN", address.to_string())
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let process = Self { child, url: format!("http://{address}"), log, _database: database };
        let began = Instant::now();
        while !process.is_ready() {
            assert!(began.elapsed() < Duration::from_secs(30), "{}", process.log());
            std::thread::sleep(Duration::from_millis(20));
        }
        process
    }

    fn is_ready(&self) -> bool {
        let request = self.client().request(reqwest::Method::GET, "/readyz");
        request.send().is_ok_and(|answer| answer.status() == 200)
    }

    /// A client without a token.
    pub fn client(&self) -> Client {
        Client::new(&self.url)
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([format!("-{name}"), pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for the end.
    pub fn wait(&mut self, limit: Duration) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < limit, "it does not end: {}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(std::fs::remove_file(&self.log));
    }
}
