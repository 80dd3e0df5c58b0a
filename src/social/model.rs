//! Rows of friends, requests, blocks and groups.

use crate::db::instant::At;
use crate::db::text::stored_as_text;
use crate::schema::{
    blocks, friend_pairs, friend_requests, friend_streak_days, group_members, groups, users,
};
use chrono::NaiveDate;
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What others see of an account: no address, no zone.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Serialize, ToSchema)]
pub struct Person {
    /// The number of the account.
    pub id: i64,
    /// Its short name.
    pub handle: String,
    /// What is shown, where something other than the handle is.
    #[schema(required = true)]
    pub display_name: Option<String>,
}

impl Person {
    /// What to call them.
    #[must_use]
    pub fn name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.handle)
    }
}

/// The columns of [`Person`].
pub type PersonColumns = (users::id, users::handle, users::display_name);

/// The columns of [`Person`].
pub const PERSON: PersonColumns = (users::id, users::handle, users::display_name);

/// What two people are to each other.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct PairRow {
    /// Its number.
    pub id: i64,
    /// The lower number of the two.
    pub user1_id: i64,
    /// The higher one.
    pub user2_id: i64,
    /// Since when they are friends, if they are.
    pub friends_since: Option<At>,
    /// The first local day that counts for their streak.
    pub first_day: Option<NaiveDate>,
    /// Whether the first blocks the second.
    pub blocked_by1: bool,
    /// Whether the second blocks the first.
    pub blocked_by2: bool,
    /// Consecutive days that both closed, up to the last of them.
    pub streak_days: i32,
    /// The last day that both closed.
    pub streak_last_day: Option<NaiveDate>,
}

impl PairRow {
    /// The other one of the two.
    #[must_use]
    pub fn other_than(&self, user_id: i64) -> i64 {
        if self.user1_id == user_id { self.user2_id } else { self.user1_id }
    }

    /// Whether one of the two blocks the other.
    #[must_use]
    pub fn is_blocked_by(&self, user_id: i64) -> bool {
        if self.user1_id == user_id { self.blocked_by1 } else { self.blocked_by2 }
    }
}

/// The columns of [`PairRow`].
pub type PairColumns = (
    friend_pairs::id,
    friend_pairs::user1_id,
    friend_pairs::user2_id,
    friend_pairs::friends_since,
    friend_pairs::first_day,
    friend_pairs::blocked_by1,
    friend_pairs::blocked_by2,
    friend_pairs::streak_days,
    friend_pairs::streak_last_day,
);

/// The columns of [`PairRow`].
pub const PAIR: PairColumns = (
    friend_pairs::id,
    friend_pairs::user1_id,
    friend_pairs::user2_id,
    friend_pairs::friends_since,
    friend_pairs::first_day,
    friend_pairs::blocked_by1,
    friend_pairs::blocked_by2,
    friend_pairs::streak_days,
    friend_pairs::streak_last_day,
);

/// What of two people ends with their friendship.
#[derive(Clone, Copy, Debug, AsChangeset)]
#[diesel(table_name = friend_pairs, treat_none_as_null = true)]
pub struct Parted {
    friends_since: Option<At>,
    first_day: Option<NaiveDate>,
    streak_days: i32,
    streak_last_day: Option<NaiveDate>,
    updated_at: At,
}

impl Parted {
    /// Nobody's friend, since `now`.
    #[must_use]
    pub const fn at(now: At) -> Self {
        Self {
            friends_since: None,
            first_day: None,
            streak_days: 0,
            streak_last_day: None,
            updated_at: now,
        }
    }
}

/// Where a request is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, AsExpression, FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = FriendRequestStatus)]
#[diesel(sql_type = Text)]
pub enum Status {
    /// It waits for an answer.
    Pending,
    /// They became friends by it.
    Accepted,
    /// The addressee does not want to.
    Declined,
    /// The requester does not want to any more.
    Cancelled,
}

stored_as_text! {
    Status, "status of a request":
    Pending => "pending",
    Accepted => "accepted",
    Declined => "declined",
    Cancelled => "cancelled",
}

/// A request for friendship.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct RequestRow {
    /// Its number.
    pub id: i64,
    /// Who asks.
    pub requester_id: i64,
    /// Who is asked.
    pub addressee_id: i64,
    /// Where it is.
    pub status: Status,
    /// Whether the addressee never sees it, since they block the requester.
    pub hidden: bool,
    /// When it was made.
    pub created_at: At,
    /// When it ended.
    pub closed_at: Option<At>,
}

/// The columns of [`RequestRow`].
pub type RequestColumns = (
    friend_requests::id,
    friend_requests::requester_id,
    friend_requests::addressee_id,
    friend_requests::status,
    friend_requests::hidden,
    friend_requests::created_at,
    friend_requests::closed_at,
);

/// The columns of [`RequestRow`].
pub const REQUEST: RequestColumns = (
    friend_requests::id,
    friend_requests::requester_id,
    friend_requests::addressee_id,
    friend_requests::status,
    friend_requests::hidden,
    friend_requests::created_at,
    friend_requests::closed_at,
);

/// A request to be opened.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = friend_requests, treat_none_as_default_value = false)]
pub struct NewRequest {
    /// Who asks.
    pub requester_id: i64,
    /// Who is asked.
    pub addressee_id: i64,
    /// `Pending`.
    pub status: Status,
    /// Whether the addressee blocks the requester.
    pub hidden: bool,
    /// Now.
    pub created_at: At,
}

/// A block to be kept.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = blocks, treat_none_as_default_value = false)]
pub struct NewBlock {
    /// Who blocks.
    pub blocker_id: i64,
    /// Who is blocked.
    pub blocked_id: i64,
    /// Whether the blocker knew who that is.
    pub acquainted: bool,
    /// Now.
    pub created_at: At,
}

/// A block, as the blocker's list has it.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct BlockRow {
    /// Its number.
    pub id: i64,
    /// Who is blocked.
    pub person: Person,
    /// Whether the blocker knew who that is.
    pub acquainted: bool,
    /// Since when.
    pub created_at: At,
}

/// A day that two friends both closed, to be kept.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = friend_streak_days, treat_none_as_default_value = false)]
pub struct NewStreakDay {
    /// The lower number of the two.
    pub user1_id: i64,
    /// The higher one.
    pub user2_id: i64,
    /// The local date of both.
    pub day: NaiveDate,
}

/// What somebody is in a group.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, AsExpression, FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = GroupRole)]
#[diesel(sql_type = Text)]
pub enum Role {
    /// Made it, and adds and removes the others.
    Owner,
    /// Helps the others. What access to their trackers will go by; the leaderboard is the same.
    Coach,
    /// Everybody else.
    Viewer,
}

stored_as_text! {
    Role, "role in a group":
    Owner => "owner",
    Coach => "coach",
    Viewer => "viewer",
}

/// A row of `groups`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct GroupRow {
    /// Its number.
    pub id: i64,
    /// Its owner.
    pub user_id: i64,
    /// What it is called.
    pub name: String,
    /// What the request that made it asked for, where it had a key.
    pub fingerprint: Option<String>,
    /// When it was made.
    pub created_at: At,
    /// When it ended, if it did.
    pub ended_at: Option<At>,
}

/// The columns of [`GroupRow`].
pub type GroupColumns = (
    groups::id,
    groups::user_id,
    groups::name,
    groups::fingerprint,
    groups::created_at,
    groups::ended_at,
);

/// The columns of [`GroupRow`].
pub const GROUP: GroupColumns = (
    groups::id,
    groups::user_id,
    groups::name,
    groups::fingerprint,
    groups::created_at,
    groups::ended_at,
);

/// A group to be made.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = groups, treat_none_as_default_value = false)]
pub struct NewGroup<'a> {
    /// Its owner.
    pub user_id: i64,
    /// What it is called.
    pub name: &'a str,
    /// The key of the request that made it.
    pub idempotency_key: Option<&'a str>,
    /// What that request asked for.
    pub fingerprint: Option<&'a str>,
    /// Now.
    pub created_at: At,
    /// Now.
    pub updated_at: At,
}

/// A member to be added.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = group_members, treat_none_as_default_value = false)]
pub struct NewMember {
    /// Of which group.
    pub group_id: i64,
    /// Who.
    pub user_id: i64,
    /// As what.
    pub role: Role,
    /// Now.
    pub created_at: At,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct MemberRow {
    /// Who.
    pub person: Person,
    /// As what.
    pub role: Role,
    /// Since when.
    pub created_at: At,
}
