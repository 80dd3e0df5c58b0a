//! An import that its request waits for: look at the file, open the import, take in what it has,
//! close it. A file with more rows than [`AT_ONCE`](super::AT_ONCE) goes to the [`super::queue`].
//!
//! Whoever started it may go away: it goes on. It says so every few seconds; if the process ends, the
//! same request begins another run, which finds what is told of the rows that are done, and does the
//! others.

use super::batch::Run;
use super::course::{Broken, Carried, Plan, blocking, carry};
use super::file::ImportFile;
use super::formats::Options;
use super::model::{Import, ImportReport, ImportRow, NewImport, Status, Tally};
use super::survey::{Refused, Survey};
use super::{Opened, Places, queue, sift};
use crate::clock::Clock;
use crate::db::instant::At;
use crate::db::pool::{Pool, PoolError};
use crate::db::tx::{Stopped, Work};
use crate::revisions::Learner;
use std::convert::Infallible;
use std::sync::Arc;

/// What is to be imported, and how.
#[derive(Debug)]
pub struct Order {
    /// Whose import it is.
    pub learner: Learner,
    /// The key of the request.
    pub key: Option<String>,
    /// What the request says, the bytes of the file included.
    pub fingerprint: String,
    /// How the file is to be read.
    pub options: Options,
    /// Whether only to tell what would become of the file.
    pub dry_run: bool,
    /// The file.
    pub file: ImportFile,
}

/// What became of an order.
#[derive(Debug)]
pub enum Ended {
    /// It ran.
    Ran(ImportReport),
    /// It waits for a worker.
    Queued(ImportReport),
    /// The key had made it before, or another run has gone on with it: the import.
    Replayed(i64),
    /// The key was used for something else.
    KeyReused,
    /// The file is not taken.
    Refused(Refused),
    /// Too many files wait already.
    Full,
}

/// Runs an import, or puts it into the queue.
///
/// # Errors
/// When the database fails. An import that runs is then marked as failed, if that can still be done;
/// the same file again does the rest.
pub async fn run(pool: Pool, clock: Clock, places: Places, order: Order) -> Work<Ended> {
    let _turn = places.turns.take().await?;
    let file = Arc::new(order.file);
    let options = Arc::new(order.options);
    let (looked_at, how) = (Arc::clone(&file), Arc::clone(&options));
    let survey = blocking(move || Survey::of(&looked_at, &how)).await?;
    let survey = match survey {
        Ok(survey) => survey,
        Err(refused) => return Ok(Ended::Refused(refused)),
    };
    // After the look, which may take longer than a run may be silent.
    let now = clock.now();
    let new = new_import(&survey, &order.learner, order.key, order.fingerprint, now);
    if !order.dry_run && survey.taken.rows > places.at_once {
        drop(survey);
        return queue::put(&pool, &clock, new, file, options).await;
    }
    let (import, run) = if order.dry_run {
        (shown_dry(&new), None)
    } else {
        let row = new.clone();
        match pool.write(move |db| Ok(super::open(db, &row, now)?)).await? {
            Opened::Begins(import) => {
                let run = Run { import_id: import.id, attempt: import.attempt };
                (import.shown(now), Some(run))
            }
            Opened::Replayed(id) => return Ok(Ended::Replayed(id)),
            Opened::KeyReused => return Ok(Ended::KeyReused),
        }
    };
    let carried = carry(Plan {
        pool: pool.clone(),
        clock: clock.clone(),
        learner: order.learner,
        run,
        opened_at: import.created_at,
        done_before: import.tally.received,
        file,
        options,
        survey,
        lease: None,
        until: None,
        batch: sift::BATCH,
    });
    let Carried { tally, errors } = match (carried.await, run) {
        (Ok(carried), _) => carried,
        (Err(Broken::Unreadable(unreadable)), _) => {
            tracing::warn!(%unreadable, "a file was readable, and is not any more");
            let failure = unreadable.to_string();
            let refused = Ended::Refused(Refused::Unreadable(unreadable));
            return end(&pool, run, Status::Failed, Some(failure), &clock).await.map(|_| refused);
        }
        (Err(Broken::Overtaken | Broken::Paused), Some(run)) => {
            return Ok(Ended::Replayed(run.import_id));
        }
        (Err(Broken::Overtaken | Broken::Paused), None) => {
            return Err(PoolError::Cancelled.into());
        }
        (Err(Broken::Stopped(stopped)), _) => return failed(&pool, run, &clock, stopped).await,
    };
    let Some(run) = run else {
        let finished_at = Some(clock.now());
        let import = Import { tally, progress: 1.0, finished_at, ..import };
        return Ok(Ended::Ran(ImportReport { import, errors }));
    };
    let Some(ended) = end(&pool, Some(run), Status::Completed, None, &clock).await? else {
        return Ok(Ended::Replayed(run.import_id));
    };
    Ok(Ended::Ran(ImportReport { import: ended.shown(clock.now()), errors }))
}

fn new_import(
    survey: &Survey,
    learner: &Learner,
    key: Option<String>,
    fingerprint: String,
    now: At,
) -> NewImport {
    let taken = &survey.taken;
    NewImport {
        user_id: learner.user_id,
        idempotency_key: key,
        fingerprint: Some(fingerprint),
        status: Status::Running,
        format: taken.format.as_str().to_owned(),
        detected: Some(taken.detail.clone()),
        zone_assumed: taken.zone_assumed.map(|zone| zone.name().to_owned()),
        remarks: serde_json::json!(taken.remarks).to_string(),
        total: i64::try_from(taken.rows).unwrap_or(i64::MAX),
        tally: Tally::default(),
        attempt: 1,
        created_at: now,
        touched_at: now,
        file_id: None,
    }
}

fn shown_dry(new: &NewImport) -> Import {
    Import {
        id: None,
        status: Status::Completed,
        dry_run: true,
        format: new.format.clone(),
        detected: new.detected.clone(),
        zone_assumed: new.zone_assumed.clone(),
        remarks: serde_json::from_str(&new.remarks).unwrap_or_default(),
        tally: new.tally,
        progress: 0.0,
        created_at: new.created_at,
        touched_at: new.touched_at,
        finished_at: None,
        failure: None,
    }
}

/// What is said of an import that the database did not let come to its end.
pub(super) const BROKE_OFF: &str = "the server could not go on; what was done stays";

/// Ends an import, unless it has ended or another run goes on with it. A dry run has nothing to end.
async fn end(
    pool: &Pool,
    run: Option<Run>,
    status: Status,
    failure: Option<String>,
    clock: &Clock,
) -> Work<Option<ImportRow>> {
    let Some(run) = run else {
        return Ok(None);
    };
    let now = clock.now();
    pool.write(move |db| Ok(super::end(db, run, status, failure.as_deref(), now)?)).await
}

/// Marks an import as failed, if that can be done, and goes on with why it did.
async fn failed<T>(
    pool: &Pool,
    run: Option<Run>,
    clock: &Clock,
    stopped: Stopped<Infallible>,
) -> Work<T> {
    let why = Some(BROKE_OFF.to_owned());
    if let Err(error) = end(pool, run, Status::Failed, why, clock).await {
        tracing::error!(?error, ?run, "an import failed and cannot be marked as such");
    }
    Err(stopped)
}
