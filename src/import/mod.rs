//! Imports: what people have already solved, taken in from the files of other tools.
//!
//! What is always true here:
//! - A file that cannot be read to its end creates nothing, not even an import.
//! - One bad row blocks no other, and each row has one verdict with its reason.
//! - The same file again changes nothing: not a row, not a date, not a point.
//! - Of several runs of one import only the latest can do anything, and what is done stays done.
//! - A problem is solved once, whoever says so at the same time; the earliest row of the whole file
//!   makes the first solve.
//! - Memory is bounded: rows come in batches, and of the rest only where each problem was solved
//!   first is kept (see [`survey`]).
//!
//! [`formats`] reads files and is pure. A file is read up to three times: [`survey`] looks at all
//! of it, then [`course`] takes in the first solves, then whatever else there is, [`batch`] by batch.
//! Its request waits for a small one ([`run`]); a large one goes to the [`queue`], and a [`job`]
//! carries it. Both begin a run, take in what no earlier run has, and end it.

pub mod batch;
mod course;
mod decide;
pub mod file;
pub mod formats;
pub mod guards;
pub mod job;
mod late;
pub mod model;
mod queue;
mod record;
pub mod room;
pub mod routes;
pub mod run;
pub mod settle;
mod sift;
pub mod standing;
pub mod store;
mod stored;
pub mod survey;
pub mod titles;
mod told;
mod upload;

use crate::db::Db;
use crate::db::instant::At;
use crate::turns::Turns;
use batch::Run;
use diesel::QueryResult;
use guards::Restart;
use model::{ImportRow, NewImport, RowReport, Status, Tally, Verdict, lapsed};
use room::Room;
use std::time::Duration;

/// Imports that one process runs at once, for requests and in the background each; and requests that
/// may wait for a turn.
const RUNNING: usize = 2;
const WAITING: usize = 64;

/// How long an import waits for its turn.
const PATIENCE: Duration = Duration::from_mins(10);

/// Rows of a file that its request waits for; a larger one goes to the queue.
pub const AT_ONCE: u64 = 5000;

/// How long one run of an import in the background works before it lets the next one go on.
const STRETCH: Duration = Duration::from_mins(5);

/// What imports share of a process.
#[derive(Clone, Debug)]
pub struct Places {
    /// Turns at looking at a file, and at running its import while its request waits.
    pub turns: Turns,
    /// Turns at running an import in the background.
    pub background: Turns,
    /// Room for the files.
    pub room: Room,
    /// Rows of a file that its request waits for; a larger one goes to the queue.
    pub at_once: u64,
    /// How much of a file a run in the background takes in at once, in rows.
    pub batch: usize,
    /// How long one run in the background works before it lets the next one go on.
    pub stretch: Duration,
}

impl Default for Places {
    fn default() -> Self {
        let turns = Turns::new(RUNNING, WAITING, PATIENCE);
        let background = Turns::new(RUNNING, 0, Duration::ZERO);
        Self {
            turns,
            background,
            room: Room::default(),
            at_once: AT_ONCE,
            batch: sift::BATCH,
            stretch: STRETCH,
        }
    }
}

/// How many rows a report lists.
pub const LISTED: i64 = 100;

/// What became of a request to import.
#[derive(Clone, Debug)]
pub enum Opened {
    /// It begins, or goes on.
    Begins(Box<ImportRow>),
    /// The key made it before.
    Replayed(i64),
    /// The key was used for something else.
    KeyReused,
}

/// Opens an import, unless its key has. One that broke off goes on under its key: what it had done
/// stays, and is not done again.
pub fn open(db: &mut Db, new: &NewImport, now: At) -> QueryResult<Opened> {
    if let Some(opened) = replay(db, new, now)? {
        return Ok(opened);
    }
    match guards::create_import(db, new)? {
        Some(import) => Ok(Opened::Begins(import.into())),
        // Lost the race: the winner has committed, so a second statement sees its row.
        None => replay(db, new, now)?.ok_or(diesel::NotFound),
    }
}

/// What the key of a request has made, if anything. An import that broke off goes on.
fn replay(db: &mut Db, new: &NewImport, now: At) -> QueryResult<Option<Opened>> {
    let Some(import) = found(db, new.user_id, new.idempotency_key.as_deref())? else {
        return Ok(None);
    };
    if import.fingerprint != new.fingerprint {
        return Ok(Some(Opened::KeyReused));
    }
    if import.status != Status::Completed {
        let how = Restart { status: new.status, file_id: new.file_id };
        if let Some(import) = guards::restart_import(db, import.id, how, lapsed(now), now)? {
            return Ok(Some(Opened::Begins(import.into())));
        }
    }
    Ok(Some(Opened::Replayed(import.id)))
}

/// The import that a key has made.
pub fn found(db: &mut Db, user_id: i64, key: Option<&str>) -> QueryResult<Option<ImportRow>> {
    match key {
        Some(key) => store::by_key(db, user_id, key),
        None => Ok(None),
    }
}

/// Says that a run goes on. False where the import has ended or another run goes on with it.
pub fn touch(db: &mut Db, run: Run, now: At) -> QueryResult<bool> {
    guards::advance_import(db, run.import_id, run.attempt, &Tally::default(), now)
}

/// Ends an import, unless it has ended or another run goes on with it; `failure` says why it failed.
pub fn end(
    db: &mut Db,
    run: Run,
    status: Status,
    failure: Option<&str>,
    now: At,
) -> QueryResult<Option<ImportRow>> {
    guards::finish_import(db, run.import_id, run.attempt, status, failure, now)
}

/// What is told of those of these rows of an import that are done.
pub fn told(db: &mut Db, import_id: i64, numbers: &[i64]) -> QueryResult<Vec<RowReport>> {
    store::told(db, import_id, numbers)
}

/// An import of a user, and the first of its rows of which nothing could be made.
pub fn report(
    db: &mut Db,
    user_id: i64,
    id: i64,
) -> QueryResult<Option<(ImportRow, Vec<RowReport>)>> {
    let Some(import) = store::get(db, user_id, id)? else {
        return Ok(None);
    };
    let mut errors = Vec::new();
    for verdict in Verdict::ALL.into_iter().filter(|verdict| verdict.is_error()) {
        errors.extend(store::rows(db, id, Some(verdict), None, LISTED)?);
    }
    errors.sort_by_key(|error| error.row);
    errors.truncate(usize::try_from(LISTED).unwrap_or(usize::MAX));
    Ok(Some((import, errors)))
}

/// The imports of a user, newest first.
pub fn list(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<ImportRow>> {
    store::list(db, user_id, before, limit)
}

/// The rows of an import of a user. `None` where there is no such import of theirs.
pub fn rows(
    db: &mut Db,
    user_id: i64,
    id: i64,
    verdict: Option<Verdict>,
    after: Option<i64>,
    limit: i64,
) -> QueryResult<Option<Vec<RowReport>>> {
    if store::get(db, user_id, id)?.is_none() {
        return Ok(None);
    }
    store::rows(db, id, verdict, after, limit).map(Some)
}
