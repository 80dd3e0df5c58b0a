//! Devices: where a user's browsers take messages. A device is its endpoint, and is the user's who
//! registered it last.

use super::model::{NewSubscription, PushSubscription};
use super::{guards, store};
use crate::db::Db;
use diesel::QueryResult;

/// Devices of one user. Browsers make new endpoints and forget old ones, so a further one takes the
/// place of the one that was registered the longest ago.
pub const MOST: i64 = 20;

/// Registers a device, and whether the user did not have it yet. `None`: the account is gone.
///
/// # Errors
/// When the database fails.
pub fn register(
    db: &mut Db,
    new: &NewSubscription<'_>,
) -> QueryResult<Option<(PushSubscription, bool)>> {
    // Two at once count each other.
    if !guards::hold_devices(db, new.user_id)? {
        return Ok(None);
    }
    let device = guards::register_subscription(db, new)?;
    store::keep_newest(db, new.user_id, MOST)?;
    let is_new = device.created_at == new.now;
    Ok(Some((device, is_new)))
}

/// The devices of a user, the newest first, older than `before`.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<PushSubscription>> {
    store::subscriptions(db, user_id, before, limit)
}

/// Takes away a device; `false`: the user has none of this number.
///
/// # Errors
/// When the database fails.
pub fn remove(db: &mut Db, user_id: i64, id: i64) -> QueryResult<bool> {
    store::remove(db, user_id, id)
}
