//! Callers at once, each with a connection, let go by a barrier.

use super::{Backend, Database};
use std::sync::{Barrier, Mutex};
use std::thread;
use traverse::db::Db;

/// SQLite has one write lock; with a connection for each of 64 callers they starve each other.
const SQLITE_CONNECTIONS: usize = 4;

/// How often each number of callers races.
pub fn rounds(backend: Backend, callers: usize) -> usize {
    match (backend, callers) {
        (Backend::Sqlite, 64..) => 3,
        _ => 50,
    }
}

/// Callers that race again and again over the same connections.
pub struct Racers {
    connections: Vec<Mutex<Db>>,
    callers: usize,
}

impl Racers {
    /// Opens the connections of so many callers.
    pub fn new(database: &Database, callers: usize) -> Self {
        let connections = match database.backend {
            Backend::Postgres => callers,
            Backend::Sqlite => callers.min(SQLITE_CONNECTIONS),
        };
        let connections = (0..connections).map(|_| Mutex::new(database.connect())).collect();
        Self { connections, callers }
    }

    /// Starts all callers at once and returns what each of them got. The call gets its number.
    pub fn race<T: Send>(&self, call: impl Fn(&mut Db, usize) -> T + Sync) -> Vec<T> {
        let gate = Barrier::new(self.callers);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.callers)
                .map(|number| {
                    let (gate, call) = (&gate, &call);
                    let connection = &self.connections[number % self.connections.len()];
                    scope.spawn(move || {
                        gate.wait();
                        call(&mut connection.lock().unwrap(), number)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }
}

/// Runs `round` the prescribed number of times with 2, 8 and 64 callers. It gets the callers and a
/// number that no other round has.
pub fn race_rounds(database: &Database, mut round: impl FnMut(&Racers, usize)) {
    let mut number = 0;
    for callers in [2, 8, 64] {
        let racers = Racers::new(database, callers);
        for _ in 0..rounds(database.backend, callers) {
            round(&racers, number);
            number += 1;
        }
    }
}
