//! The queue sweeps up after itself.

use super::lease::Lease;
use super::model::Mode;
use super::{Failed, Job, store};
use crate::app::App;
use crate::db::tx::Work;
use apalis_core::task::data::Data;
use serde::{Deserialize, Serialize};

/// For how many seconds a job that ended is kept: seven days.
const KEPT: f64 = 7.0 * 86_400.0;
/// For how many seconds a tick is kept; the last one of a schedule stays for ever. Not longer than
/// somebody may want to look at them: of a schedule of every minute there are 1,440 a day.
const TICKS_KEPT: f64 = 2.0 * 86_400.0;
/// Rows in one transaction.
const BATCH: i64 = 1000;

/// Takes away jobs that ended long ago, and old ticks. What is dead stays until an admin looks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PurgeJobs {}

impl Job for PurgeJobs {
    const KIND: &'static str = "purge-jobs";
    const MODE: Mode = Mode::Coalesce;
    const PRIORITY: i32 = -10;

    fn id(&self) -> String {
        Self::KIND.to_owned()
    }
}

/// Runs it.
///
/// # Errors
/// When the database fails: what was taken away stays so, and the rest is for the next attempt.
pub async fn purge_jobs(_: PurgeJobs, app: Data<App>, lease: Lease) -> Result<(), Failed> {
    loop {
        let purged: Work<usize> = app.pool.write(|db| Ok(store::purge(db, KEPT, BATCH)?)).await;
        if purged? < usize::try_from(BATCH).unwrap_or(usize::MAX) || lease.is_lost() {
            break;
        }
    }
    lease.finish(&app.pool, |db| Ok(store::purge_ticks(db, TICKS_KEPT).map(drop)?)).await
}
