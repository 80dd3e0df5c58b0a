//! HTTP for requests for friendship.

use super::{person, write};
use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::auth::is_handle;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::http::error::ApiError;
use crate::http::json::Json;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use crate::social::model::{Person, RequestRow, Status};
use crate::social::requests::{self, Asked, Refusal};
use crate::social::{FRIENDS, OPEN_REQUESTS, people};
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, get, post, web};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// A request for friendship.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FriendRequest {
    /// Its number.
    id: i64,
    /// Who asks.
    from: Person,
    /// Who is asked.
    to: Person,
    /// Where it is.
    status: Status,
    /// When it was made.
    created_at: At,
    /// When it ended.
    #[schema(required = true)]
    closed_at: Option<At>,
}

impl FriendRequest {
    /// Without whoever has been deleted meanwhile there is no request either.
    fn new(row: &RequestRow, people: &HashMap<i64, Person>) -> Option<Self> {
        Some(Self {
            id: row.id,
            from: people.get(&row.requester_id)?.clone(),
            to: people.get(&row.addressee_id)?.clone(),
            status: row.status,
            created_at: row.created_at,
            closed_at: row.closed_at,
        })
    }
}

/// Reads who is named by a request.
fn shown(db: &mut Db, row: &RequestRow) -> Work<FriendRequest, Refusal> {
    let people = people(db, &[row.requester_id, row.addressee_id])?;
    FriendRequest::new(row, &people).ok_or(Stopped::Because(Refusal::Unknown))
}

/// Whom to ask.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFriendRequestBody {
    /// Their handle.
    #[schema(
        min_length = 2,
        max_length = 39,
        pattern = "^[A-Za-z0-9_-]{2,39}$",
        example = "grace"
    )]
    handle: String,
}

/// List open requests for friendship
///
/// One's own, and those to oneself; the latest first.
#[utoipa::path(
    operation_id = "list_friend_requests",
    tag = "people",
    params(PageQuery),
    responses((status = 200, description = "A page of requests", body = Items<FriendRequest>)),
)]
#[get("/friend-requests")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("friend-requests")?;
    let user_id = caller.user.id;
    let found: Work<_> = app
        .pool
        .read(move |db| {
            let rows = requests::open(db, user_id, page.after, page.fetch())?;
            let ids: Vec<i64> =
                rows.iter().flat_map(|row| [row.requester_id, row.addressee_id]).collect();
            Ok((people(db, &ids)?, rows))
        })
        .await;
    let (people, rows) = found?;
    let Items { items, next_cursor } = page.items(rows, |row| row.id);
    let items = items.iter().filter_map(|row| FriendRequest::new(row, &people)).collect();
    Ok(HttpResponse::Ok().json(Items { items, next_cursor }))
}

/// Ask for friendship
///
/// Somebody whose handle one knows. Who asks somebody that has asked them has accepted by that. Who is
/// asked and does not want to hear of it can block: the answers here are the same.
#[utoipa::path(
    operation_id = "create_friend_request",
    tag = "people",
    request_body = NewFriendRequestBody,
    responses(
        (status = 201, description = "The request waits for an answer", body = FriendRequest),
        (status = 200, description = "There is one: it waits, or is `accepted`, and they are friends",
            body = FriendRequest),
        (status = 404, description = "Nobody has that handle"),
        (status = 409, description = "`you-block-them`: who blocks somebody does not ask them; \
            `too-many-requests`: 200 are open; `too-many-friends`: somebody has 500 already"),
    ),
)]
#[post("/friend-requests")]
pub async fn create(
    caller: Caller<Write>,
    app: web::Data<App>,
    Json(body): Json<NewFriendRequestBody>,
) -> Result<HttpResponse, ApiError> {
    let handle = body.handle.to_ascii_lowercase();
    if !is_handle(&handle) {
        let expected = "2 to 39 of the characters a-z, 0-9, _ and - are expected";
        return Err(ApiError::invalid_at("/handle", expected));
    }
    let (requester, now) = (person(&caller), app.clock.now());
    let today = caller.preferences.days.local_day(*now);
    let (status, request) = write(&app, move |db| {
        let (status, row) = match requests::ask(db, &requester, &handle, today, now)? {
            Asked::New(row) => (StatusCode::CREATED, row),
            Asked::Open(row) | Asked::Friends(row) => (StatusCode::OK, row),
        };
        Ok((status, shown(db, &row)?))
    })
    .await?;
    Ok(HttpResponse::build(status).json(request))
}

/// Accept a request for friendship
#[utoipa::path(
    operation_id = "accept_friend_request",
    tag = "people",
    params(("id" = i64, Path, description = "The request")),
    responses(
        (status = 200, description = "They are friends, now or since an earlier call",
            body = FriendRequest),
        (status = 409, description = "`request-closed`: it has ended otherwise, as `state` says; \
            `too-many-friends`: one of the two has 500 already"),
    ),
)]
#[post("/friend-requests/{id}/accept")]
pub async fn accept(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (addressee, now) = (person(&caller), app.clock.now());
    let today = caller.preferences.days.local_day(*now);
    let request = write(&app, move |db| {
        let row = requests::accept(db, &addressee, id, today, now)?;
        shown(db, &row)
    })
    .await?;
    Ok(HttpResponse::Ok().json(request))
}

/// Decline a request for friendship
#[utoipa::path(
    operation_id = "decline_friend_request",
    tag = "people",
    params(("id" = i64, Path, description = "The request")),
    responses(
        (status = 200, description = "It is declined, now or since an earlier call",
            body = FriendRequest),
        (status = 409, description = "`request-closed`: it has ended otherwise, as `state` says"),
    ),
)]
#[post("/friend-requests/{id}/decline")]
pub async fn decline(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let request = write(&app, move |db| {
        let row = requests::decline(db, user_id, id, now)?;
        shown(db, &row)
    })
    .await?;
    Ok(HttpResponse::Ok().json(request))
}

/// Cancel a request for friendship
///
/// One's own.
#[utoipa::path(
    operation_id = "cancel_friend_request",
    tag = "people",
    params(("id" = i64, Path, description = "The request")),
    responses(
        (status = 200, description = "It is cancelled, now or since an earlier call",
            body = FriendRequest),
        (status = 409, description = "`request-closed`: it has ended otherwise, as `state` says"),
    ),
)]
#[post("/friend-requests/{id}/cancel")]
pub async fn cancel(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let request = write(&app, move |db| {
        let row = requests::cancel(db, user_id, id, now)?;
        shown(db, &row)
    })
    .await?;
    Ok(HttpResponse::Ok().json(request))
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown => Self::not_found(),
            Refusal::Yourself => Self::invalid_at("/handle", "another one's handle is expected"),
            Refusal::YouBlockThem => Self::conflict(
                "you-block-them",
                "You block them",
                "take the block back first, then ask",
            ),
            Refusal::TooManyFriends => Self::conflict(
                "too-many-friends",
                "There are too many friends",
                format!("one of you has {FRIENDS} friends, and nobody has more"),
            ),
            Refusal::TooManyRequests => Self::conflict(
                "too-many-requests",
                "Too many requests are open",
                format!("{OPEN_REQUESTS} of yours are open, and nobody has more"),
            ),
            Refusal::NotYours => Self::forbidden("that is for the other one to do"),
            Refusal::Closed(status) => Self::conflict(
                "request-closed",
                "The request has ended",
                format!("it is {}", status.as_str()),
            )
            .with("state", status.as_str()),
        }
    }
}
