//! A PostgreSQL server of a test's own, which it may take away.

use super::Database;
use diesel::connection::SimpleConnection;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use traverse::db::{Db, Location, migrate};

/// A server that keeps what it has committed. It ends when this is dropped, or when the test dies.
pub struct Cluster {
    child: Child,
    url: String,
    data: String,
}

/// How a server ends.
#[derive(Clone, Copy, Debug)]
pub enum Shutdown {
    /// It ends every session, and then in order.
    Fast,
    /// It ends as in a crash, and recovers at its next start.
    Immediate,
}

/// Says where the server is, then waits until nobody is at the other end of the pipe.
const RUN: &str = r#"exec "$0" run --durable bash -c \
    'echo "$TRAVERSE_TEST_POSTGRES $TRAVERSE_TEST_POSTGRES_DATA"; exec cat <&3' 3<&0"#;

fn script() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/postgres")
}

impl Cluster {
    pub fn start() -> Self {
        let mut child = Command::new("bash")
            .args(["-c", RUN, script()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (url, data) = line.trim().split_once(' ').expect("the cluster has started");
        Self { child, url: url.to_owned(), data: data.to_owned() }
    }

    /// A migrated database on it.
    pub fn database(&self) -> Database {
        let at = |name: &str| Location::Postgres(format!("{}/{name}", self.url));
        Db::open(&at("postgres")).unwrap().batch_execute("create database faults").unwrap();
        migrate::run(&at("faults")).unwrap();
        Database::elsewhere(at("faults"))
    }

    pub fn down(&self, how: Shutdown) {
        let mode = match how {
            Shutdown::Fast => "fast",
            Shutdown::Immediate => "immediate",
        };
        run(&["down", &self.data, mode]);
    }

    pub fn up(&self) {
        run(&["up", &self.data]);
    }
}

fn run(arguments: &[&str]) {
    let status = Command::new(script()).args(arguments).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{arguments:?}");
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        drop(self.child.wait());
    }
}
