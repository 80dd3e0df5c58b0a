//! Kills at a chosen call of the database: the k-th statement, `BEGIN` or `COMMIT` that any
//! connection to one database makes never happens, and what made it unwinds.

use super::Database;
use actix_web::rt::System;
use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use traverse::db::Location;
use traverse::db::pool::Pool;
use traverse::jobs::worker::Worker;

/// Calls until the kill, by the address of the database.
static ARMED: LazyLock<Mutex<HashMap<String, Arc<AtomicI64>>>> = LazyLock::new(Mutex::default);

/// A kill that may have happened.
pub struct Kill(Arc<AtomicI64>);

impl Kill {
    /// Watches the connections that are opened from now on.
    pub fn watch(database: &Database) -> Self {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            set_default_instrumentation(|| Some(Box::new(Watch::default()))).unwrap();
        });
        let left = Arc::<AtomicI64>::default();
        lock().insert(address(database), Arc::clone(&left));
        Self(left)
    }

    /// Arms it: the `call`-th call from now on, counted from 1, does not happen.
    pub fn arm(&self, call: i64) {
        self.0.store(call, Ordering::SeqCst);
    }

    /// How many calls are still to come before the kill.
    pub fn left(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Whether it has happened.
    pub fn has_struck(&self) -> bool {
        self.0.load(Ordering::SeqCst) < 0
    }

    /// Lets everybody live from now on; whether it had happened.
    pub fn disarm(self, database: &Database) -> bool {
        lock().remove(&address(database));
        let struck = self.has_struck();
        self.0.store(0, Ordering::SeqCst);
        struck
    }
}

/// How soon a life ends, on a busy machine too: an attempt that fails since that one was too busy is
/// repeated after a minute and a bit.
const SOON: Duration = Duration::from_secs(150);

/// One life of a process with a worker: until nothing is to be done, or until it is killed at a call
/// (0: it never is). Whether it was.
pub fn live(
    database: &Database,
    call: i64,
    start: impl FnOnce(Pool) -> Worker,
    mut is_done: impl FnMut() -> bool,
) -> bool {
    let kill = Kill::watch(database);
    // All connections are open before anybody counts.
    let pool = Pool::open(&database.location, 1).unwrap();
    let own = pool.clone();
    System::new().block_on(async {
        kill.arm(call);
        let _worker = start(own);
        let began = Instant::now();
        while !kill.has_struck() && !is_done() {
            assert!(began.elapsed() < SOON, "neither done nor killed");
            actix_web::rt::time::sleep(Duration::from_millis(5)).await;
        }
        // The runtime ends, and with it everything that the worker was at.
    });
    // The thread that writes to SQLite is none of the runtime's: nothing of it may come later.
    pool.close();
    kill.disarm(database)
}

fn lock() -> std::sync::MutexGuard<'static, HashMap<String, Arc<AtomicI64>>> {
    ARMED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn address(database: &Database) -> String {
    match &database.location {
        Location::Postgres(text) | Location::Sqlite(text) => bare(text).to_owned(),
    }
}

/// A URL without what it is opened with: how long to wait.
fn bare(url: &str) -> &str {
    url.split('?').next().unwrap_or(url)
}

/// Watches one connection.
#[derive(Default)]
struct Watch(Option<Arc<AtomicI64>>);

impl Instrumentation for Watch {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartEstablishConnection { url, .. } => {
                self.0 = lock().get(bare(url)).cloned();
            }
            InstrumentationEvent::StartQuery { .. }
            | InstrumentationEvent::CommitTransaction { .. } => self.count(),
            _ => {}
        }
    }
}

impl Watch {
    fn count(&self) {
        let Some(left) = &self.0 else { return };
        // From 1 it goes to -1, so that 0 stays "never".
        let strikes = left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| match left {
                ..=0 => None,
                1 => Some(-1),
                _ => Some(left - 1),
            })
            .is_ok_and(|before| before == 1);
        // While something else unwinds, a second panic would end the process.
        assert!(!strikes || std::thread::panicking(), "killed at a call of the database");
    }
}
