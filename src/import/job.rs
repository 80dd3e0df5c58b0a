//! Imports in the background.
//!
//! A job begins a run, which makes every earlier one harmless, brings the file together, and goes on
//! behind what the runs before have done. Each batch is stored with its effects, its counts and what
//! is told of its rows, in one transaction, which also looks whether the lease is still held; the end
//! is stored with the end of the job. So whatever dies, and however often the job runs, what is there
//! in the end is what one undisturbed run makes.
//!
//! What can pass is for the next attempt; after the last one the import has failed. A run that has
//! worked for [`Places::stretch`](super::Places) lets a new job go on, with all its attempts: an
//! import may take longer than an attempt may.

use super::batch::Run;
use super::course::{Broken, Plan, blocking, carry};
use super::formats::Unreadable;
use super::model::{ImportRow, Status};
use super::run::BROKE_OFF;
use super::stored::{self, Unfetched};
use super::survey::{Refused, Survey};
use super::{guards, store};
use crate::app::App;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::jobs::lease::Lease;
use crate::jobs::model::Mode;
use crate::jobs::{self, Failed, Job};
use crate::notifications::model::Kind;
use crate::notifications::{self, Notice};
use crate::preferences;
use crate::revisions::Learner;
use apalis_core::task::data::Data;
use diesel::QueryResult;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How soon a job looks again whether there is a turn, or room.
const AGAIN: Duration = Duration::from_secs(15);

/// Goes on with an import. A job that finds nothing to do has done it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RunImport {
    /// Which one.
    pub import_id: i64,
}

impl Job for RunImport {
    const KIND: &'static str = "import";
    /// Whoever sends the file of an import that failed once more enqueues it once more.
    const MODE: Mode = Mode::Coalesce;
    /// Behind what somebody waits for.
    const PRIORITY: i32 = -5;
    /// A run lets another go on long before.
    const TIMEOUT: Duration = Duration::from_hours(1);

    fn id(&self) -> String {
        format!("{}-{}", Self::KIND, self.import_id)
    }
}

/// A run that has begun.
struct Begun {
    import: ImportRow,
    run: Run,
    file_id: i64,
    /// Whose it is, and the file; none where something of it is gone.
    whose: Option<(Learner, store::FileRow)>,
}

/// Runs it.
///
/// # Errors
/// When the database fails, or the lease is lost: what was done stays.
pub async fn run_import(job: RunImport, app: Data<App>, lease: Lease) -> Result<(), Failed> {
    // Whoever waits for a turn holds a place among the jobs, so it does not wait here.
    let Some(_turn) = app.imports.background.try_take() else {
        return go_on(&app, &lease, job, AGAIN).await;
    };
    let (held, now) = (lease.clone(), app.clock.now());
    let begun: Work<_, Failed> = app
        .pool
        .write(move |db| {
            if !held.holds(db)? {
                return Err(Stopped::Because(Failed::Stale));
            }
            Ok(begin(db, job.import_id, now)?)
        })
        .await;
    let Some(Begun { import, run, file_id, whose }) = begun? else {
        // It has ended, or its account has.
        return lease.finish(&app.pool, |_| Ok(())).await;
    };
    let Some((learner, file)) = whose else {
        return fail(&app, &lease, run, file_id, "the file is gone").await;
    };
    let Some(options) = stored::read_options(&file.options) else {
        return fail(&app, &lease, run, file_id, "another version has stored the file").await;
    };
    let fetched = stored::fetch(&app.pool, &app.imports, file_id, file.size).await?;
    let file = match fetched {
        Ok(file) => Arc::new(file),
        Err(Unfetched::NoRoom) => return go_on(&app, &lease, job, AGAIN).await,
        Err(Unfetched::Gone) => {
            return fail(&app, &lease, run, file_id, "a part of the file is gone").await;
        }
        Err(Unfetched::Io(error)) => return Err(Failed::Because(error.to_string())),
    };
    let options = Arc::new(options);
    let (looked_at, how) = (Arc::clone(&file), Arc::clone(&options));
    let survey = match blocking(move || Survey::of(&looked_at, &how)).await? {
        Ok(survey) => survey,
        // The disk, which may be another's next time.
        Err(Refused::Unreadable(Unreadable::Io(error))) => {
            return Err(Failed::Because(error.to_string()));
        }
        Err(refused) => return fail(&app, &lease, run, file_id, &refused.to_string()).await,
    };
    let carried = carry(Plan {
        pool: app.pool.clone(),
        clock: app.clock.clone(),
        learner,
        run: Some(run),
        opened_at: import.created_at,
        done_before: import.tally.received,
        file,
        options,
        survey,
        lease: Some(lease.clone()),
        until: Some(Instant::now() + app.imports.stretch),
        batch: app.imports.batch,
    });
    match carried.await {
        Ok(_) => end(&app, &lease, run, file_id, Status::Completed, None).await,
        Err(Broken::Paused) => go_on(&app, &lease, job, Duration::ZERO).await,
        // Nothing is left to do, or the job is another worker's, and this changes nothing.
        Err(Broken::Overtaken) => lease.finish(&app.pool, |_| Ok(())).await,
        Err(Broken::Unreadable(Unreadable::Io(error))) => Err(Failed::Because(error.to_string())),
        Err(Broken::Unreadable(unreadable)) => {
            fail(&app, &lease, run, file_id, &unreadable.to_string()).await
        }
        Err(Broken::Stopped(stopped)) => {
            let there: Work<bool> =
                app.pool.read(move |db| Ok(store::is_there(db, run.import_id)?)).await;
            if matches!(there, Ok(false)) {
                return lease.finish(&app.pool, |_| Ok(())).await;
            }
            let failed = Failed::from(stopped);
            if lease.is_last_attempt() {
                tracing::error!(error = %failed, ?run, "an import failed");
                return fail(&app, &lease, run, file_id, BROKE_OFF).await;
            }
            Err(failed)
        }
    }
}

/// Begins a run. `None`: there is nothing to run.
fn begin(db: &mut Db, import_id: i64, now: At) -> QueryResult<Option<Begun>> {
    let Some(import) = guards::begin_import(db, import_id, now)? else {
        return Ok(None);
    };
    let Some(file_id) = import.file_id else {
        return Ok(None);
    };
    let run = Run { import_id, attempt: import.attempt };
    let mut whose = None;
    if let Some(file) = store::file(db, file_id)?
        && let Some(preferences) = preferences::of_user(db, file.user_id)?
    {
        whose = Some((preferences.learner(file.user_id), file));
    }
    Ok(Some(Begun { import, run, file_id, whose }))
}

/// Ends this job and lets another one go on.
async fn go_on(app: &App, lease: &Lease, job: RunImport, wait: Duration) -> Result<(), Failed> {
    let work = move |db: &mut Db| Ok(jobs::enqueue_after(db, &job, wait).map(drop)?);
    lease.finish(&app.pool, work).await
}

async fn fail(app: &App, lease: &Lease, run: Run, file_id: i64, why: &str) -> Result<(), Failed> {
    end(app, lease, run, file_id, Status::Failed, Some(why.to_owned())).await
}

async fn end(
    app: &App,
    lease: &Lease,
    run: Run,
    file_id: i64,
    status: Status,
    failure: Option<String>,
) -> Result<(), Failed> {
    let clock = app.clock.clone();
    let work =
        move |db: &mut Db| Ok(conclude(db, run, file_id, status, failure.as_deref(), clock.now())?);
    lease.finish(&app.pool, work).await
}

/// Ends an import of the background, takes its file away, and tells its user; unless it has ended,
/// or another run goes on with it.
pub(super) fn conclude(
    db: &mut Db,
    run: Run,
    file_id: i64,
    status: Status,
    failure: Option<&str>,
    now: At,
) -> QueryResult<()> {
    let Some(file) = store::file(db, file_id)? else {
        return super::end(db, run, status, failure, now).map(drop);
    };
    let Some(import) = super::end(db, run, status, failure, now)? else {
        return Ok(());
    };
    store::delete_file(db, file_id)?;
    let (id, tally) = (import.id, import.tally);
    // One that failed may go on, and its end is told then.
    let (cause, title) = match status {
        Status::Completed => (id.to_string(), "Your import is complete"),
        _ => (format!("{id}:{}", run.attempt), "Your import did not come to its end"),
    };
    let body = match failure {
        None => {
            format!("{} rows were read, {} made a first solve.", tally.received, tally.imported)
        }
        Some(why) => format!("{} of {} rows were done: {why}.", tally.received, import.total),
    };
    let notice = Notice {
        user_id: file.user_id,
        kind: Kind::ImportFinished,
        cause: &cause,
        title,
        body: &body,
        link: Some(&format!("/imports/{id}")),
    };
    notifications::notify(db, &notice, now).map(drop)
}
