//! People: requests for friendship, friends and their streaks, blocks, groups.
//!
//! Always true here:
//! - Two people are never friends while one of them blocks the other: one row says both, and the
//!   database refuses it otherwise.
//! - A stranger sees nothing, not even that somebody is there, but for a handle that they know; a
//!   blocked person sees what a stranger sees, and is answered as anybody is. `docs/privacy.md` says
//!   who sees what.
//! - Whatever ends a friendship ends its streak; a block ends open requests too, and takes each of
//!   the two out of the groups of the other.

pub mod blocks;
pub mod friends;
pub mod groups;
pub mod guards;
pub mod model;
pub mod requests;
pub mod routes;
pub mod store;
pub mod streaks;

use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::Stopped;
use diesel::QueryResult;
use diesel::result::{DatabaseErrorKind, Error};
use model::{PairRow, Person};
use std::collections::HashMap;

/// Friends of one person, at most.
pub const FRIENDS: i64 = 500;
/// Open requests of one person, at most.
pub const OPEN_REQUESTS: i64 = 200;
/// People whom one person blocks, at most.
pub const BLOCKS: i64 = 10_000;
/// Groups of one owner, at most.
pub const GROUPS: i64 = 50;
/// Groups that one person is in, at most.
pub const MEMBERSHIPS: i64 = 200;
/// Members of a group, its owner among them, at most.
pub const MEMBERS: i64 = 100;

/// Two people in the order of their row: the lower number first.
#[must_use]
pub fn in_order(one: i64, other: i64) -> (i64, i64) {
    if one < other { (one, other) } else { (other, one) }
}

/// The row of two people, which is made where there is none.
fn pair_of(db: &mut Db, one: i64, other: i64, now: At) -> QueryResult<i64> {
    let order = in_order(one, other);
    if let Some(pair) = store::pair(db, order)? {
        return Ok(pair.id);
    }
    if let Some(id) = guards::open_pair(db, order, now)? {
        return Ok(id);
    }
    // Lost to a call that has committed.
    store::pair(db, order)?.map(|pair| pair.id).ok_or(diesel::NotFound)
}

/// What both may see of each other as friends, if they are.
///
/// # Errors
/// When the database fails.
pub fn friendship(db: &mut Db, user_id: i64, other_id: i64) -> QueryResult<Option<PairRow>> {
    let pair = store::pair(db, in_order(user_id, other_id))?;
    Ok(pair.filter(|pair| pair.friends_since.is_some()))
}

/// Holds what a user shares with others, so that their account can be deleted.
///
/// # Errors
/// When the database fails.
pub fn hold_all(db: &mut Db, user_id: i64) -> QueryResult<usize> {
    guards::hold_pairs(db, user_id)
}

/// What others see of these accounts, by their numbers.
///
/// # Errors
/// When the database fails.
pub fn people(db: &mut Db, ids: &[i64]) -> QueryResult<HashMap<i64, Person>> {
    store::people(db, ids)
}

/// Whether a unit of work ended since an account that it needs was deleted meanwhile: looked at again,
/// there is nobody.
#[must_use]
pub fn is_of_an_absence<Reason>(stopped: &Stopped<Reason>) -> bool {
    matches!(
        stopped,
        Stopped::Database(
            Error::NotFound | Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _)
        )
    )
}
