//! The job that tells a broadcast: a walk over the accounts, step by step, from wherever the last
//! runner came to.

use super::{next_batch, tell};
use crate::app::App;
use crate::db::tx::{Stopped, Work};
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{Failed, Job};
use apalis_core::task::data::Data;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Tells a broadcast, `broadcast-fanout-<its number>`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct BroadcastFanout {
    /// Which.
    pub broadcast_id: i64,
}

impl Job for BroadcastFanout {
    const KIND: &'static str = "broadcast-fanout";
    const MODE: Mode = Mode::Once;
    const PRIORITY: i32 = -5;
    // What was told stays told, so that each further attempt has less to do.
    const MAX_ATTEMPTS: i32 = 100;
    const TIMEOUT: Duration = Duration::from_hours(1);

    fn id(&self) -> String {
        format!("{}-{}", Self::KIND, self.broadcast_id)
    }
}

/// Runs it. In memory there is one step at a time.
///
/// # Errors
/// [`Failed::Stale`] where another runner is ahead; when the database fails: what was told stays told,
/// and the rest is for the next attempt.
pub async fn fan_out(job: BroadcastFanout, app: Data<App>, lease: Lease) -> Result<(), Failed> {
    let id = job.broadcast_id;
    while !lease.is_lost() {
        let batch: Work<_> = app.pool.read(move |db| Ok(next_batch(db, id)?)).await;
        let Some(batch) = batch? else {
            return lease.finish(&app.pool, |_| Ok(())).await;
        };
        let now = app.clock.now();
        if batch.is_last {
            return lease.finish(&app.pool, move |db| ahead(tell(db, &batch, now)?)).await;
        }
        app.pool.write(move |db| ahead(tell(db, &batch, now)?)).await?;
    }
    Err(Failed::Stale)
}

/// Whoever finds the cursor moved is not the runner any more, and stops.
fn ahead(has_moved: bool) -> Work<(), Failed> {
    if has_moved { Ok(()) } else { Err(Stopped::Because(Failed::Stale)) }
}
