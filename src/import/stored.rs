//! Files that wait in the database for their imports, in chunks, so that any worker can go on with
//! them, and any of them after the end of the process that received the file.
//!
//! A chunk is stored by a transaction of its own, so that nobody waits for a whole file; the last one
//! makes the import. A file without an import is what a process left that died in between: the job of
//! [`super::settle`] takes it away.

use super::course::blocking;
use super::file::ImportFile;
use super::formats::{DateOrder, Format, Options};
use super::{Places, store};
use crate::clock::Clock;
use crate::days;
use crate::db::instant::At;
use crate::db::pool::Pool;
use crate::db::tx::Work;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Bytes of a chunk: a transaction of a few milliseconds.
const CHUNK: u64 = 512 << 10;

/// Bytes that all files together may have in the database.
pub(super) const ROOM: u64 = 2 << 30;

/// How a file is to be read, as it is stored: every run reads it alike.
#[derive(Debug, Serialize, Deserialize)]
struct Manner {
    format: Option<String>,
    time_zone: String,
    date_order: Option<String>,
    now: At,
}

impl From<&Options> for Manner {
    fn from(options: &Options) -> Self {
        Self {
            format: options.format.map(|format| format.as_str().to_owned()),
            time_zone: options.time_zone.name().to_owned(),
            date_order: options.date_order.map(|order| order.as_str().to_owned()),
            now: options.now.into(),
        }
    }
}

/// The text that [`read_options`] reads.
pub(super) fn options_text(options: &Options) -> String {
    serde_json::json!(Manner::from(options)).to_string()
}

/// How a file is to be read. `None`: another version wrote what this one does not know.
pub(super) fn read_options(text: &str) -> Option<Options> {
    let manner: Manner = serde_json::from_str(text).ok()?;
    let format = manner.format.map(|name| name.parse::<Format>()).transpose().ok()?;
    let date_order = manner.date_order.map(|name| name.parse::<DateOrder>()).transpose().ok()?;
    let time_zone = days::zone(&manner.time_zone).ok()?;
    Some(Options { format, time_zone, date_order, now: *manner.now })
}

/// Why a file is not stored.
pub(super) enum Unstored {
    /// It cannot be read.
    Io(io::Error),
    /// It was taken away while it came.
    Gone,
}

/// Stores the chunks of a file.
pub(super) async fn send(
    pool: &Pool,
    clock: &Clock,
    file: Arc<ImportFile>,
    file_id: i64,
) -> Work<Result<(), Unstored>> {
    let (sender, mut receiver) = mpsc::channel::<Vec<u8>>(1);
    let reading = blocking(move || -> io::Result<()> {
        let mut input = file.open_packed()?;
        loop {
            let mut chunk = Vec::new();
            input.by_ref().take(CHUNK).read_to_end(&mut chunk)?;
            if chunk.is_empty() || sender.blocking_send(chunk).is_err() {
                return Ok(());
            }
        }
    });
    let mut number = 0;
    while let Some(chunk) = receiver.recv().await {
        let now = clock.now();
        let grown: Work<bool> = pool
            .write(move |db| {
                let bytes = i64::try_from(chunk.len()).unwrap_or(i64::MAX);
                let is_there = store::grow_file(db, file_id, bytes, now)?;
                if is_there {
                    store::add_chunk(db, file_id, number, &chunk)?;
                }
                Ok(is_there)
            })
            .await;
        if !grown? {
            return Ok(Err(Unstored::Gone));
        }
        number += 1;
    }
    Ok(reading.await?.map_err(Unstored::Io))
}

/// Why a file that was stored is not here.
#[derive(Debug)]
pub(super) enum Unfetched {
    /// There is no room for it on disk now.
    NoRoom,
    /// The disk.
    Io(io::Error),
    /// A chunk is gone.
    Gone,
}

/// Brings the chunks of a file together on the disk of this process.
pub(super) async fn fetch(
    pool: &Pool,
    places: &Places,
    file_id: i64,
    size: i64,
) -> Work<Result<ImportFile, Unfetched>> {
    let Some(held) = places.room.take(usize::try_from(size).unwrap_or(usize::MAX)) else {
        return Ok(Err(Unfetched::NoRoom));
    };
    let mut file = match tempfile::tempfile() {
        Ok(file) => file,
        Err(error) => return Ok(Err(Unfetched::Io(error))),
    };
    let mut left = size;
    let mut number = 0;
    while left > 0 {
        let chunk: Work<_> = pool.read(move |db| Ok(store::chunk(db, file_id, number)?)).await;
        let Some(chunk) = chunk? else {
            return Ok(Err(Unfetched::Gone));
        };
        left -= i64::try_from(chunk.len()).unwrap_or(i64::MAX).max(1);
        number += 1;
        let written = blocking(move || -> io::Result<File> {
            file.write_all(&chunk)?;
            Ok(file)
        });
        file = match written.await? {
            Ok(file) => file,
            Err(error) => return Ok(Err(Unfetched::Io(error))),
        };
    }
    match ImportFile::new(file) {
        Ok(mut file) => {
            file.hold(vec![held]);
            Ok(Ok(file))
        }
        Err(error) => Ok(Err(Unfetched::Io(error))),
    }
}
