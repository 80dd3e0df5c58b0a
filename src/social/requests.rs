//! Requests for friendship: asking, and the three ends of a request.

use super::model::{NewRequest, Person, RequestRow, Status};
use super::{FRIENDS, OPEN_REQUESTS, guards, in_order, pair_of, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{self, Stopped, Work};
use crate::notifications::model::Kind;
use crate::notifications::{Notice, notify};
use chrono::NaiveDate;
use diesel::QueryResult;
use std::cmp::Reverse;

/// What became of a wish for friendship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It waits for an answer, since now.
    New(RequestRow),
    /// It waits since an earlier call.
    Open(RequestRow),
    /// They are friends, since this request was accepted: before, or now, by asking back.
    Friends(RequestRow),
}

/// Why nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody has that handle; or there is no such request, as far as the caller may know.
    Unknown,
    /// Nobody is their own friend.
    Yourself,
    /// Whoever blocks somebody does not ask them.
    YouBlockThem,
    /// One of the two has [`FRIENDS`].
    TooManyFriends,
    /// [`OPEN_REQUESTS`] are open.
    TooManyRequests,
    /// It is the other one's to do that.
    NotYours,
    /// The request has ended otherwise.
    Closed(Status),
}

/// Asks somebody for friendship. Two who ask each other are friends. `today` is the requester's local
/// day.
///
/// # Errors
/// [`Refusal`]; then nothing is stored.
pub fn ask(
    db: &mut Db,
    requester: &Person,
    handle: &str,
    today: NaiveDate,
    now: At,
) -> Work<Asked, Refusal> {
    let addressee = store::person_by_handle(db, handle)?.ok_or(because(Refusal::Unknown))?;
    if addressee.id == requester.id {
        return Err(because(Refusal::Yourself));
    }
    let pair_id = pair_of(db, requester.id, addressee.id, now)?;
    let Some(pair) = guards::approach(db, pair_id, requester.id, now)? else {
        return friends_already(db, requester.id, addressee.id);
    };
    if let Some(open) = store::open_request(db, requester.id, addressee.id)? {
        return Ok(Asked::Open(open));
    }
    // Also one that the requester never saw, since they blocked the other one then. Where it is
    // cancelled at the same moment, there is none.
    if let Some(crossing) = store::open_request(db, addressee.id, requester.id)?
        && guards::close_request(db, crossing.id, Status::Accepted, now)?
    {
        if !guards::befriend(db, pair_id, today, now)? {
            // The row is held, and says that they may.
            return Err(diesel::NotFound.into());
        }
        return Ok(Asked::Friends(welcome(db, &crossing, requester.name(), now)?));
    }
    guards::hold_people(db, &[requester.id])?;
    if store::count_open(db, requester.id)? >= OPEN_REQUESTS {
        return Err(because(Refusal::TooManyRequests));
    }
    let hidden = pair.is_blocked_by(addressee.id);
    let new = NewRequest {
        requester_id: requester.id,
        addressee_id: addressee.id,
        status: Status::Pending,
        hidden,
        created_at: now,
    };
    // Nobody else opens one: the row of the two is held.
    let request = guards::open_request(db, &new)?.ok_or(diesel::NotFound)?;
    let title = format!("{} asks to be your friend", requester.name());
    let notice = Notice {
        user_id: addressee.id,
        kind: Kind::FriendRequest,
        cause: &request.id.to_string(),
        title: &title,
        body: "You can accept or decline.",
        link: Some("/friends"),
    };
    // Whoever is blocked does not notice it by the time that the answer takes either.
    tx::keep_if(db, !hidden, |db| notify(db, &notice, now))?;
    Ok(Asked::New(request))
}

/// Why the row of two people was not to be had for a request.
fn friends_already(db: &mut Db, requester_id: i64, addressee_id: i64) -> Work<Asked, Refusal> {
    let pair = store::pair(db, in_order(requester_id, addressee_id))?.ok_or(diesel::NotFound)?;
    if pair.is_blocked_by(requester_id) {
        return Err(because(Refusal::YouBlockThem));
    }
    let accepted = [
        store::accepted_request(db, requester_id, addressee_id)?,
        store::accepted_request(db, addressee_id, requester_id)?,
    ];
    let latest = accepted.into_iter().flatten().max_by_key(|request| request.id);
    Ok(Asked::Friends(latest.ok_or(diesel::NotFound)?))
}

/// Accepts a request: they are friends. The same again changes nothing. `today` is the addressee's
/// local day.
///
/// # Errors
/// [`Refusal`]; then nothing is stored.
pub fn accept(
    db: &mut Db,
    addressee: &Person,
    id: i64,
    today: NaiveDate,
    now: At,
) -> Work<RequestRow, Refusal> {
    let request = visible(db, addressee.id, id)?;
    if request.addressee_id != addressee.id {
        return Err(because(Refusal::NotYours));
    }
    match request.status {
        Status::Pending => {}
        Status::Accepted => return Ok(request),
        other => return Err(because(Refusal::Closed(other))),
    }
    let pair_id = pair_of(db, request.requester_id, request.addressee_id, now)?;
    if !guards::befriend(db, pair_id, today, now)? {
        // A block, or another acceptance, came before.
        return ended_as(db, request.id, Status::Accepted);
    }
    if !guards::close_request(db, request.id, Status::Accepted, now)? {
        // It was cancelled or declined; what was done above is rolled back.
        let status = store::request(db, request.id)?.map(|request| request.status);
        return Err(because(status.map_or(Refusal::Unknown, Refusal::Closed)));
    }
    welcome(db, &request, addressee.name(), now)
}

/// Looks whether either of two who have just become friends may have one more, and tells the
/// requester. `name` is of who accepted the request.
fn welcome(db: &mut Db, request: &RequestRow, name: &str, now: At) -> Work<RequestRow, Refusal> {
    guards::hold_people(db, &[request.requester_id, request.addressee_id])?;
    for user_id in [request.requester_id, request.addressee_id] {
        // With the one that was just made.
        if store::count_friends(db, user_id)? > FRIENDS {
            return Err(because(Refusal::TooManyFriends));
        }
    }
    let title = format!("{name} is your friend now");
    let notice = Notice {
        user_id: request.requester_id,
        kind: Kind::FriendAccepted,
        cause: &request.id.to_string(),
        title: &title,
        body: "You see each other's streak, rings and XP.",
        link: Some("/friends"),
    };
    notify(db, &notice, now)?;
    Ok(store::request(db, request.id)?.ok_or(diesel::NotFound)?)
}

/// Declines a request. The same again changes nothing.
///
/// # Errors
/// [`Refusal`]; then nothing is stored.
pub fn decline(db: &mut Db, addressee_id: i64, id: i64, now: At) -> Work<RequestRow, Refusal> {
    let request = visible(db, addressee_id, id)?;
    if request.addressee_id != addressee_id {
        return Err(because(Refusal::NotYours));
    }
    close(db, id, Status::Declined, now)
}

/// Cancels a request of one's own. The same again changes nothing.
///
/// # Errors
/// [`Refusal`]; then nothing is stored.
pub fn cancel(db: &mut Db, requester_id: i64, id: i64, now: At) -> Work<RequestRow, Refusal> {
    let request = visible(db, requester_id, id)?;
    if request.requester_id != requester_id {
        return Err(because(Refusal::NotYours));
    }
    close(db, id, Status::Cancelled, now)
}

fn close(db: &mut Db, id: i64, status: Status, now: At) -> Work<RequestRow, Refusal> {
    guards::close_request(db, id, status, now)?;
    ended_as(db, id, status)
}

/// The request, where it has ended as wished, by this call or by an earlier one.
fn ended_as(db: &mut Db, id: i64, wished: Status) -> Work<RequestRow, Refusal> {
    match store::request(db, id)? {
        Some(request) if request.status == wished => Ok(request),
        Some(request) => Err(because(Refusal::Closed(request.status))),
        None => Err(because(Refusal::Unknown)),
    }
}

/// A request, to those who may know of it.
fn visible(db: &mut Db, user_id: i64, id: i64) -> Work<RequestRow, Refusal> {
    let sees = |request: &RequestRow| {
        request.requester_id == user_id || request.addressee_id == user_id && !request.hidden
    };
    store::request(db, id)?.filter(sees).ok_or(because(Refusal::Unknown))
}

/// The open requests of a user and to a user, the latest first.
///
/// # Errors
/// When the database fails.
pub fn open(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<RequestRow>> {
    // One after the other: no index has both in order.
    let before = before.unwrap_or(i64::MAX);
    let mut open = store::open_requests_of(db, user_id, before, limit)?;
    open.extend(store::open_requests_to(db, user_id, before, limit)?);
    open.sort_by_key(|request| Reverse(request.id));
    open.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(open)
}

const fn because(refusal: Refusal) -> Stopped<Refusal> {
    Stopped::Because(refusal)
}
