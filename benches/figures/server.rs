//! The program itself, as its users run it: the release binary in a process of its own, on a
//! database of its own.

use super::load::Connection;
use diesel::connection::SimpleConnection;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use traverse::db::{Db, Location, migrate};

/// The two kinds of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    pub const BOTH: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// An empty database, which goes when it is dropped.
pub struct Database {
    pub location: Location,
    folder: tempfile::TempDir,
}

impl Database {
    /// A new one. PostgreSQL's is on the server of `scripts/postgres run --durable`.
    pub fn empty(backend: Backend) -> Self {
        Self::empty_named(backend, "bench")
    }

    fn empty_named(backend: Backend, name: &str) -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let location = match backend {
            Backend::Sqlite => {
                Location::Sqlite(folder.path().join("bench.db").to_str().unwrap().to_owned())
            }
            Backend::Postgres => {
                let mut db = Db::open(&Location::Postgres(postgres("postgres"))).unwrap();
                db.batch_execute(&format!("drop database if exists {name} with (force)")).unwrap();
                db.batch_execute(&format!("create database {name}")).unwrap();
                Location::Postgres(postgres(name))
            }
        };
        Self { location, folder }
    }

    /// A new one with the tables.
    pub fn migrated(backend: Backend) -> Self {
        Self::named(backend, "bench")
    }

    /// A new one with the tables, beside another one on the same server.
    pub fn named(backend: Backend, name: &str) -> Self {
        let database = Self::empty_named(backend, name);
        migrate::run(&database.location).unwrap();
        database
    }

    /// A connection of its own.
    pub fn connect(&self) -> Db {
        Db::open(&self.location).unwrap()
    }

    /// As `DATABASE_URL` wants it.
    pub fn url(&self) -> String {
        match &self.location {
            Location::Postgres(url) => url.clone(),
            Location::Sqlite(path) => format!("sqlite:{path}"),
        }
    }

    /// The path of SQLite's file, with an ending.
    pub fn file(&self, ending: &str) -> PathBuf {
        self.folder.path().join(format!("bench.db{ending}"))
    }
}

fn postgres(name: &str) -> String {
    let server = std::env::var("TRAVERSE_TEST_POSTGRES")
        .expect("TRAVERSE_TEST_POSTGRES names a PostgreSQL server; run `scripts/bench`");
    format!("{server}/{name}")
}

/// A running server; it ends when it is dropped.
pub struct Server {
    process: Child,
    pub address: SocketAddr,
    /// From the start of the process to its first answer.
    pub started_in: Duration,
}

impl Server {
    /// Starts one, with the settings that it has when nobody sets any, at a port that the system
    /// chooses: the log says which.
    pub fn start(database: &Database) -> Self {
        let log = database.folder.path().join("server.log");
        let file = File::create(&log).unwrap();
        let began = Instant::now();
        let ours = || env!("CARGO_BIN_EXE_traverse").to_owned();
        let mut process =
            Command::new(std::env::var("TRAVERSE_BENCH_BINARY").unwrap_or_else(|_| ours()))
                .arg("serve")
                .current_dir(database.folder.path())
                .env("DATABASE_URL", database.url())
                .env("TRAVERSE_LISTEN", "127.0.0.1:0")
                .env_remove("RUST_LOG")
                .stdin(Stdio::null())
                .stderr(file)
                .spawn()
                .unwrap();
        let address = loop {
            if let Some(address) = listens_at(&log) {
                break address;
            }
            let ended = process.try_wait().unwrap();
            assert!(ended.is_none() && began.elapsed() < Duration::from_mins(1), "no start");
            std::thread::sleep(Duration::from_micros(200));
        };
        let mut connection = Connection::open(address);
        connection.send(b"GET /healthz HTTP/1.1\r\nHost: traverse\r\n\r\n");
        Self { process, address, started_in: began.elapsed() }
    }

    /// Processor time that the process has used, in milliseconds, to the hundredth of a second.
    pub fn processor(&self) -> f64 {
        processor_of(self.process.id())
    }

    /// A figure of the process in bytes: `VmRSS` is what it has in memory, `VmHWM` the most that
    /// it had.
    pub fn memory(&self, name: &str) -> f64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let kibibytes: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kibibytes * 1024.0
    }
}

/// Processor time that a process has used, in milliseconds, to the hundredth of a second.
pub fn processor_of(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The second field is a name in parentheses; user and system time are 14 and 15.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() * 10.0
}

/// Where a server listens, once its log says so.
fn listens_at(log: &Path) -> Option<SocketAddr> {
    std::fs::read_to_string(log).unwrap().lines().find_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        if line["message"] != "listening" {
            return None;
        }
        line["address"].as_str()?.parse().ok()
    })
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
