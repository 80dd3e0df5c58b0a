//! A worker process with jobs of the tests: this very test binary, run once more.
//!
//! It stops as `traverse worker` does, and says on standard error which attempt begins and ends.

use crate::harness::{Database, Process};
use crate::jobs::effect;
use apalis_core::task::data::Data;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::time::Duration;
use traverse::cli::serve::work_until_told;
use traverse::db::Location;
use traverse::db::pool::Pool;
use traverse::jobs::backend::Settings;
use traverse::jobs::lease::Lease;
use traverse::jobs::model::Mode;
use traverse::jobs::registry::Registry;
use traverse::jobs::tally::Tally;
use traverse::jobs::worker::Worker;
use traverse::jobs::{Failed, Job};

/// The lease of most jobs of the tests.
pub const LEASE: Duration = Duration::from_millis(1500);
/// How often a worker looks for leases that ran out.
pub const SWEEP: Duration = Duration::from_millis(300);
/// How often a worker looks for jobs, up to a quarter more.
pub const POLL: Duration = Duration::from_millis(200);
/// How many jobs one process runs at once.
pub const SLOTS: usize = 8;

/// Where the process finds its database.
const DATABASE: &str = "TRAVERSE_TEST_WORKER";

/// Says what a job of the tests is: its kind, its lease, its attempts.
macro_rules! job {
    ($(#[$meta:meta])* $name:ident, $kind:literal, $lease:expr, $attempts:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Serialize, Deserialize)]
        pub struct $name {
            /// What names it.
            pub number: usize,
            /// How long it takes, in milliseconds.
            pub takes: u64,
        }

        impl Job for $name {
            const KIND: &'static str = $kind;
            const MODE: Mode = Mode::Once;
            const MAX_ATTEMPTS: i32 = $attempts;
            const LEASE: Duration = $lease;

            fn id(&self) -> String {
                format!(concat!($kind, "-{}"), self.number)
            }
        }
    };
}

job!(
    /// It ends in the transaction of its effect.
    Deed, "deed", LEASE, 10
);
job!(
    /// It has no effect, and is acknowledged behind its end.
    Call, "call", LEASE, 10
);
job!(
    /// As a [`Call`], with a lease that outlives an outage: as long as those of most real jobs.
    Steady, "steady", Duration::from_mins(2), 10
);
job!(
    /// It ends the process.
    Abort, "abort", LEASE, 3
);
job!(
    /// It panics.
    Panic, "panic", LEASE, 1
);

/// One line, written at once: it stays whole whatever happens to the process.
fn say(what: &str, lease: &Lease) {
    let line = format!("{what} {} {}\n", lease.held().id, lease.attempt());
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

fn registry() -> Registry {
    async fn take(lease: &Lease, takes: u64) {
        say("began", lease);
        tokio::time::sleep(Duration::from_millis(takes)).await;
    }
    Registry::default()
        .on::<Deed, _, _>(|job: Deed, pool: Data<Pool>, lease: Lease| async move {
            take(&lease, job.takes).await;
            let what = job.id();
            let ended = lease.finish(&pool, move |db| Ok(effect(db, &what)?)).await;
            match ended {
                Err(Failed::Stale) => say("stale", &lease),
                _ => say("ended", &lease),
            }
            ended
        })
        .on::<Call, _, _>(|job: Call, lease: Lease| async move {
            take(&lease, job.takes).await;
            say("ended", &lease);
            Ok::<(), Failed>(())
        })
        .on::<Steady, _, _>(|job: Steady, lease: Lease| async move {
            take(&lease, job.takes).await;
            say("ended", &lease);
            Ok::<(), Failed>(())
        })
        .on::<Abort, _, _>(|job: Abort, lease: Lease| async move {
            take(&lease, job.takes).await;
            if job.takes < u64::MAX {
                std::process::abort();
            }
            Ok::<(), Failed>(())
        })
        .on::<Panic, _, _>(|job: Panic, lease: Lease| async move {
            take(&lease, job.takes).await;
            assert_eq!(job.takes, u64::MAX, "on purpose");
            Ok::<(), Failed>(())
        })
}

/// Starts one, and waits until it works.
pub fn start(database: &Database) -> Process {
    Process::role(database, "faults::worker::role", DATABASE)
}

#[test]
#[ignore = "it is a process that other tests start"]
fn role() {
    let url = std::env::var(DATABASE).expect("only other tests start it");
    traverse::log::start(&"info".parse().unwrap());
    let pool = Pool::open(&Location::parse(&url).unwrap(), 8).unwrap();
    let tally = Tally::new().unwrap();
    let settings = Settings { slots: SLOTS, poll: POLL, sweep: SWEEP };
    work_until_told(|| {
        Worker::start(pool.clone(), settings, registry(), &[], tally.clone(), pool.clone())
    })
    .unwrap();
    pool.close();
    let (stale, released) = (tally.stale.get(), tally.released.get());
    std::io::stderr().write_all(format!("counted {stale} {released}\n").as_bytes()).unwrap();
}
