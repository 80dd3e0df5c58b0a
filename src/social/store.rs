//! Plain reads and writes. Nothing here settles a race.

use super::model::{
    BlockRow, GROUP, GroupRow, MemberRow, PAIR, PERSON, PairRow, Person, REQUEST, RequestRow, Role,
    Status,
};
use crate::db::Db;
use crate::schema::{
    blocks, friend_pairs, friend_requests, friend_streak_days, group_members, groups, ring_days,
    users,
};
use chrono::NaiveDate;
use diesel::dsl::{exists, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use std::collections::HashMap;

/// What waits for an answer. It stands in the statements as it is, since a partial index is not found
/// through a parameter: those that have ended only grow in number.
const PENDING: &str = "friend_requests.status = 'pending'";

/// More days than a streak has had time for.
const MOST_DAYS: i64 = 10_000;

/// Somebody, by their handle.
pub fn person_by_handle(db: &mut Db, handle: &str) -> QueryResult<Option<Person>> {
    users::table.filter(users::handle.eq(handle)).select(PERSON).first(db).optional()
}

/// Whether there is such an account.
pub fn is_account(db: &mut Db, user_id: i64) -> QueryResult<bool> {
    diesel::select(exists(users::table.find(user_id))).get_result(db)
}

/// Several people, by their numbers.
pub fn people(db: &mut Db, ids: &[i64]) -> QueryResult<HashMap<i64, Person>> {
    let found: Vec<Person> =
        users::table.filter(users::id.eq_any(ids.to_vec())).select(PERSON).load(db)?;
    Ok(found.into_iter().map(|person| (person.id, person)).collect())
}

/// The row of two people, the lower number first.
pub fn pair(db: &mut Db, (one, two): (i64, i64)) -> QueryResult<Option<PairRow>> {
    friend_pairs::table
        .filter(friend_pairs::user1_id.eq(one))
        .filter(friend_pairs::user2_id.eq(two))
        .select(PAIR)
        .first(db)
        .optional()
}

/// The friends of a user, the latest acquaintance first, before the pair with this number.
pub fn friends(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<PairRow>> {
    friend_pairs::table
        .filter(friend_pairs::user1_id.eq(user_id).or(friend_pairs::user2_id.eq(user_id)))
        .filter(friend_pairs::friends_since.is_not_null())
        .filter(friend_pairs::id.lt(before.unwrap_or(i64::MAX)))
        .order(friend_pairs::id.desc())
        .limit(limit)
        .select(PAIR)
        .load(db)
}

/// How many friends a user has.
pub fn count_friends(db: &mut Db, user_id: i64) -> QueryResult<i64> {
    friend_pairs::table
        .filter(friend_pairs::user1_id.eq(user_id).or(friend_pairs::user2_id.eq(user_id)))
        .filter(friend_pairs::friends_since.is_not_null())
        .count()
        .get_result(db)
}

/// A request.
pub fn request(db: &mut Db, id: i64) -> QueryResult<Option<RequestRow>> {
    friend_requests::table.find(id).select(REQUEST).first(db).optional()
}

/// The open request of one person to another.
pub fn open_request(
    db: &mut Db,
    requester_id: i64,
    addressee_id: i64,
) -> QueryResult<Option<RequestRow>> {
    friend_requests::table
        .filter(friend_requests::requester_id.eq(requester_id))
        .filter(friend_requests::addressee_id.eq(addressee_id))
        .filter(sql::<Bool>(PENDING))
        .select(REQUEST)
        .first(db)
        .optional()
}

/// The latest request of one person to another that made them friends.
pub fn accepted_request(
    db: &mut Db,
    requester_id: i64,
    addressee_id: i64,
) -> QueryResult<Option<RequestRow>> {
    friend_requests::table
        .filter(friend_requests::requester_id.eq(requester_id))
        .filter(friend_requests::addressee_id.eq(addressee_id))
        .filter(friend_requests::status.eq(Status::Accepted))
        .order(friend_requests::id.desc())
        .select(REQUEST)
        .first(db)
        .optional()
}

/// How many requests of a user are open.
pub fn count_open(db: &mut Db, requester_id: i64) -> QueryResult<i64> {
    friend_requests::table
        .filter(friend_requests::requester_id.eq(requester_id))
        .filter(sql::<Bool>(PENDING))
        .count()
        .get_result(db)
}

/// The open requests of a user, the latest first, before the one with this number.
pub fn open_requests_of(
    db: &mut Db,
    user_id: i64,
    before: i64,
    limit: i64,
) -> QueryResult<Vec<RequestRow>> {
    friend_requests::table
        .filter(friend_requests::requester_id.eq(user_id))
        .filter(sql::<Bool>(PENDING))
        .filter(friend_requests::id.lt(before))
        .order(friend_requests::id.desc())
        .limit(limit)
        .select(REQUEST)
        .load(db)
}

/// The open requests to a user that they may see, the latest first, before the one with this number.
pub fn open_requests_to(
    db: &mut Db,
    user_id: i64,
    before: i64,
    limit: i64,
) -> QueryResult<Vec<RequestRow>> {
    friend_requests::table
        .filter(friend_requests::addressee_id.eq(user_id))
        .filter(sql::<Bool>(PENDING))
        .filter(friend_requests::id.lt(before))
        .filter(friend_requests::hidden.eq(false))
        .order(friend_requests::id.desc())
        .limit(limit)
        .select(REQUEST)
        .load(db)
}

/// Whether a user knows who another one is: by a request of either that they saw or that made them
/// friends, or by a group.
pub fn has_met(db: &mut Db, user_id: i64, other_id: i64) -> QueryResult<bool> {
    let asked =
        friend_requests::requester_id.eq(user_id).and(friend_requests::addressee_id.eq(other_id));
    let was_asked = friend_requests::requester_id
        .eq(other_id)
        .and(friend_requests::addressee_id.eq(user_id))
        .and(friend_requests::hidden.eq(false).or(friend_requests::status.eq(Status::Accepted)));
    let by_request: bool =
        diesel::select(exists(friend_requests::table.filter(asked.or(was_asked))))
            .get_result(db)?;
    if by_request {
        return Ok(true);
    }
    let theirs = group_members::table
        .filter(group_members::user_id.eq(other_id))
        .select(group_members::group_id);
    let shared = group_members::table
        .filter(group_members::user_id.eq(user_id))
        .filter(group_members::group_id.eq_any(theirs.load::<i64>(db)?));
    diesel::select(exists(shared)).get_result(db)
}

/// How many people a user blocks.
pub fn count_blocks(db: &mut Db, blocker_id: i64) -> QueryResult<i64> {
    blocks::table.filter(blocks::blocker_id.eq(blocker_id)).count().get_result(db)
}

/// Whom a user blocks, the latest first, before the one with this number.
pub fn blocks(
    db: &mut Db,
    blocker_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<BlockRow>> {
    blocks::table
        .inner_join(users::table.on(users::id.eq(blocks::blocked_id)))
        .filter(blocks::blocker_id.eq(blocker_id))
        .filter(blocks::id.lt(before.unwrap_or(i64::MAX)))
        .order(blocks::id.desc())
        .limit(limit)
        .select((blocks::id, PERSON, blocks::acquainted, blocks::created_at))
        .load(db)
}

/// The block of one person by another.
pub fn block(db: &mut Db, user_id: i64, other_id: i64) -> QueryResult<Option<BlockRow>> {
    blocks::table
        .inner_join(users::table.on(users::id.eq(blocks::blocked_id)))
        .filter(blocks::blocker_id.eq(user_id))
        .filter(blocks::blocked_id.eq(other_id))
        .select((blocks::id, PERSON, blocks::acquainted, blocks::created_at))
        .first(db)
        .optional()
}

/// Takes a block off the list.
pub fn drop_block(db: &mut Db, user_id: i64, other_id: i64) -> QueryResult<usize> {
    diesel::delete(
        blocks::table
            .filter(blocks::blocker_id.eq(user_id))
            .filter(blocks::blocked_id.eq(other_id)),
    )
    .execute(db)
}

/// Who of `others` a user does not see in a group, since one of the two blocks the other.
pub fn hidden_from(db: &mut Db, user_id: i64, others: &[i64]) -> QueryResult<Vec<i64>> {
    let mut hidden: Vec<i64> = blocks::table
        .filter(blocks::blocker_id.eq(user_id))
        .filter(blocks::blocked_id.eq_any(others.to_vec()))
        .select(blocks::blocked_id)
        .load(db)?;
    let by_others = blocks::table
        .filter(blocks::blocked_id.eq(user_id))
        .filter(blocks::blocker_id.eq_any(others.to_vec()))
        .select(blocks::blocker_id);
    hidden.extend(by_others.load::<i64>(db)?);
    Ok(hidden)
}

/// Who of these users closed the rings of a local date.
pub fn who_closed(db: &mut Db, user_ids: &[i64], day: NaiveDate) -> QueryResult<Vec<i64>> {
    ring_days::table
        .filter(ring_days::user_id.eq_any(user_ids.to_vec()))
        .filter(ring_days::day.eq(day))
        .filter(ring_days::closed_at.is_not_null())
        .select(ring_days::user_id)
        .load(db)
}

/// The days that two friends both closed, the last first.
pub fn streak_days(db: &mut Db, user1_id: i64, user2_id: i64) -> QueryResult<Vec<NaiveDate>> {
    friend_streak_days::table
        .filter(friend_streak_days::user1_id.eq(user1_id))
        .filter(friend_streak_days::user2_id.eq(user2_id))
        .order(friend_streak_days::day.desc())
        .limit(MOST_DAYS)
        .select(friend_streak_days::day)
        .load(db)
}

/// Notes how long a streak is. The caller holds the row.
pub fn set_streak(db: &mut Db, pair_id: i64, length: i32, last: NaiveDate) -> QueryResult<usize> {
    diesel::update(friend_pairs::table.find(pair_id))
        .set((friend_pairs::streak_days.eq(length), friend_pairs::streak_last_day.eq(last)))
        .execute(db)
}

/// Forgets the days that two people both closed.
pub fn drop_streak(db: &mut Db, user1_id: i64, user2_id: i64) -> QueryResult<usize> {
    diesel::delete(
        friend_streak_days::table
            .filter(friend_streak_days::user1_id.eq(user1_id))
            .filter(friend_streak_days::user2_id.eq(user2_id)),
    )
    .execute(db)
}

/// A group that has not ended.
pub fn group(db: &mut Db, id: i64) -> QueryResult<Option<GroupRow>> {
    groups::table.find(id).filter(groups::ended_at.is_null()).select(GROUP).first(db).optional()
}

/// The group that a key made.
pub fn group_by_key(db: &mut Db, user_id: i64, key: &str) -> QueryResult<Option<GroupRow>> {
    groups::table
        .filter(groups::user_id.eq(user_id))
        .filter(groups::idempotency_key.eq(key))
        .select(GROUP)
        .first(db)
        .optional()
}

/// How many groups a user has.
pub fn count_groups(db: &mut Db, user_id: i64) -> QueryResult<i64> {
    groups::table
        .filter(groups::user_id.eq(user_id))
        .filter(groups::ended_at.is_null())
        .count()
        .get_result(db)
}

/// In how many groups a user is.
pub fn count_memberships(db: &mut Db, user_id: i64) -> QueryResult<i64> {
    group_members::table.filter(group_members::user_id.eq(user_id)).count().get_result(db)
}

/// The groups of a user and what they are there, the latest first, before the one with this number.
pub fn groups_of(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<(GroupRow, Role)>> {
    group_members::table
        .inner_join(groups::table)
        .filter(group_members::user_id.eq(user_id))
        .filter(group_members::group_id.lt(before.unwrap_or(i64::MAX)))
        .order(group_members::group_id.desc())
        .limit(limit)
        .select((GROUP, group_members::role))
        .load(db)
}

/// What somebody is in a group.
pub fn role(db: &mut Db, group_id: i64, user_id: i64) -> QueryResult<Option<Role>> {
    group_members::table
        .filter(group_members::group_id.eq(group_id))
        .filter(group_members::user_id.eq(user_id))
        .select(group_members::role)
        .first(db)
        .optional()
}

/// How many are in a group.
pub fn count_members(db: &mut Db, group_id: i64) -> QueryResult<i64> {
    group_members::table.filter(group_members::group_id.eq(group_id)).count().get_result(db)
}

/// Who is in a group.
pub fn members(db: &mut Db, group_id: i64) -> QueryResult<Vec<MemberRow>> {
    group_members::table
        .inner_join(users::table.on(users::id.eq(group_members::user_id)))
        .filter(group_members::group_id.eq(group_id))
        .order(group_members::user_id)
        .select((PERSON, group_members::role, group_members::created_at))
        .load(db)
}

/// Takes somebody out of a group.
pub fn remove_member(db: &mut Db, group_id: i64, user_id: i64) -> QueryResult<usize> {
    diesel::delete(
        group_members::table
            .filter(group_members::group_id.eq(group_id))
            .filter(group_members::user_id.eq(user_id)),
    )
    .execute(db)
}

/// Takes everybody out of a group.
pub fn remove_members(db: &mut Db, group_id: i64) -> QueryResult<usize> {
    diesel::delete(group_members::table.filter(group_members::group_id.eq(group_id))).execute(db)
}

/// Takes somebody out of all groups of an owner.
pub fn remove_from_groups_of(db: &mut Db, owner_id: i64, user_id: i64) -> QueryResult<usize> {
    let of_owner = groups::table.filter(groups::user_id.eq(owner_id)).select(groups::id);
    let ids: Vec<i64> = of_owner.load(db)?;
    diesel::delete(
        group_members::table
            .filter(group_members::user_id.eq(user_id))
            .filter(group_members::group_id.eq_any(ids)),
    )
    .execute(db)
}
