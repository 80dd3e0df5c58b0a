//! HTTP for submissions.

use super::content::SubmissionBody;
use super::model::{Receipt, Submission, SubmissionItem};
use super::triage::{Triage, Untriaged};
use super::{Filter, Lookup, Lost, Received, Taken};
use crate::app::App;
use crate::auth::caller::{Caller, Read, Submit, Write};
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::http::error::ApiError;
use crate::http::idempotency::{self, Key};
use crate::http::json::Json;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use crate::solves::notes::note;
use actix_web::{HttpResponse, HttpResponseBuilder, delete, get, post, web};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

/// Two calls with one key end each other's doubts at once; this many are many.
const TRIES: u32 = 8;

/// What a list of submissions is narrowed to.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SubmissionQuery {
    /// Changed at or after this instant.
    updated_since: Option<At>,
    /// How many items, 1 to 200.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// Where the last page ended: its `next_cursor`.
    cursor: Option<String>,
}

/// What of the inbox is shown.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct InboxQuery {
    /// Those that were triaged, too.
    all: Option<bool>,
    /// How many items, 1 to 200.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// Where the last page ended: its `next_cursor`.
    cursor: Option<String>,
}

/// Report a submission
///
/// Needs an `Idempotency-Key` or an `external_id`. The same request again gets the same row and
/// the effects of the first call. A key that is random for each attempt recognises nothing: make
/// it once, keep it, and send it with every retry.
#[utoipa::path(
    operation_id = "create_submission",
    tag = "submissions",
    params(idempotency::Header),
    request_body = SubmissionBody,
    security(("bearer" = ["submit", "write"]), ("cookie" = [])),
    responses(
        (status = 201, description = "Taken in", body = Receipt,
            headers(("Location" = String, description = "Where it is"))),
        (status = 200, description = "It was here, or it brought the verdict of a pending one",
            body = Receipt,
            headers(("Idempotency-Replayed" = String, description = "`true` where nothing changed"))),
        (status = 410, description = "It was here, and was deleted"),
    ),
)]
#[post("/submissions")]
pub async fn create(
    caller: Caller<Submit>,
    app: web::Data<App>,
    key: Key,
    Json(body): Json<SubmissionBody>,
) -> Result<HttpResponse, ApiError> {
    let now = app.clock.now();
    let order = body.read(key.0, now)?;
    if order.key.is_none() && order.external_id.is_none() {
        let detail = "send the header Idempotency-Key, or the judge's number as `external_id`";
        return Err(ApiError::malformed(detail));
    }
    let request = Arc::new((caller.learner.clone(), order));
    for _ in 0..TRIES {
        let (asked, meant) = (Arc::clone(&request), Arc::clone(&request));
        let taken = app
            .pool
            .read_then_write(
                move |db| Ok(super::recognise(db, asked.0.user_id, &asked.1)?),
                move |db, task| super::carry_out(db, &meant.0, task, &meant.1, now),
            )
            .await;
        match taken {
            Ok(Taken::In(received)) => {
                let location = format!("/api/v1/submissions/{}", received.submission.id);
                let mut response = HttpResponse::Created();
                response.insert_header(("Location", location));
                return answer(response, *received);
            }
            Ok(Taken::Advanced(received)) => return answer(HttpResponse::Ok(), *received),
            Ok(Taken::Replayed(received)) => {
                let mut response = HttpResponse::Ok();
                response.insert_header((idempotency::REPLAYED, "true"));
                return answer(response, *received);
            }
            Ok(Taken::KeyReused) => return Err(idempotency::reused()),
            Ok(Taken::Deleted) => return Err(ApiError::gone("the submission was deleted")),
            // The winner has committed, so the next look-up sees its row.
            Err(Stopped::Because(Lost)) => {}
            Err(Stopped::Database(error)) => return Err(error.into()),
            Err(Stopped::Pool(error)) => return Err(error.into()),
        }
    }
    Err(ApiError::unavailable("too many requests with this key at once"))
}

/// List submissions
///
/// Newest first.
#[utoipa::path(
    operation_id = "list_submissions",
    tag = "submissions",
    params(SubmissionQuery),
    responses((status = 200, description = "A page of submissions", body = Items<SubmissionItem>)),
)]
#[get("/submissions")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<SubmissionQuery>,
) -> Result<HttpResponse, ApiError> {
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let filter = Filter { untriaged: false, updated_since: query.updated_since };
    page_of(&app, caller.user.id, filter, page.read("submissions")?).await
}

/// The inbox
///
/// Submissions that wait for triage, newest first; or all of them.
#[utoipa::path(
    operation_id = "list_inbox",
    tag = "submissions",
    params(InboxQuery),
    responses((status = 200, description = "A page of submissions", body = Items<SubmissionItem>)),
)]
#[get("/inbox")]
pub async fn inbox(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<InboxQuery>,
) -> Result<HttpResponse, ApiError> {
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let filter = Filter { untriaged: !query.all.unwrap_or(false), updated_since: None };
    page_of(&app, caller.user.id, filter, page.read("inbox")?).await
}

/// A submission
///
/// With what it caused.
#[utoipa::path(
    operation_id = "get_submission",
    tag = "submissions",
    params(("id" = i64, Path, description = "The submission's number")),
    responses(
        (status = 200, description = "The submission", body = Receipt),
        (status = 410, description = "It was deleted"),
    ),
)]
#[get("/submissions/{id}")]
pub async fn get(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let found: Work<_> = app.pool.read(move |db| Ok(super::get(db, user_id, id)?)).await;
    match found? {
        Lookup::Here(received) => answer(HttpResponse::Ok(), *received),
        Lookup::Deleted => Err(ApiError::gone("the submission was deleted")),
        Lookup::Absent => Err(ApiError::not_found()),
    }
}

/// Triage a submission
///
/// Once: the same again gets the same answer, anything else is refused.
#[utoipa::path(
    operation_id = "triage_submission",
    tag = "submissions",
    params(("id" = i64, Path, description = "The submission's number")),
    request_body = Triage,
    responses(
        (status = 200, description = "Triaged", body = Submission),
        (status = 409, description = "Triaged otherwise, or a review followed"),
        (status = 410, description = "It was deleted"),
    ),
)]
#[post("/submissions/{id}/triage")]
pub async fn triage(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
    Json(body): Json<Triage>,
) -> Result<HttpResponse, ApiError> {
    if body.rating.is_none() && body.notes.is_none() && !body.dismiss {
        return Err(ApiError::invalid_at("", "a rating, notes, or `dismiss` is expected"));
    }
    if let Some(Err(fault)) = body.notes.as_deref().map(note) {
        return Err(ApiError::invalid_at("/notes", fault));
    }
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let triaged =
        app.pool.write(move |db| super::triage::triage(db, &learner, id, &body, now)).await?;
    let shown = triaged.shown().ok_or_else(ApiError::not_found)?;
    Ok(HttpResponse::Ok().json(shown))
}

/// Delete a submission
///
/// What it caused stays. Its key and its judge's number stay taken, so that no import brings it
/// back.
#[utoipa::path(
    operation_id = "delete_submission",
    tag = "submissions",
    params(("id" = i64, Path, description = "The submission's number")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 410, description = "It was deleted before"),
    ),
)]
#[delete("/submissions/{id}")]
pub async fn delete(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let deleted: Work<_> = app.pool.write(move |db| Ok(super::delete(db, user_id, id, now)?)).await;
    match deleted? {
        Lookup::Here(_) => Ok(HttpResponse::NoContent().finish()),
        Lookup::Deleted => Err(ApiError::gone("the submission was deleted before")),
        Lookup::Absent => Err(ApiError::not_found()),
    }
}

async fn page_of(
    app: &App,
    user_id: i64,
    filter: Filter,
    page: Page<i64>,
) -> Result<HttpResponse, ApiError> {
    let rows: Work<_> = app
        .pool
        .read(move |db| Ok(super::list(db, user_id, filter, page.after, page.fetch())?))
        .await;
    let items = page.items(rows?, |(row, _)| row.id);
    let next_cursor = items.next_cursor;
    let items = items
        .items
        .into_iter()
        .filter_map(|(row, problem)| {
            Some(SubmissionItem { submission: row.shown()?, problem: problem.into() })
        })
        .collect();
    Ok(HttpResponse::Ok().json(Items { items, next_cursor }))
}

fn answer(mut response: HttpResponseBuilder, received: Received) -> Result<HttpResponse, ApiError> {
    let Received { submission, problem, solve, effects } = received;
    Ok(response.json(Receipt {
        submission: submission.shown().ok_or_else(ApiError::not_found)?,
        problem: problem.into(),
        solve: solve.map(Into::into),
        first_solve: effects.first_solve,
        xp_awarded: effects.xp_awarded,
        revisions_completed: effects.revisions_completed,
        next_revisions: effects.next_revisions,
    }))
}

impl From<Untriaged> for ApiError {
    fn from(reason: Untriaged) -> Self {
        match reason {
            Untriaged::Absent => Self::not_found(),
            Untriaged::Deleted => Self::gone("the submission was deleted"),
            Untriaged::Otherwise => Self::conflict(
                "already-triaged",
                "The submission was triaged",
                "it was triaged otherwise, and is triaged once",
            ),
            Untriaged::Refused(refusal) => refusal.into(),
        }
    }
}
