//! What a worker runs: one list of all jobs, one list of all schedules.

use crate::app::App;
use crate::auth::reset::{MailReset, mail_reset};
use crate::broadcasts::fanout::{BroadcastFanout, fan_out};
use crate::digest::job::{self as digest, DailyDigest};
use crate::import::job::{RunImport, run_import};
use crate::import::settle::{SettleImports, settle_imports};
use crate::jobs::backend::Settings;
use crate::jobs::enqueue;
use crate::jobs::purge::{PurgeJobs, purge_jobs};
use crate::jobs::registry::Registry;
use crate::jobs::schedule::Schedule;
use crate::jobs::worker::Worker;
use crate::notifications::channels::{email, push};
use crate::problems::classify::batch::{ClassifyProblems, classify_problems};
use crate::problems::classify::job::{ClassifyProblem, classify_problem};
use crate::rings::pause_over::{SpreadPauses, spread_pauses};
use std::time::Duration;

/// How long a worker that is told to stop waits for what runs; as long as the server waits.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// All jobs.
#[must_use]
pub fn registry() -> Registry {
    Registry::default()
        .on::<PurgeJobs, _, _>(purge_jobs)
        .on::<RunImport, _, _>(run_import)
        .on::<SettleImports, _, _>(settle_imports)
        .on::<ClassifyProblem, _, _>(classify_problem)
        .on::<ClassifyProblems, _, _>(classify_problems)
        .on::<push::Drain, _, _>(push::run)
        .on::<MailReset, _, _>(mail_reset)
        .on::<email::Drain, _, _>(email::run)
        .on::<DailyDigest, _, _>(digest::daily_digest)
        .on::<SpreadPauses, _, _>(spread_pauses)
        .on::<BroadcastFanout, _, _>(fan_out)
}

/// All schedules, in UTC.
pub const SCHEDULES: &[Schedule] = &[
    Schedule {
        name: "purge-jobs",
        when: "0 23 4 * * *",
        enqueue: |db, _| enqueue(db, &PurgeJobs {}),
    },
    Schedule {
        name: "settle-imports",
        when: "0 */15 * * * *",
        enqueue: |db, _| enqueue(db, &SettleImports {}),
    },
    Schedule { name: "notification-push-drain", when: "0 * * * * *", enqueue: push::tick },
    Schedule { name: "notification-email-drain", when: "0 * * * * *", enqueue: email::tick },
    // At each full hour, in every zone, and often enough for an hour that is late in its day.
    Schedule { name: "daily-digest", when: "0 */5 * * * *", enqueue: digest::tick },
    // As a day begins, in every zone: their clocks differ by quarters of an hour.
    Schedule {
        name: "spread-pauses",
        when: "0 0/15 * * * *",
        enqueue: |db, _| enqueue(db, &SpreadPauses {}),
    },
];

/// Starts a worker on the runtime of the caller.
#[must_use]
pub fn start(app: &App) -> Worker {
    Worker::start(
        app.pool.clone(),
        Settings::default(),
        registry(),
        SCHEDULES,
        app.jobs.clone(),
        app.clone(),
    )
}
