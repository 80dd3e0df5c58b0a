//! One run of an import, whoever started it: batch after batch of what the file has, to its end.
//!
//! The file is read in a thread of its own, one batch ahead of the database. Rows that an earlier
//! run has done are read too, and what is told of them says how their problems stand; so a run needs
//! nothing of the runs before but what they have stored. A run that was overtaken, or whose lease is
//! lost, can do nothing more.

use super::LISTED;
use super::batch::{self, Context, Done, NotRunning, Progress, Run};
use super::file::ImportFile;
use super::formats::{Options, Row, Unreadable};
use super::model::{BEAT, RowReport, Tally};
use super::sift::{Part, sift};
use super::survey::{Bits, Survey};
use super::titles::Titles;
use super::told::Told;
use crate::clock::Clock;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::pool::{Pool, PoolError};
use crate::db::tx::{Stopped, Work};
use crate::jobs::lease::Lease;
use crate::revisions::spread::Spread;
use crate::revisions::{Learner, imported as schedules};
use crate::solves::imported as solves;
use crate::submissions::imported as submissions;
use actix_web::web;
use diesel::result::{DatabaseErrorKind, Error};
use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

/// An import of this many rows changes how tables are best looked up.
const LARGE: u64 = 10_000;

/// How often a solve may be deleted under a batch that has found it there.
const TRIES: u32 = 8;

/// What a run has before it.
pub(super) struct Plan {
    /// The database.
    pub pool: Pool,
    /// What time it is.
    pub clock: Clock,
    /// Whose import it is.
    pub learner: Learner,
    /// The import and which run of it this is; none for a dry run.
    pub run: Option<Run>,
    /// When the import was opened.
    pub opened_at: At,
    /// How many rows earlier runs have done.
    pub done_before: i64,
    /// The file.
    pub file: Arc<ImportFile>,
    /// How it is read.
    pub options: Arc<Options>,
    /// What a look at all of it has found.
    pub survey: Survey,
    /// The lease under which it runs in the background.
    pub lease: Option<Lease>,
    /// When it pauses, behind a batch.
    pub until: Option<Instant>,
    /// How much it takes in at once, in rows.
    pub batch: usize,
}

/// What became of the rows, those of earlier runs included.
pub(super) struct Carried {
    /// Their counts.
    pub tally: Tally,
    /// The first of those of which nothing could be made.
    pub errors: Vec<RowReport>,
}

/// Why a run does not reach its end.
pub(super) enum Broken {
    /// The file.
    Unreadable(Unreadable),
    /// The import has ended, or is gone, or another run goes on with it.
    Overtaken,
    /// It has worked for as long as one run may; the next one goes on.
    Paused,
    /// The database.
    Stopped(Stopped<Infallible>),
}

/// Takes in the rows of a file to its end.
pub(super) async fn carry(plan: Plan) -> Result<Carried, Broken> {
    let Plan { pool, clock, learner, run, file, options, survey, .. } = plan;
    let now = clock.now();
    let (of, judges) = (learner.clone(), survey.judges.clone());
    let prepared: Work<_> = pool.read(move |db| prepare(db, &of, &judges, now)).await;
    let (is_fresh, has_unlike, spread) = prepared?;
    let is_large = survey.taken.rows >= LARGE;
    if is_large && !is_fresh {
        count_rows(&pool).await;
    }
    let context = Context {
        learner,
        run,
        now,
        opened_at: plan.opened_at,
        is_fresh: Arc::new(AtomicBool::new(is_fresh)),
        has_unlike,
        numbers: survey.numbers,
        titles: Titles::default(),
    };
    let mut course = Course {
        pool: pool.clone(),
        clock,
        file,
        options,
        firsts: Arc::new(survey.firsts),
        context,
        progress: Arc::new(Mutex::new(Progress { standings: survey.standings, spread })),
        to_recall: plan.done_before,
        tally: Tally::default(),
        errors: Vec::new(),
        touched_at: now,
        lease: plan.lease,
        until: plan.until,
        batch: plan.batch,
    };
    course.run(survey.titles, survey.has_more).await?;
    let Course { tally, mut errors, .. } = course;
    keep_first(&mut errors);
    if is_large && run.is_some() {
        // Nobody needs to wait for it.
        tokio::spawn(async move { count_rows(&pool).await });
    }
    Ok(Carried { tally, errors })
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
    lease: Option<Lease>,
    until: Option<Instant>,
    batch: usize,
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
        let (firsts, size) = (Arc::clone(&self.firsts), self.batch);
        let reading = blocking(move || {
            sift(&file, &options, part, &firsts, &mut titles, size, |rows| {
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
                    // Behind a batch, so that each run does at least one.
                    let is_late = self.until.is_some_and(|until| Instant::now() >= until);
                    return if is_late { Err(Broken::Paused) } else { Ok(()) };
                }
                // Nothing of the batch is stored, and the next look finds what has come or gone.
                Err(Stopped::Database(error)) if tries < TRIES && is_of_a_lost_row(&error) => {
                    context.is_fresh.store(false, Ordering::Relaxed);
                    tries += 1;
                }
                Err(Stopped::Because(NotRunning)) => return Err(Broken::Overtaken),
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
        let (rows, clock, lease) = (Arc::clone(rows), self.clock.clone(), self.lease.clone());
        let is_dry = context.run.is_none();
        let work = move |db: &mut Db| {
            let progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            let now = clock.now();
            let done = batch::take(db, &context, &progress, &rows, now)?;
            if let Some(lease) = &lease
                && !lease.holds(db)?
            {
                return Err(Stopped::Because(NotRunning));
            }
            Ok((done, now))
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
        if touched? { Ok(()) } else { Err(Broken::Overtaken) }
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

fn listed() -> usize {
    usize::try_from(LISTED).unwrap_or(usize::MAX)
}

/// Keeps those that a report lists.
fn keep_first(errors: &mut Vec<RowReport>) {
    errors.sort_by_key(|error| error.row);
    errors.truncate(listed());
}

/// Starts, in a thread of its own, what takes its time and no turn of the database.
pub(super) fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, PoolError>> {
    // It starts now, not when somebody waits for it.
    let started = web::block(work);
    async { started.await.map_err(|_| PoolError::Cancelled) }
}

/// Lets the database count what is in its tables; nothing depends on it but speed.
async fn count_rows(pool: &Pool) {
    let counted: Work<()> = pool.write(|db| Ok(db.count_rows()?)).await;
    if let Err(error) = counted {
        tracing::debug!(?error, "the rows were not counted");
    }
}
