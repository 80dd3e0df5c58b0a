//! An import from beginning to end: look at the file, open the import, take in batch after batch,
//! close it.
//!
//! A file is read in a thread of its own, one batch ahead of the database. Whoever started it may
//! go away: it goes on. It says so every few seconds; if the process ends, the same request begins
//! another run, which finds what is told of the rows that are done, and does the others. A run that
//! was thought to have ended can do nothing more.

use super::batch::{self, Context, Done, NotRunning, Progress, Run};
use super::file::ImportFile;
use super::formats::{Options, Row, Unreadable};
use super::model::{BEAT, Import, ImportReport, ImportRow, NewImport, RowReport, Status, Tally};
use super::sift::{Part, sift};
use super::survey::{Bits, Refused, Survey};
use super::titles::Titles;
use super::told::Told;
use super::{LISTED, Opened};
use crate::clock::Clock;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::pool::{Pool, PoolError};
use crate::db::tx::{Stopped, Work};
use crate::revisions::spread::Spread;
use crate::revisions::{Learner, imported as schedules};
use crate::solves::imported as solves;
use crate::submissions::imported as submissions;
use crate::turns::Turns;
use actix_web::web;
use diesel::result::{DatabaseErrorKind, Error};
use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// An import of this many rows changes how tables are best looked up.
const LARGE: u64 = 10_000;

/// How often a solve may be deleted under a batch that has found it there.
const TRIES: u32 = 8;

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
    /// The key had made it before, or another run has gone on with it: the import.
    Replayed(i64),
    /// The key was used for something else.
    KeyReused,
    /// The file is not taken.
    Refused(Refused),
}

/// Runs an import.
///
/// # Errors
/// When the database fails. The import is then marked as failed, if that can still be done; the
/// same file again does the rest.
pub async fn run(pool: Pool, clock: Clock, turns: Turns, order: Order) -> Work<Ended> {
    let _turn = turns.take().await?;
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
    let (learner, judges) = (order.learner.clone(), survey.judges.clone());
    let prepared: Work<_> = pool.read(move |db| prepare(db, &learner, &judges, now)).await;
    let (is_fresh, has_unlike, spread) = match prepared {
        Ok(prepared) => prepared,
        Err(stopped) => return failed(&pool, run, &clock, stopped).await,
    };
    let is_large = survey.taken.rows >= LARGE;
    if is_large && !is_fresh {
        count_rows(&pool).await;
    }
    let context = Context {
        learner: order.learner,
        run,
        now,
        is_fresh: Arc::new(AtomicBool::new(is_fresh)),
        has_unlike,
        numbers: survey.numbers,
        titles: Titles::default(),
    };
    let mut course = Course {
        pool: pool.clone(),
        clock: clock.clone(),
        file,
        options,
        firsts: Arc::new(survey.firsts),
        context,
        progress: Arc::new(Mutex::new(Progress { standings: survey.standings, spread })),
        to_recall: import.tally.received,
        tally: Tally::default(),
        errors: Vec::new(),
        touched_at: now,
    };
    match course.run(survey.titles, survey.has_more).await {
        Ok(()) => {}
        Err(Broken::Unreadable(unreadable)) => {
            tracing::warn!(%unreadable, "a file was readable, and is not any more");
            let refused = Ended::Refused(Refused::Unreadable(unreadable));
            return end(&pool, run, Status::Failed, &clock).await.map(|_| refused);
        }
        Err(Broken::Overtaken(id)) => return Ok(Ended::Replayed(id)),
        Err(Broken::Stopped(stopped)) => return failed(&pool, run, &clock, stopped).await,
    }
    let Course { tally, mut errors, .. } = course;
    keep_first(&mut errors);
    let Some(run) = run else {
        let finished_at = Some(clock.now());
        let import = Import { tally, progress: 1.0, finished_at, ..import };
        return Ok(Ended::Ran(ImportReport { import, errors }));
    };
    let Some(ended) = end(&pool, Some(run), Status::Completed, &clock).await? else {
        return Ok(Ended::Replayed(run.import_id));
    };
    if is_large {
        // Nobody needs to wait for it.
        actix_web::rt::spawn(async move { count_rows(&pool).await });
    }
    Ok(Ended::Ran(ImportReport { import: ended.shown(clock.now()), errors }))
}

fn listed() -> usize {
    usize::try_from(LISTED).unwrap_or(usize::MAX)
}

/// Keeps those that a report lists.
fn keep_first(errors: &mut Vec<RowReport>) {
    errors.sort_by_key(|error| error.row);
    errors.truncate(listed());
}

/// Starts, in a thread of its own, what takes its time and no turn of the database.
fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, PoolError>> {
    // It starts now, not when somebody waits for it.
    let started = web::block(work);
    async { started.await.map_err(|_| PoolError::Cancelled) }
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
    }
}

/// What of the user all batches need to know.
fn prepare(
    db: &mut Db,
    learner: &Learner,
    judges: &BTreeSet<&'static str>,
    now: At,
) -> Work<(bool, bool, Spread)> {
    let user_id = learner.user_id;
    let is_fresh = !solves::has_any(db, user_id)? && !submissions::has_any(db, user_id)?;
    let has_unlike = match judges.first() {
        Some(judge) if judges.len() == 1 => submissions::has_unlike(db, user_id, judge)?,
        _ => true,
    };
    Ok((is_fresh, has_unlike, schedules::spread(db, learner, now)?))
}

/// Why a run does not reach its end.
enum Broken {
    /// The file.
    Unreadable(Unreadable),
    /// Another run goes on with this import.
    Overtaken(i64),
    /// The database.
    Stopped(Stopped<Infallible>),
}

impl From<Stopped<Infallible>> for Broken {
    fn from(stopped: Stopped<Infallible>) -> Self {
        Self::Stopped(stopped)
    }
}

/// An import while it runs.
struct Course {
    pool: Pool,
    clock: Clock,
    file: Arc<ImportFile>,
    options: Arc<Options>,
    firsts: Arc<Bits>,
    context: Context,
    progress: Arc<Mutex<Progress>>,
    /// How many of the rows that earlier runs have done are to come.
    to_recall: i64,
    tally: Tally,
    /// The first rows of which nothing could be made, of those that were done; and some more.
    errors: Vec<RowReport>,
    /// When the run last said that it goes on.
    touched_at: At,
}

impl Course {
    async fn run(&mut self, titles: Titles, has_more: bool) -> Result<(), Broken> {
        self.context.titles = self.part(Part::Firsts, titles).await?;
        if has_more {
            self.part(Part::Others, Titles::default()).await?;
        }
        Ok(())
    }

    /// Takes in one part, and returns what the titles learned.
    async fn part(&mut self, part: Part, mut titles: Titles) -> Result<Titles, Broken> {
        let context = Arc::new(self.context.clone());
        let (sender, mut receiver) = mpsc::channel::<Vec<Row>>(1);
        let (file, options) = (Arc::clone(&self.file), Arc::clone(&self.options));
        let firsts = Arc::clone(&self.firsts);
        let reading = blocking(move || {
            sift(&file, &options, part, &firsts, &mut titles, |rows| {
                match sender.blocking_send(rows) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            })
            .map(|()| titles)
        });
        loop {
            match timeout(BEAT, receiver.recv()).await {
                Ok(Some(rows)) => self.batch(&context, rows).await?,
                Ok(None) => break,
                Err(_) => self.touch().await?,
            }
        }
        reading.await.map_err(Stopped::from)?.map_err(Broken::Unreadable)
    }

    async fn batch(&mut self, context: &Arc<Context>, rows: Vec<Row>) -> Result<(), Broken> {
        let rows = match context.run {
            Some(run) if self.to_recall > 0 => self.recall(context, run, rows).await?,
            _ => rows,
        };
        if rows.is_empty() {
            // Nothing is stored, and the run works on.
            return if self.is_silent() { self.touch().await } else { Ok(()) };
        }
        let rows = Arc::new(rows);
        let mut tries = 1;
        loop {
            match self.take(context, &rows).await {
                Ok((done, at)) => {
                    self.touched_at = at;
                    self.count(done);
                    return Ok(());
                }
                // Nothing of the batch is stored, and the next look finds what has come or gone.
                Err(Stopped::Database(error)) if tries < TRIES && is_of_a_lost_row(&error) => {
                    context.is_fresh.store(false, Ordering::Relaxed);
                    tries += 1;
                }
                Err(Stopped::Because(NotRunning)) => return Err(self.overtaken()),
                Err(Stopped::Database(error)) => return Err(Stopped::from(error).into()),
                Err(Stopped::Pool(error)) => return Err(Stopped::from(error).into()),
            }
        }
    }

    /// Takes in a batch; and when.
    async fn take(
        &self,
        context: &Arc<Context>,
        rows: &Arc<Vec<Row>>,
    ) -> Work<(Done, At), NotRunning> {
        let (context, progress) = (Arc::clone(context), Arc::clone(&self.progress));
        let (rows, clock) = (Arc::clone(rows), self.clock.clone());
        let is_dry = context.run.is_none();
        let work = move |db: &mut Db| {
            let progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            let now = clock.now();
            Ok((batch::take(db, &context, &progress, &rows, now)?, now))
        };
        if is_dry { self.pool.read(work).await } else { self.pool.write(work).await }
    }

    /// Recalls those of the rows that an earlier run has done, and returns the others.
    async fn recall(&mut self, context: &Arc<Context>, run: Run, rows: Vec<Row>) -> Work<Vec<Row>> {
        let numbers: Vec<i64> = rows.iter().map(|row| batch::signed(row.number)).collect();
        let told = self.pool.read(move |db| Ok(super::told(db, run.import_id, &numbers)?));
        let told: Work<Vec<RowReport>> = told.await;
        let mut told: HashMap<i64, RowReport> =
            told?.into_iter().map(|told| (told.row, told)).collect();
        let is_done = |row: &Row| told.contains_key(&batch::signed(row.number));
        let (done, others): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(is_done);
        if done.is_empty() {
            return Ok(others);
        }
        let told: Vec<Told> = told.drain().map(|(_, told)| told.into()).collect();
        self.to_recall -= i64::try_from(told.len()).unwrap_or(i64::MAX);
        let (context, progress) = (Arc::clone(context), Arc::clone(&self.progress));
        let recalled = self.pool.read(move |db| {
            let progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(batch::recall(db, &context, &progress, &done, told.clone())?)
        });
        let recalled: Work<Done> = recalled.await;
        self.count(recalled?);
        Ok(others)
    }

    /// Whether the run has not said for as long as [`BEAT`] that it goes on.
    fn is_silent(&self) -> bool {
        (*self.clock.now() - *self.touched_at).to_std().is_ok_and(|silence| silence >= BEAT)
    }

    /// Says that the run goes on, where there is nothing to store.
    async fn touch(&mut self) -> Result<(), Broken> {
        let Some(run) = self.context.run else {
            return Ok(());
        };
        let now = self.clock.now();
        let touched: Work<bool> = self.pool.write(move |db| Ok(super::touch(db, run, now)?)).await;
        self.touched_at = now;
        if touched? { Ok(()) } else { Err(self.overtaken()) }
    }

    fn overtaken(&self) -> Broken {
        match self.context.run {
            Some(run) => Broken::Overtaken(run.import_id),
            None => Broken::Stopped(PoolError::Cancelled.into()),
        }
    }

    fn count(&mut self, done: Done) {
        self.tally.add(&done.tally);
        let errors = done.told.into_iter().filter(|told| told.verdict.is_error());
        self.errors.extend(errors.map(RowReport::from));
        // The rows of the second part may be earlier in the file.
        if self.errors.len() > listed().saturating_mul(2) {
            keep_first(&mut self.errors);
        }
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, standing) in done.standings {
            progress.standings.set(key, standing);
        }
        if let Some(spread) = done.spread {
            progress.spread = spread;
        }
    }
}

/// Whether an error may mean that somebody has deleted what was read just before.
fn is_of_a_lost_row(error: &Error) -> bool {
    matches!(
        error,
        Error::NotFound | Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _)
    )
}

/// Lets the database count what is in its tables; nothing depends on it but speed.
async fn count_rows(pool: &Pool) {
    let counted: Work<()> = pool.write(|db| Ok(db.count_rows()?)).await;
    if let Err(error) = counted {
        tracing::debug!(?error, "the rows were not counted");
    }
}

/// Ends an import, unless it has ended or another run goes on with it. A dry run has nothing to end.
async fn end(
    pool: &Pool,
    run: Option<Run>,
    status: Status,
    clock: &Clock,
) -> Work<Option<ImportRow>> {
    let Some(run) = run else {
        return Ok(None);
    };
    let now = clock.now();
    pool.write(move |db| Ok(super::end(db, run, status, now)?)).await
}

/// Marks an import as failed, if that can be done, and goes on with why it did.
async fn failed<T>(
    pool: &Pool,
    run: Option<Run>,
    clock: &Clock,
    stopped: Stopped<Infallible>,
) -> Work<T> {
    if let Err(error) = end(pool, run, Status::Failed, clock).await {
        tracing::error!(?error, ?run, "an import failed and cannot be marked as such");
    }
    Err(stopped)
}
