//! Blocks: each in one direction, and unknown to whoever is blocked.

use super::model::{BlockRow, NewBlock, Status};
use super::{BLOCKS, guards, in_order, pair_of, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use diesel::QueryResult;

/// Why nobody was blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such account.
    Unknown,
    /// Nobody blocks themselves.
    Yourself,
    /// [`BLOCKS`] are blocked.
    TooMany,
}

/// Blocks somebody: a friendship, its streak and open requests end, each leaves the groups of the
/// other, and nothing that the blocked one does reaches the blocker. The same again changes nothing.
///
/// # Errors
/// [`Refusal`]; then nothing is stored.
pub fn block(db: &mut Db, user_id: i64, other_id: i64, now: At) -> Work<BlockRow, Refusal> {
    if user_id == other_id {
        return Err(Stopped::Because(Refusal::Yourself));
    }
    if !store::is_account(db, other_id)? {
        return Err(Stopped::Because(Refusal::Unknown));
    }
    let pair_id = pair_of(db, user_id, other_id, now)?;
    if guards::raise_block(db, pair_id, user_id, now)? {
        guards::hold_people(db, &[user_id])?;
        if store::count_blocks(db, user_id)? >= BLOCKS {
            return Err(Stopped::Because(Refusal::TooMany));
        }
        let acquainted = store::has_met(db, user_id, other_id)?;
        let new =
            NewBlock { blocker_id: user_id, blocked_id: other_id, acquainted, created_at: now };
        guards::keep_block(db, &new)?;
        end_all(db, user_id, other_id, now)?;
    }
    Ok(store::block(db, user_id, other_id)?.ok_or(diesel::NotFound)?)
}

/// Ends what was between two people. The caller holds their row.
fn end_all(db: &mut Db, user_id: i64, other_id: i64, now: At) -> QueryResult<()> {
    let open = [
        (store::open_request(db, other_id, user_id)?, Status::Declined),
        (store::open_request(db, user_id, other_id)?, Status::Cancelled),
    ];
    for (request, end) in open {
        if let Some(request) = request {
            guards::close_request(db, request.id, end, now)?;
        }
    }
    let (lower, higher) = in_order(user_id, other_id);
    store::drop_streak(db, lower, higher)?;
    store::remove_from_groups_of(db, user_id, other_id)?;
    store::remove_from_groups_of(db, other_id, user_id)?;
    Ok(())
}

/// Takes a block back; where there is none, nothing changes. What it ended stays ended.
///
/// # Errors
/// When the database fails.
pub fn unblock(db: &mut Db, user_id: i64, other_id: i64, now: At) -> QueryResult<bool> {
    let Some(pair) = store::pair(db, in_order(user_id, other_id))? else {
        return Ok(false);
    };
    let lifted = guards::lift_block(db, pair.id, user_id, now)?;
    if lifted {
        store::drop_block(db, user_id, other_id)?;
    }
    Ok(lifted)
}

/// Whom a user blocks, the latest first.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<BlockRow>> {
    store::blocks(db, user_id, before, limit)
}
