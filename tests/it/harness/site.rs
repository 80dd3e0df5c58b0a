//! An instance as it runs: on PostgreSQL two processes on one database, on SQLite one. And a crowd
//! of clients that come at once.

use super::server::PASSWORD;
use super::{Answer, Backend, Client, Database, Process, invariants};
use serde_json::json;
use std::sync::Barrier;
use std::thread;
use traverse::db::Db;

/// Clients that come at once.
pub const CROWD: usize = 64;

/// The processes of an instance and their database.
pub struct Site {
    pub processes: Vec<Process>,
    /// Behind the processes, so that it goes last.
    pub database: Database,
}

impl Site {
    pub fn fresh(backend: Backend) -> Self {
        let database = Database::fresh(backend);
        let processes = match backend {
            Backend::Postgres => 2,
            Backend::Sqlite => 1,
        };
        let processes = (0..processes).map(|_| Process::on(&database)).collect();
        Self { processes, database }
    }

    /// Registers somebody and returns a client with their session.
    pub fn register(&self, name: &str) -> Client {
        let client = self.processes[0].client();
        let account = json!({"email": format!("{name}@example.org"), "handle": name,
                             "password": PASSWORD});
        let answer = client.post("/api/v1/auth/register", &account).expect(201);
        client.with_token(answer.body["token"].as_str().unwrap())
    }

    /// So many clients with the token of `client`, over all processes, each with a connection that
    /// is open already.
    pub fn crowd(&self, client: &Client, size: usize) -> Crowd {
        let clients: Vec<Client> = (0..size)
            .map(|number| {
                let process = &self.processes[number % self.processes.len()];
                let mut fresh = Client::new(&process.url);
                fresh.token.clone_from(&client.token);
                fresh
            })
            .collect();
        thread::scope(|scope| {
            for client in &clients {
                scope.spawn(|| client.get("/healthz").expect(200));
            }
        });
        Crowd(clients)
    }

    /// Fails unless everything that is always true holds, and no process has had an error.
    pub fn check(&self) -> invariants::Findings {
        self.check_logs();
        invariants::assert_hold(&mut self.connect())
    }

    fn check_logs(&self) {
        for process in &self.processes {
            let log = process.log();
            let bad = |line: &&str| line.contains("\"ERROR\"") || line.contains("locked");
            let found: Vec<&str> = log.lines().filter(bad).collect();
            assert!(found.is_empty(), "{}", found.join("\n"));
            assert!(log.contains("listening"), "that is no log: {log}");
        }
    }

    pub fn connect(&self) -> Db {
        self.database.connect()
    }
}

/// Clients of one user.
pub struct Crowd(Vec<Client>);

impl Crowd {
    /// Lets all call at once, each with its number, and returns what they got.
    pub fn at_once<T: Send>(&self, call: impl Fn(&Client, usize) -> T + Sync) -> Vec<T> {
        let gate = Barrier::new(self.0.len());
        thread::scope(|scope| {
            let threads: Vec<_> = self
                .0
                .iter()
                .enumerate()
                .map(|(number, client)| {
                    let (gate, call) = (&gate, &call);
                    scope.spawn(move || {
                        gate.wait();
                        call(client, number)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }
}

/// How many answers have this status.
pub fn count(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
}

/// The only answer with this status.
#[track_caller]
pub fn only(answers: &[Answer], status: u16) -> &Answer {
    let mut found = answers.iter().filter(|answer| answer.status == status);
    let only = found.next().unwrap_or_else(|| panic!("no {status}: {:?}", statuses(answers)));
    assert_eq!(found.count(), 0, "more than one {status}: {:?}", statuses(answers));
    only
}

/// The statuses of all answers.
pub fn statuses(answers: &[Answer]) -> Vec<u16> {
    answers.iter().map(|answer| answer.status).collect()
}

/// Fails unless every answer has one of these statuses.
#[track_caller]
pub fn assert_among(answers: &[Answer], allowed: &[u16]) {
    for answer in answers {
        assert!(
            allowed.contains(&answer.status),
            "{} is none of {allowed:?}: {}",
            answer.status,
            String::from_utf8_lossy(&answer.bytes)
        );
    }
}
