//! Rows of broadcasts.

use crate::db::instant::At;
use crate::schema::broadcasts;
use diesel::prelude::*;

/// A row of `broadcasts`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct BroadcastRow {
    /// Its number.
    pub id: i64,
    /// One line.
    pub title: String,
    /// What is told.
    pub body: String,
    /// In how many days before it was made its audience was active; everybody without.
    pub active_days: Option<i32>,
    /// Since when its audience was active.
    pub active_since: Option<At>,
    /// The highest number of an account that it goes to.
    pub last_user_id: i64,
    /// All of its audience up to this number has been told.
    pub cursor_user_id: i64,
    /// How many were told.
    pub told: i64,
    /// What the request that made it asked for, where it had a key.
    pub fingerprint: Option<String>,
    /// When it was made.
    pub created_at: At,
    /// When the last was told.
    pub finished_at: Option<At>,
}

/// The columns of [`BroadcastRow`].
pub type BroadcastColumns = (
    broadcasts::id,
    broadcasts::title,
    broadcasts::body,
    broadcasts::active_days,
    broadcasts::active_since,
    broadcasts::last_user_id,
    broadcasts::cursor_user_id,
    broadcasts::told,
    broadcasts::fingerprint,
    broadcasts::created_at,
    broadcasts::finished_at,
);

/// The columns of [`BroadcastRow`].
pub const BROADCAST: BroadcastColumns = (
    broadcasts::id,
    broadcasts::title,
    broadcasts::body,
    broadcasts::active_days,
    broadcasts::active_since,
    broadcasts::last_user_id,
    broadcasts::cursor_user_id,
    broadcasts::told,
    broadcasts::fingerprint,
    broadcasts::created_at,
    broadcasts::finished_at,
);

/// A broadcast to be made.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = broadcasts, treat_none_as_default_value = false)]
pub struct NewBroadcast<'a> {
    /// Whose.
    pub user_id: i64,
    /// One line.
    pub title: &'a str,
    /// What is told.
    pub body: &'a str,
    /// In how many days its audience was active.
    pub active_days: Option<i32>,
    /// Since when.
    pub active_since: Option<At>,
    /// The highest number of an account that there is.
    pub last_user_id: i64,
    /// The key of the request that made it.
    pub idempotency_key: Option<&'a str>,
    /// What that request asked for.
    pub fingerprint: Option<&'a str>,
    /// Now.
    pub created_at: At,
    /// Now.
    pub updated_at: At,
}
