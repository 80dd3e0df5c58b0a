//! A file with many rows waits in the database, and its import in the queue.
//!
//! The file was looked at to its end before, so that all that can be said against it is said in the
//! answer. Import and job are made in one transaction, behind the last chunk.

use super::file::ImportFile;
use super::formats::{Options, Unreadable};
use super::job::RunImport;
use super::model::{ImportReport, NewImport, Status};
use super::run::Ended;
use super::stored::{self, Unstored};
use super::survey::Refused;
use super::{Opened, store};
use crate::clock::Clock;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::pool::Pool;
use crate::db::tx::Work;
use crate::jobs;
use diesel::QueryResult;
use std::sync::Arc;

/// Stores a file and puts its import into the queue, unless its key has.
///
/// # Errors
/// When the database fails; then there is no import of it, but where the answer to the last
/// transaction was lost.
pub(super) async fn put(
    pool: &Pool,
    clock: &Clock,
    new: NewImport,
    file: Arc<ImportFile>,
    options: Arc<Options>,
) -> Work<Ended> {
    let size = match file.size() {
        Ok(size) => size,
        Err(error) => return Ok(Ended::Refused(Refused::Unreadable(Unreadable::Io(error)))),
    };
    let now = clock.now();
    let asked = new.clone();
    let looked: Work<_> =
        pool.read(move |db| Ok((known(db, &asked, now)?, store::bytes_that_wait(db)?))).await;
    let (known, waiting) = looked?;
    if let Some(ended) = known {
        return Ok(ended);
    }
    if u64::try_from(waiting).unwrap_or(0).saturating_add(size) > stored::ROOM {
        return Ok(Ended::Full);
    }
    let (user_id, text) = (new.user_id, stored::options_text(&options));
    let begun: Work<i64> =
        pool.write(move |db| Ok(store::begin_file(db, user_id, &text, now)?)).await;
    let file_id = begun?;
    let ended = send(pool, clock, new, file, file_id).await;
    if !matches!(ended, Ok(Ended::Queued(_))) {
        // If it fails, the job that settles imports does it.
        let deleted: Work<usize> = pool.write(move |db| Ok(store::delete_file(db, file_id)?)).await;
        if let Err(error) = deleted {
            tracing::warn!(?error, file_id, "a file that no import has is left");
        }
    }
    ended
}

/// What the key of a request has made, where nothing is to be done.
fn known(db: &mut Db, new: &NewImport, now: At) -> QueryResult<Option<Ended>> {
    let Some(import) = super::found(db, new.user_id, new.idempotency_key.as_deref())? else {
        return Ok(None);
    };
    if import.fingerprint != new.fingerprint {
        return Ok(Some(Ended::KeyReused));
    }
    let goes_on = import.status == Status::Failed || import.is_abandoned(now);
    Ok((!goes_on).then_some(Ended::Replayed(import.id)))
}

async fn send(
    pool: &Pool,
    clock: &Clock,
    mut new: NewImport,
    file: Arc<ImportFile>,
    file_id: i64,
) -> Work<Ended> {
    match stored::send(pool, clock, file, file_id).await? {
        Ok(()) => {}
        Err(Unstored::Io(error)) => {
            return Ok(Ended::Refused(Refused::Unreadable(Unreadable::Io(error))));
        }
        Err(Unstored::Gone) => return Ok(Ended::Full),
    }
    let now = clock.now();
    new.status = Status::Queued;
    new.file_id = Some(file_id);
    let opened: Work<Option<Opened>> = pool
        .write(move |db| {
            // Nobody takes it away from here on.
            if !store::grow_file(db, file_id, 0, now)? {
                return Ok(None);
            }
            let opened = super::open(db, &new, now)?;
            if let Opened::Begins(import) = &opened {
                jobs::enqueue(db, &RunImport { import_id: import.id })?;
            }
            Ok(Some(opened))
        })
        .await;
    Ok(match opened? {
        Some(Opened::Begins(import)) => {
            let import = import.shown(clock.now());
            Ended::Queued(ImportReport { import, errors: Vec::new() })
        }
        Some(Opened::Replayed(id)) => Ended::Replayed(id),
        Some(Opened::KeyReused) => Ended::KeyReused,
        None => Ended::Full,
    })
}
