//! HTTP for single revisions and reviews.

use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::json::Json;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Day, Path, Query};
use crate::revisions::actions::{self, Postponement};
use crate::revisions::complete;
use crate::revisions::listing::{self, Filter, Item, Shown};
use crate::revisions::log::Kind;
use crate::revisions::model::{ReviewRow, RevisionRow};
use crate::revisions::rating::Rating;
use crate::rings::revised;
use actix_web::{HttpResponse, get, patch, post, web};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What a list of revisions is narrowed to.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RevisionQuery {
    /// Which: `due` and `upcoming` are pending ones; default all.
    #[param(inline)]
    state: Option<Shown>,
    /// Of this schedule.
    kind: Option<Kind>,
    /// Due on this day or later.
    #[param(value_type = Option<NaiveDate>)]
    from: Option<Day>,
    /// Due on this day or earlier.
    #[param(value_type = Option<NaiveDate>)]
    to: Option<Day>,
    /// Changed at or after this instant.
    updated_since: Option<At>,
    /// How many items, 1 to 200.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// Where the last page ended: its `next_cursor`.
    cursor: Option<String>,
}

/// How a revision went.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteBody {
    /// How well.
    rating: Rating,
    /// When; default now. Not before the problem was solved last, nor before 2000, not more than 24 h
    /// ahead.
    completed_at: Option<At>,
}

/// A completed revision.
#[derive(Serialize, ToSchema)]
pub struct CompletedBody {
    /// The revision.
    revision: RevisionRow,
    /// The review that completed it, or that was taken back.
    review: ReviewRow,
    /// The revision that is to come.
    next: RevisionRow,
    /// XP that it brought in; below 0 where it was taken back.
    xp_awarded: i32,
}

/// How far to put a revision off: either `days` or `due_on`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PostponeBody {
    /// So many days after its date, or after today where that is past.
    #[schema(minimum = 1, maximum = 36500)]
    days: Option<i64>,
    /// With `days`: the date that it was due on when you looked. The same again then moves it no
    /// further, and if something else has moved it, nothing is changed.
    from: Option<NaiveDate>,
    /// To this date, not before its own.
    due_on: Option<NaiveDate>,
}

/// A revision that was left out.
#[derive(Serialize, ToSchema)]
pub struct SkippedBody {
    /// The revision.
    revision: RevisionRow,
    /// The revision that is to come.
    next: RevisionRow,
}

/// A corrected rating.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectBody {
    /// How well it went.
    rating: Rating,
}

/// List revisions
///
/// In the order of their due dates.
#[utoipa::path(
    operation_id = "list_revisions",
    tag = "revisions",
    params(RevisionQuery),
    responses((status = 200, description = "A page of revisions", body = Items<Item>)),
)]
#[get("/revisions")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<RevisionQuery>,
) -> Result<HttpResponse, ApiError> {
    let asked: Page<(Day, i64)> =
        PageQuery { limit: query.limit, cursor: query.cursor }.read("revisions")?;
    let after = asked.after.map(|(due_on, id)| (NaiveDate::from(due_on), id));
    let page = Page { list: asked.list, limit: asked.limit, after };
    let filter = Filter {
        shown: query.state.unwrap_or(Shown::All),
        today: caller.learner.days.local_day(*app.clock.now()),
        kind: query.kind,
        from: query.from.map(NaiveDate::from),
        to: query.to.map(NaiveDate::from),
        updated_since: query.updated_since,
    };
    let user_id = caller.user.id;
    let rows: Work<_> = app
        .pool
        .read(move |db| Ok(listing::list(db, user_id, &filter, page.after, page.fetch())?))
        .await;
    let items = page.items(rows?, |item| (item.revision.due_on, item.revision.id));
    Ok(HttpResponse::Ok().json(items))
}

/// Complete a revision
///
/// On its day, early or late. The same rating again gets the first answer again.
#[utoipa::path(
    operation_id = "complete_revision",
    tag = "revisions",
    params(("id" = i64, Path, description = "The revision's number")),
    request_body = CompleteBody,
    responses(
        (status = 200, description = "Completed", body = CompletedBody),
        (status = 409, description = "Completed otherwise, not pending, or reviewed that day"),
    ),
)]
#[post("/revisions/{id}/complete")]
pub async fn complete_one(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
    Json(body): Json<CompleteBody>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let done = app
        .pool
        .write(move |db| revised::complete(db, &learner, id, body.rating, body.completed_at, now))
        .await?;
    Ok(HttpResponse::Ok().json(CompletedBody {
        revision: done.revision,
        review: done.review,
        next: done.next,
        xp_awarded: done.xp_awarded,
    }))
}

/// Take a review back
///
/// The latest of its schedule. The revision is `undone`, and another one is due when it was.
#[utoipa::path(
    operation_id = "undo_revision",
    tag = "revisions",
    params(("id" = i64, Path, description = "The revision's number")),
    responses(
        (status = 200, description = "Taken back", body = CompletedBody),
        (status = 409, description = "Not completed, or not the latest"),
    ),
)]
#[post("/revisions/{id}/undo")]
pub async fn undo(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let undone = app.pool.write(move |db| revised::undo(db, &learner, id, now)).await?;
    Ok(HttpResponse::Ok().json(CompletedBody {
        revision: undone.revision,
        review: undone.review,
        next: undone.next,
        xp_awarded: undone.xp_awarded,
    }))
}

/// Put a revision off
///
/// `due_on`, or `days` with `from`, can be sent again without harm; `days` alone moves it further
/// each time.
#[utoipa::path(
    operation_id = "postpone_revision",
    tag = "revisions",
    params(("id" = i64, Path, description = "The revision's number")),
    request_body = PostponeBody,
    responses(
        (status = 200, description = "Put off", body = RevisionRow),
        (status = 409, description = "Not pending, or `from` is not its date"),
    ),
)]
#[post("/revisions/{id}/postpone")]
pub async fn postpone(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
    Json(body): Json<PostponeBody>,
) -> Result<HttpResponse, ApiError> {
    let to = match (body.days, body.due_on) {
        (Some(days), None) if (1..=36_500).contains(&days) => {
            Postponement::Days { days, from: body.from }
        }
        (Some(_), None) => return Err(ApiError::invalid_at("/days", "1 to 36500 are expected")),
        (None, Some(_)) if body.from.is_some() => {
            return Err(ApiError::invalid_at("/from", "it goes with `days`, not with `due_on`"));
        }
        (None, Some(day)) => Postponement::Until(day),
        _ => return Err(ApiError::invalid_at("", "either `days` or `due_on` is expected")),
    };
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let revision = app.pool.write(move |db| actions::postpone(db, &learner, id, to, now)).await?;
    Ok(HttpResponse::Ok().json(revision))
}

/// Leave a revision out
///
/// The next one is due after the same interval.
#[utoipa::path(
    operation_id = "skip_revision",
    tag = "revisions",
    params(("id" = i64, Path, description = "The revision's number")),
    responses(
        (status = 200, description = "Left out", body = SkippedBody),
        (status = 409, description = "Not pending"),
    ),
)]
#[post("/revisions/{id}/skip")]
pub async fn skip(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let (revision, next) = app.pool.write(move |db| actions::skip(db, &learner, id, now)).await?;
    Ok(HttpResponse::Ok().json(SkippedBody { revision, next }))
}

/// Correct the rating of a review
///
/// Everything after it is derived again.
#[utoipa::path(
    operation_id = "correct_review",
    tag = "revisions",
    params(("id" = i64, Path, description = "The review's number")),
    request_body = CorrectBody,
    responses(
        (status = 200, description = "Corrected", body = ReviewRow),
        (status = 409, description = "The review was taken back"),
    ),
)]
#[patch("/reviews/{id}")]
pub async fn correct(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
    Json(body): Json<CorrectBody>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let review =
        app.pool.write(move |db| complete::correct(db, &learner, id, body.rating, now)).await?;
    Ok(HttpResponse::Ok().json(review))
}
