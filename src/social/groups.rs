//! Groups: an owner, the friends that they add, and who had how much XP in a week.
//!
//! A group is counted in weeks from Monday to Sunday on each member's own calendar: XP counts for the
//! local day that it was got on, so that nobody gains or loses by where they live.

use super::model::{GroupRow, MemberRow, NewGroup, NewMember, Role};
use super::{GROUPS, MEMBERS, MEMBERSHIPS, guards, in_order, store};
use crate::days::days_later;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::xp;
use chrono::{Datelike, NaiveDate};
use diesel::QueryResult;
use std::cmp::Reverse;

/// Why nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such group, as far as the caller may know; or nobody whom they could add.
    Unknown,
    /// Only the owner does that.
    NotTheOwner,
    /// The owner stays the owner.
    OfTheOwner,
    /// The owner has [`GROUPS`], or the member is in [`MEMBERSHIPS`].
    TooManyGroups,
    /// The group has [`MEMBERS`].
    Full,
}

/// What became of an order for a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// Made.
    New(GroupRow),
    /// The key has made this one before.
    Replayed(GroupRow),
    /// The key has made another one before.
    KeyReused,
    /// The key has made one that has ended.
    Ended,
}

/// Makes a group, with its owner as the first member. `key` is the key of the request and what it asks
/// for.
///
/// # Errors
/// [`Refusal`]; then nothing is stored.
pub fn create(
    db: &mut Db,
    owner_id: i64,
    name: &str,
    key: Option<(&str, &str)>,
    now: At,
) -> Work<Made, Refusal> {
    if let Some((key, fingerprint)) = key
        && let Some(made) = made_before(db, owner_id, key, fingerprint)?
    {
        return Ok(made);
    }
    guards::hold_people(db, &[owner_id])?;
    if store::count_groups(db, owner_id)? >= GROUPS
        || store::count_memberships(db, owner_id)? >= MEMBERSHIPS
    {
        return Err(because(Refusal::TooManyGroups));
    }
    let new = NewGroup {
        user_id: owner_id,
        name,
        idempotency_key: key.map(|(key, _)| key),
        fingerprint: key.map(|(_, fingerprint)| fingerprint),
        created_at: now,
        updated_at: now,
    };
    let Some(group) = guards::create_group(db, &new)? else {
        // Lost to a call with the same key, which has committed.
        let (key, fingerprint) = key.ok_or(diesel::NotFound)?;
        return Ok(made_before(db, owner_id, key, fingerprint)?.ok_or(diesel::NotFound)?);
    };
    let owner =
        NewMember { group_id: group.id, user_id: owner_id, role: Role::Owner, created_at: now };
    guards::keep_member(db, &owner)?;
    Ok(Made::New(group))
}

fn made_before(
    db: &mut Db,
    owner_id: i64,
    key: &str,
    fingerprint: &str,
) -> QueryResult<Option<Made>> {
    let found = store::group_by_key(db, owner_id, key)?;
    Ok(found.map(|group| match group {
        group if group.fingerprint.as_deref() != Some(fingerprint) => Made::KeyReused,
        group if group.ended_at.is_some() => Made::Ended,
        group => Made::Replayed(group),
    }))
}

/// What a group may be called, of what its owner wants to call it: `None` where that will not do.
#[must_use]
pub fn group_name(wanted: &str) -> Option<String> {
    let name = wanted.trim();
    let is_name = (1..=100).contains(&name.chars().count()) && !name.contains(char::is_control);
    is_name.then(|| name.to_owned())
}

/// What [`group_name`] expects.
pub const GROUP_NAME: &str = "1 to 100 characters are expected, none of them a control character";

/// The groups of a user and what they are there, the latest first, before the one with this number.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<(GroupRow, Role)>> {
    store::groups_of(db, user_id, before, limit)
}

/// What somebody may see of a group at all: what they are in it.
fn role_in(db: &mut Db, group_id: i64, user_id: i64) -> Work<Role, Refusal> {
    store::role(db, group_id, user_id)?.ok_or(because(Refusal::Unknown))
}

/// Adds a friend of the owner, or gives a friend who is a member another role.
///
/// # Errors
/// [`Refusal`]; then nothing is stored.
pub fn put_member(
    db: &mut Db,
    owner_id: i64,
    group_id: i64,
    user_id: i64,
    role: Role,
    now: At,
) -> Work<MemberRow, Refusal> {
    if role_in(db, group_id, owner_id)? != Role::Owner {
        return Err(because(Refusal::NotTheOwner));
    }
    if user_id == owner_id {
        return Err(because(Refusal::OfTheOwner));
    }
    // Their row first, so that a block waits, and then takes the new member out again.
    let pair = store::pair(db, in_order(owner_id, user_id))?.ok_or(because(Refusal::Unknown))?;
    if !guards::hold_friendship(db, pair.id, now)? {
        return Err(because(Refusal::Unknown));
    }
    if guards::hold_group(db, group_id, now)?.is_none() {
        return Err(because(Refusal::Unknown));
    }
    if store::role(db, group_id, user_id)?.is_none() {
        if store::count_members(db, group_id)? >= MEMBERS {
            return Err(because(Refusal::Full));
        }
        guards::hold_people(db, &[user_id])?;
        if store::count_memberships(db, user_id)? >= MEMBERSHIPS {
            return Err(because(Refusal::TooManyGroups));
        }
    }
    let new = NewMember { group_id, user_id, role, created_at: now };
    let (role, created_at) = guards::keep_member(db, &new)?;
    let person = store::people(db, &[user_id])?.remove(&user_id).ok_or(diesel::NotFound)?;
    Ok(MemberRow { person, role, created_at })
}

/// Takes somebody out of a group: the owner anybody, everybody themselves. With its owner a group
/// ends. Who is not in it stays out.
///
/// # Errors
/// [`Refusal`]; then nothing is stored.
pub fn remove_member(
    db: &mut Db,
    caller_id: i64,
    group_id: i64,
    user_id: i64,
    now: At,
) -> Work<(), Refusal> {
    let role = role_in(db, group_id, caller_id)?;
    match (role, caller_id == user_id) {
        (Role::Owner, true) => {
            // Whoever is just adding somebody holds the group, and is waited for.
            guards::end_group(db, group_id, now)?;
            store::remove_members(db, group_id)?;
        }
        (Role::Owner, false) | (_, true) => {
            store::remove_member(db, group_id, user_id)?;
        }
        (_, false) => return Err(because(Refusal::NotTheOwner)),
    }
    Ok(())
}

/// One line of a leaderboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1; who has the same XP has the same place.
    pub rank: i64,
    /// Who.
    pub member: MemberRow,
    /// XP of the week, what was taken back already counted.
    pub xp: i64,
}

/// The first and the last day of the week of a day: Monday and Sunday.
#[must_use]
pub fn week_of(day: NaiveDate) -> (NaiveDate, NaiveDate) {
    let since_monday = i64::from(day.weekday().num_days_from_monday());
    let monday = days_later(day, -since_monday);
    (monday, days_later(monday, 6))
}

/// Who had how much XP in the week of a day, the most first. Of two members of whom one blocks the
/// other, neither sees the other: the places are among those whom the caller sees.
///
/// # Errors
/// [`Refusal::Unknown`] for whoever is not in the group.
pub fn leaderboard(
    db: &mut Db,
    viewer_id: i64,
    group_id: i64,
    day: NaiveDate,
) -> Work<Vec<Place>, Refusal> {
    role_in(db, group_id, viewer_id)?;
    let members = store::members(db, group_id)?;
    let ids: Vec<i64> = members.iter().map(|member| member.person.id).collect();
    let hidden = store::hidden_from(db, viewer_id, &ids)?;
    let (from, to) = week_of(day);
    let sums = xp::between(db, &ids, from, to)?;
    let mut seen: Vec<(i64, MemberRow)> = members
        .into_iter()
        .filter(|member| !hidden.contains(&member.person.id))
        .map(|member| (sums.get(&member.person.id).copied().unwrap_or(0), member))
        .collect();
    seen.sort_by_key(|(xp, member)| (Reverse(*xp), member.person.id));
    Ok(ranked(seen))
}

/// Gives places to members in their order.
fn ranked(seen: Vec<(i64, MemberRow)>) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(seen.len());
    for (number, (xp, member)) in (1..).zip(seen) {
        let rank = match places.last() {
            Some(before) if before.xp == xp => before.rank,
            _ => number,
        };
        places.push(Place { rank, member, xp });
    }
    places
}

const fn because(refusal: Refusal) -> Stopped<Refusal> {
    Stopped::Because(refusal)
}
