//! The races of friends, blocks, streaks and groups. One race class is one [`Guard`] or one
//! conditional update, one function, and one test of the same name in `tests/it/races/`.
//!
//! What two people are to each other is settled on their row of `friend_pairs`: a request
//! ([`approach`]), an acceptance ([`befriend`]), an end ([`part`]) and a block ([`raise_block`]) all
//! begin with an update of it that finds it only in a state in which they may. What one person may
//! have is counted under the lock of their account ([`hold_people`]).

use super::model::{
    GROUP, GroupRow, NewBlock, NewGroup, NewMember, NewRequest, NewStreakDay, PAIR, PairRow,
    Parted, REQUEST, RequestRow, Role, Status,
};
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::{
    blocks, friend_pairs, friend_requests, friend_streak_days, group_members, groups, users,
};
use chrono::NaiveDate;
use diesel::dsl::case_when;
use diesel::prelude::*;

/// Two people have one row.
pub const PAIR_OF_TWO: Guard = Guard {
    name: "friend_pairs_user1_id_user2_id",
    table: "friend_pairs",
    columns: &["user1_id", "user2_id"],
    target: "(user1_id, user2_id)",
    predicate: None,
};

/// Of one person to another, one request is open.
pub const OPEN_REQUEST: Guard = Guard {
    name: "friend_requests_requester_id_addressee_id",
    table: "friend_requests",
    columns: &["requester_id", "addressee_id"],
    target: "(requester_id, addressee_id) where status = 'pending'",
    predicate: Some(("status = 'pending'", "(status = 'pending'::text)")),
};

/// One person blocks another once.
pub const BLOCK: Guard = Guard {
    name: "blocks_blocker_id_blocked_id",
    table: "blocks",
    columns: &["blocker_id", "blocked_id"],
    target: "(blocker_id, blocked_id)",
    predicate: None,
};

/// Two friends keep a day once.
pub const STREAK_DAY: Guard = Guard {
    name: "friend_streak_days_user1_id_user2_id_day",
    table: "friend_streak_days",
    columns: &["user1_id", "user2_id", "day"],
    target: "(user1_id, user2_id, day)",
    predicate: None,
};

/// A key makes at most one group of a user.
pub const GROUP_KEY: Guard = Guard {
    name: "groups_user_id_idempotency_key",
    table: "groups",
    columns: &["user_id", "idempotency_key"],
    target: "(user_id, idempotency_key) where idempotency_key is not null",
    predicate: Some(("idempotency_key is not null", "(idempotency_key IS NOT NULL)")),
};

/// Somebody is in a group once.
pub const MEMBER: Guard = Guard {
    name: "group_members_group_id_user_id",
    table: "group_members",
    columns: &["group_id", "user_id"],
    target: "(group_id, user_id)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[PAIR_OF_TWO, OPEN_REQUEST, BLOCK, STREAK_DAY, GROUP_KEY, MEMBER];

/// Makes the row of two people, the lower number first, unless there is one: then `None`.
pub fn open_pair(db: &mut Db, (one, two): (i64, i64), now: At) -> QueryResult<Option<i64>> {
    diesel::insert_into(friend_pairs::table)
        .values((
            friend_pairs::user1_id.eq(one),
            friend_pairs::user2_id.eq(two),
            friend_pairs::created_at.eq(now),
            friend_pairs::updated_at.eq(now),
        ))
        .on_conflict(PAIR_OF_TWO.target())
        .do_nothing()
        .returning(friend_pairs::id)
        .get_result_on(db)
        .optional()
}

/// Whether `user_id` blocks the other one, by the row of both.
macro_rules! is_blocked_by {
    ($user_id:expr) => {
        case_when(friend_pairs::user1_id.eq($user_id), friend_pairs::blocked_by1)
            .otherwise(friend_pairs::blocked_by2)
    };
}

/// Begins a request: holds the row of two people who are no friends, where the requester does not
/// block the other.
pub fn approach(
    db: &mut Db,
    pair_id: i64,
    requester_id: i64,
    now: At,
) -> QueryResult<Option<PairRow>> {
    diesel::update(
        friend_pairs::table
            .find(pair_id)
            .filter(friend_pairs::friends_since.is_null())
            .filter(is_blocked_by!(requester_id).eq(false)),
    )
    .set(friend_pairs::updated_at.eq(now))
    .returning(PAIR)
    .get_result(db)
    .optional()
}

/// Makes friends of two people, unless they are, or one of them blocks the other. Days from
/// `first_day` on count for their streak.
pub fn befriend(db: &mut Db, pair_id: i64, first_day: NaiveDate, now: At) -> QueryResult<bool> {
    let made = diesel::update(
        friend_pairs::table
            .find(pair_id)
            .filter(friend_pairs::friends_since.is_null())
            .filter(friend_pairs::blocked_by1.eq(false))
            .filter(friend_pairs::blocked_by2.eq(false)),
    )
    .set((
        friend_pairs::friends_since.eq(now),
        friend_pairs::first_day.eq(first_day),
        friend_pairs::updated_at.eq(now),
    ))
    .execute(db)?;
    Ok(made == 1)
}

/// Ends a friendship, if there is one.
pub fn part(db: &mut Db, pair_id: i64, now: At) -> QueryResult<bool> {
    let parted = diesel::update(
        friend_pairs::table.find(pair_id).filter(friend_pairs::friends_since.is_not_null()),
    )
    .set(Parted::at(now))
    .execute(db)?;
    Ok(parted == 1)
}

/// Lets one of two people block the other, unless they do; a friendship ends by it.
pub fn raise_block(db: &mut Db, pair_id: i64, blocker_id: i64, now: At) -> QueryResult<bool> {
    let is_first = || friend_pairs::user1_id.eq(blocker_id);
    let is_second = || friend_pairs::user2_id.eq(blocker_id);
    let raised = diesel::update(
        friend_pairs::table.find(pair_id).filter(is_blocked_by!(blocker_id).eq(false)),
    )
    .set((
        friend_pairs::blocked_by1.eq(friend_pairs::blocked_by1.or(is_first())),
        friend_pairs::blocked_by2.eq(friend_pairs::blocked_by2.or(is_second())),
        Parted::at(now),
    ))
    .execute(db)?;
    Ok(raised == 1)
}

/// Takes back the block of one of two people, if there is one.
pub fn lift_block(db: &mut Db, pair_id: i64, blocker_id: i64, now: At) -> QueryResult<bool> {
    let is_other1 = || friend_pairs::user1_id.ne(blocker_id);
    let is_other2 = || friend_pairs::user2_id.ne(blocker_id);
    let lifted = diesel::update(
        friend_pairs::table.find(pair_id).filter(is_blocked_by!(blocker_id).eq(true)),
    )
    .set((
        friend_pairs::blocked_by1.eq(friend_pairs::blocked_by1.and(is_other1())),
        friend_pairs::blocked_by2.eq(friend_pairs::blocked_by2.and(is_other2())),
        friend_pairs::updated_at.eq(now),
    ))
    .execute(db)?;
    Ok(lifted == 1)
}

/// Writes a block into the list of the blocker, unless it is there.
pub fn keep_block(db: &mut Db, block: &NewBlock) -> QueryResult<bool> {
    let kept: Option<i64> = diesel::insert_into(blocks::table)
        .values(block)
        .on_conflict(BLOCK.target())
        .do_nothing()
        .returning(blocks::id)
        .get_result_on(db)
        .optional()?;
    Ok(kept.is_some())
}

/// Opens a request, unless one of the same person to the same person is open.
pub fn open_request(db: &mut Db, request: &NewRequest) -> QueryResult<Option<RequestRow>> {
    diesel::insert_into(friend_requests::table)
        .values(request)
        .on_conflict(OPEN_REQUEST.target())
        .do_nothing()
        .returning(REQUEST)
        .get_result_on(db)
        .optional()
}

/// Gives an open request its end. Of an acceptance, a decline and a cancellation one wins.
pub fn close_request(db: &mut Db, id: i64, status: Status, now: At) -> QueryResult<bool> {
    let closed = diesel::update(
        friend_requests::table.find(id).filter(friend_requests::status.eq(Status::Pending)),
    )
    .set((friend_requests::status.eq(status), friend_requests::closed_at.eq(now)))
    .execute(db)?;
    Ok(closed == 1)
}

/// Holds the accounts of people, the lower number first, before what they have is counted: whoever adds
/// to it does so one after the other, so that nobody gets more than there may be.
pub fn hold_people(db: &mut Db, ids: &[i64]) -> QueryResult<usize> {
    let all =
        users::table.filter(users::id.eq_any(ids.to_vec())).order(users::id).select(users::id);
    match db {
        // Whoever only refers to the account does not wait.
        Db::Postgres(conn) => all.for_no_key_update().load::<i64>(conn).map(|held| held.len()),
        // The transaction is the lock.
        Db::Sqlite(conn) => all.load::<i64>(conn).map(|held| held.len()),
    }
}

/// Holds the row of two people while they are friends: whether they are.
pub fn hold_friendship(db: &mut Db, pair_id: i64, now: At) -> QueryResult<bool> {
    // A write takes the lock on both databases.
    let held = diesel::update(
        friend_pairs::table.find(pair_id).filter(friend_pairs::friends_since.is_not_null()),
    )
    .set(friend_pairs::updated_at.eq(now))
    .execute(db)?;
    Ok(held == 1)
}

/// Holds the rows of a user and each friend, in one order for everybody. Of two friends who close a
/// day at once the second then sees, in a later statement, what the first has committed.
pub fn hold_friend_pairs(db: &mut Db, user_id: i64) -> QueryResult<Vec<PairRow>> {
    let is_one_of_them = friend_pairs::user1_id.eq(user_id).or(friend_pairs::user2_id.eq(user_id));
    let all = friend_pairs::table
        .filter(is_one_of_them)
        .filter(friend_pairs::friends_since.is_not_null())
        .order((friend_pairs::user1_id, friend_pairs::user2_id))
        .select(PAIR);
    match db {
        Db::Postgres(conn) => all.for_update().load(conn),
        // The transaction is the lock.
        Db::Sqlite(conn) => all.load(conn),
    }
}

/// Holds the rows of a user and everybody whom they ever met, in the order of everybody: their
/// deletion takes these rows with it, and whoever changes one needs the account too.
pub fn hold_pairs(db: &mut Db, user_id: i64) -> QueryResult<usize> {
    let all = friend_pairs::table
        .filter(friend_pairs::user1_id.eq(user_id).or(friend_pairs::user2_id.eq(user_id)))
        .order((friend_pairs::user1_id, friend_pairs::user2_id))
        .select(friend_pairs::id);
    match db {
        Db::Postgres(conn) => all.for_update().load::<i64>(conn).map(|held| held.len()),
        // The transaction is the lock.
        Db::Sqlite(conn) => all.load::<i64>(conn).map(|held| held.len()),
    }
}

/// Writes days that two friends both closed; returns the pairs whose day was not there.
pub fn record_streak_days(db: &mut Db, days: &[NewStreakDay]) -> QueryResult<Vec<(i64, i64)>> {
    if days.is_empty() {
        return Ok(Vec::new());
    }
    diesel::insert_into(friend_streak_days::table)
        .values(days)
        .on_conflict(STREAK_DAY.target())
        .do_nothing()
        .returning((friend_streak_days::user1_id, friend_streak_days::user2_id))
        .get_results_on(db)
}

/// Makes a group, unless its key has made one: then `None`.
pub fn create_group(db: &mut Db, group: &NewGroup<'_>) -> QueryResult<Option<GroupRow>> {
    diesel::insert_into(groups::table)
        .values(group)
        .on_conflict(GROUP_KEY.target())
        .do_nothing()
        .returning(GROUP)
        .get_result_on(db)
        .optional()
}

/// Holds a group that has not ended: who changes its members does so one after the other.
pub fn hold_group(db: &mut Db, id: i64, now: At) -> QueryResult<Option<GroupRow>> {
    diesel::update(groups::table.find(id).filter(groups::ended_at.is_null()))
        .set(groups::updated_at.eq(now))
        .returning(GROUP)
        .get_result(db)
        .optional()
}

/// Ends a group, if it has not ended.
pub fn end_group(db: &mut Db, id: i64, now: At) -> QueryResult<bool> {
    let ended = diesel::update(groups::table.find(id).filter(groups::ended_at.is_null()))
        .set((groups::ended_at.eq(now), groups::updated_at.eq(now)))
        .execute(db)?;
    Ok(ended == 1)
}

/// Adds somebody to a group; who is in it gets the role.
pub fn keep_member(db: &mut Db, member: &NewMember) -> QueryResult<(Role, At)> {
    diesel::insert_into(group_members::table)
        .values(member)
        .on_conflict(MEMBER.target())
        .do_update()
        .set(group_members::role.eq(member.role))
        .returning((group_members::role, group_members::created_at))
        .get_result_on(db)
}
