//! Broadcasts: what an admin tells everybody, or everybody who was active lately.
//!
//! Always true here: a broadcast and the job that tells it are made in one transaction. Who is told is
//! fixed then: accounts up to the last of that moment, active between then and a fixed cut-off. The
//! job walks them by their numbers; a batch and the place of the walk are one transaction, so that
//! killed at any point and run again it tells everybody once.

pub mod fanout;
pub mod guards;
pub mod model;
pub mod routes;
pub mod store;

use crate::db::Db;
use crate::db::instant::At;
use crate::jobs;
use crate::notifications::model::Kind;
use crate::notifications::{Announcement, Recipients, notify_all};
use chrono::TimeDelta;
use diesel::QueryResult;
use fanout::BroadcastFanout;
use model::{BroadcastRow, NewBroadcast};

/// Accounts that one step of the walk passes.
const BATCH: i64 = 1000;

/// What is to be broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// One line.
    pub title: String,
    /// What is told.
    pub body: String,
    /// In how many days its audience was active; everybody without.
    pub active_days: Option<i32>,
    /// The key of the request and what it asks for, where it has one.
    pub key: Option<(String, String)>,
}

/// What became of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// Made, and on its way.
    New(BroadcastRow),
    /// The key has made this one before.
    Replayed(BroadcastRow),
    /// The key has made another one before.
    KeyReused,
}

/// Makes a broadcast and its job. Who is told is fixed by that.
///
/// # Errors
/// When the database fails.
pub fn create(db: &mut Db, user_id: i64, order: &Order, now: At) -> QueryResult<Made> {
    let (key, fingerprint) = match &order.key {
        Some((key, fingerprint)) => (Some(key.as_str()), Some(fingerprint.as_str())),
        None => (None, None),
    };
    let active_since =
        order.active_days.map(|days| At::from(*now - TimeDelta::days(i64::from(days))));
    let new = NewBroadcast {
        user_id,
        title: &order.title,
        body: &order.body,
        active_days: order.active_days,
        active_since,
        last_user_id: store::last_user_id(db)?,
        idempotency_key: key,
        fingerprint,
        created_at: now,
        updated_at: now,
    };
    if let Some(broadcast) = guards::create_broadcast(db, &new)? {
        jobs::enqueue(db, &BroadcastFanout { broadcast_id: broadcast.id })?;
        return Ok(Made::New(broadcast));
    }
    // Lost to a call with the same key, which has committed.
    let winner = match key {
        Some(key) => store::by_key(db, user_id, key)?,
        None => None,
    };
    let winner = winner.ok_or(diesel::NotFound)?;
    let is_same = winner.fingerprint.as_deref() == fingerprint;
    Ok(if is_same { Made::Replayed(winner) } else { Made::KeyReused })
}

/// A broadcast.
///
/// # Errors
/// When the database fails.
pub fn find(db: &mut Db, id: i64) -> QueryResult<Option<BroadcastRow>> {
    store::find(db, id)
}

/// All broadcasts, the latest first, before the one with this number.
///
/// # Errors
/// When the database fails.
pub fn list(db: &mut Db, before: Option<i64>, limit: i64) -> QueryResult<Vec<BroadcastRow>> {
    store::list(db, before, limit)
}

/// One step of the walk over the accounts: those above the cursor, up to `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// What is told, and where the walk is.
    pub broadcast: BroadcastRow,
    /// The last account of the step.
    pub to: i64,
    /// Whether nobody comes after it.
    pub is_last: bool,
}

/// The next step, `None` where nobody is left to tell, or the broadcast is gone with its admin.
///
/// # Errors
/// When the database fails.
pub fn next_batch(db: &mut Db, id: i64) -> QueryResult<Option<Batch>> {
    let found = store::find(db, id)?.filter(|broadcast| broadcast.finished_at.is_none());
    let Some(broadcast) = found else { return Ok(None) };
    let last = broadcast.last_user_id;
    let full = store::user_after(db, broadcast.cursor_user_id, last, BATCH)?;
    let to = full.unwrap_or(last);
    Ok(Some(Batch { broadcast, to, is_last: to == last }))
}

/// Takes a step: moves the cursor, and tells those in between. `false`: another runner is ahead, and
/// nothing was done.
///
/// # Errors
/// When the database fails.
pub fn tell(db: &mut Db, batch: &Batch, now: At) -> QueryResult<bool> {
    let Batch { broadcast, to, is_last } = batch;
    let (id, from) = (broadcast.id, broadcast.cursor_user_id);
    if !guards::advance_broadcast(db, id, from, *to, now)? {
        return Ok(false);
    }
    let cause = id.to_string();
    let what = Announcement {
        kind: Kind::Broadcast,
        cause: &cause,
        title: &broadcast.title,
        body: &broadcast.body,
        link: None,
    };
    let told = match broadcast.active_since {
        None => notify_all(db, &Recipients::Between { after: from, until: *to }, &what, now)?,
        Some(since) => {
            let active = store::active(db, (from, *to), (since, broadcast.created_at))?;
            notify_all(db, &Recipients::Users(&active), &what, now)?
        }
    };
    store::count_told(db, id, i64::try_from(told).unwrap_or(i64::MAX))?;
    if *is_last {
        store::finish(db, id, now)?;
    }
    Ok(true)
}
