//! Sweeps up behind imports of the background: what a process left that died while it stored a file,
//! and imports whose job an admin cancelled, or which was killed at its last attempt.

use super::batch::Run;
use super::job::{RunImport, conclude};
use super::model::Status;
use super::{guards, store};
use crate::app::App;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{self, Failed, Job};
use apalis_core::task::data::Data;
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

/// For how long a file that no import has is believed to be coming.
const COMING: TimeDelta = TimeDelta::hours(1);

/// Imports that are looked at together.
const BATCH: i64 = 100;

/// Why an import failed whose job is no more.
const GIVEN_UP: &str = "its job was cancelled, or broke off too often";

/// Ends imports whose jobs are no more, and takes away files without an import.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SettleImports {}

impl Job for SettleImports {
    const KIND: &'static str = "settle-imports";
    const MODE: Mode = Mode::Coalesce;
    const PRIORITY: i32 = -10;

    fn id(&self) -> String {
        Self::KIND.to_owned()
    }
}

/// Runs it.
///
/// # Errors
/// When the database fails: what was settled stays so.
pub async fn settle_imports(_: SettleImports, app: Data<App>, lease: Lease) -> Result<(), Failed> {
    let mut after = 0;
    loop {
        let some: Work<Vec<i64>> =
            app.pool.read(move |db| Ok(store::in_background(db, after, BATCH)?)).await;
        let some = some?;
        let Some(last) = some.last().copied() else { break };
        after = last;
        for import_id in some {
            let now = app.clock.now();
            match app.pool.write(move |db| settle(db, import_id, now)).await {
                Ok(()) | Err(Stopped::Because(GoesOn)) => {}
                Err(Stopped::Database(error)) => return Err(error.into()),
                Err(Stopped::Pool(error)) => return Err(error.into()),
            }
        }
    }
    let now = app.clock.now();
    lease
        .finish(&app.pool, move |db| {
            for id in store::left_files(db, (*now - COMING).into())? {
                store::delete_file(db, id)?;
            }
            Ok(())
        })
        .await
}

/// The import has a job again.
struct GoesOn;

/// Ends an import of the background, if nobody is going to.
fn settle(db: &mut Db, import_id: i64, now: At) -> Work<(), GoesOn> {
    if jobs::is_open(db, &RunImport { import_id })? {
        return Ok(());
    }
    let Some(import) = guards::begin_import(db, import_id, now)? else {
        return Ok(());
    };
    // It may have failed, and been sent again, since the look: with its job, which is seen now. Then
    // this run has not begun.
    if jobs::is_open(db, &RunImport { import_id })? {
        return Err(Stopped::Because(GoesOn));
    }
    let run = Run { import_id, attempt: import.attempt };
    let Some(file_id) = import.file_id else { return Ok(()) };
    Ok(conclude(db, run, file_id, Status::Failed, Some(GIVEN_UP), now)?)
}
