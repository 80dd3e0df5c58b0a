//! HTTP for problems.

use super::identity::{self, Identity, Platform};
use super::model::Problem;
use super::naming::ProblemBody;
use super::topic::Topic;
use super::{Filter, KeyReused, Made, TopicOutcome};
use crate::app::App;
use crate::auth::caller::{Caller, Read, Resolve, Write};
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::idempotency::{self, Key};
use crate::http::json::Json;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use crate::problems::difficulty::Difficulty;
use actix_web::{HttpResponse, get, post, put, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// What a list of problems is narrowed to.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProblemQuery {
    /// Of this platform.
    platform: Option<Platform>,
    /// About this.
    topic: Option<Topic>,
    /// This hard.
    difficulty: Option<Difficulty>,
    /// With this in the slug or the title, in any case.
    #[param(max_length = 200)]
    q: Option<String>,
    /// How many items, 1 to 200.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// Where the last page ended: its `next_cursor`.
    cursor: Option<String>,
}

/// A URL to be understood.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ResolveQuery {
    /// Any page of a problem.
    #[param(example = "https://leetcode.com/problems/two-sum/description/")]
    url: String,
}

/// What a problem is about.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TopicBody {
    /// One of the list.
    topic: Topic,
}

/// Make a problem
///
/// Or find it, where it is there. A problem of the platform `custom` is the caller's own.
#[utoipa::path(
    operation_id = "create_problem",
    tag = "problems",
    params(idempotency::Header),
    request_body = ProblemBody,
    responses(
        (status = 201, description = "Made", body = Problem,
            headers(("Location" = String, description = "Where it is"))),
        (status = 200, description = "It was there", body = Problem),
    ),
)]
#[post("/problems")]
pub async fn create(
    caller: Caller<Write>,
    app: web::Data<App>,
    key: Key,
    Json(body): Json<ProblemBody>,
) -> Result<HttpResponse, ApiError> {
    let named = body.read("").map_err(ApiError::invalid)?.named;
    let fingerprint = idempotency::fingerprint(&body)?;
    let (user_id, now) = (caller.user.id, app.clock.now());
    let made = app
        .pool
        .write(move |db| {
            let key = key.0.as_deref().map(|key| (key, fingerprint.as_str()));
            super::make(db, user_id, &named, key, now)
        })
        .await?;
    Ok(match made {
        Made::New(row) => HttpResponse::Created()
            .insert_header(("Location", format!("/api/v1/problems/{}", row.id)))
            .json(Problem::from(row)),
        Made::Found(row) => HttpResponse::Ok().json(Problem::from(row)),
        Made::Replayed(row) => HttpResponse::Ok()
            .insert_header((idempotency::REPLAYED, "true"))
            .json(Problem::from(row)),
    })
}

impl From<KeyReused> for ApiError {
    fn from(_: KeyReused) -> Self {
        idempotency::reused()
    }
}

/// List problems
///
/// The shared ones and the caller's own, newest first.
#[utoipa::path(
    operation_id = "list_problems",
    tag = "problems",
    params(ProblemQuery),
    responses((status = 200, description = "A page of problems", body = Items<Problem>)),
)]
#[get("/problems")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<ProblemQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> =
        PageQuery { limit: query.limit, cursor: query.cursor }.read("problems")?;
    // PostgreSQL takes no text with NUL.
    if query.q.as_ref().is_some_and(|text| text.chars().count() > 200 || text.contains('\0')) {
        return Err(ApiError::invalid_at("q", "at most 200 characters, none of them NUL"));
    }
    let filter = Filter {
        platform: query.platform,
        topic: query.topic.map(|topic| topic.as_str().to_owned()),
        difficulty: query.difficulty,
        text: query.q,
    };
    let user_id = caller.user.id;
    let rows: Work<_> = app
        .pool
        .read(move |db| Ok(super::list(db, user_id, &filter, page.after, page.fetch())?))
        .await;
    let items = page.items(rows?, |row| row.id).map(Problem::from);
    Ok(HttpResponse::Ok().json(items))
}

/// Understand a URL
///
/// Says which problem a page is of. Creates nothing.
#[utoipa::path(
    operation_id = "resolve_problem",
    tag = "problems",
    params(ResolveQuery),
    security(("bearer" = ["submit", "read"]), ("cookie" = [])),
    responses((status = 200, description = "The problem of that page", body = Identity)),
)]
#[get("/problems/resolve")]
pub async fn resolve(
    _caller: Caller<Resolve>,
    Query(query): Query<ResolveQuery>,
) -> Result<HttpResponse, ApiError> {
    let located = identity::locate(&query.url)
        .map_err(|error| ApiError::invalid_at("url", error.to_string()))?;
    Ok(HttpResponse::Ok().json(located.identity))
}

/// A problem
#[utoipa::path(
    operation_id = "get_problem",
    tag = "problems",
    params(("id" = i64, Path, description = "The problem's number")),
    responses((status = 200, description = "The problem", body = Problem)),
)]
#[get("/problems/{id}")]
pub async fn get(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let row: Work<_> = app.pool.read(move |db| Ok(super::get(db, user_id, id)?)).await;
    let row = row?.ok_or_else(ApiError::not_found)?;
    Ok(HttpResponse::Ok().json(Problem::from(row)))
}

/// Set the topic of a problem
///
/// Once: a topic that is stored stays, whoever calls.
#[utoipa::path(
    operation_id = "set_topic",
    tag = "problems",
    params(("id" = i64, Path, description = "The problem's number")),
    request_body = TopicBody,
    responses(
        (status = 200, description = "It has this topic", body = Problem),
        (status = 409, description = "It has another topic, given as `topic`"),
    ),
)]
#[put("/problems/{id}/topic")]
pub async fn set_topic(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
    Json(body): Json<TopicBody>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let outcome: Work<_> =
        app.pool.write(move |db| Ok(super::set_topic(db, user_id, id, body.topic, now)?)).await;
    match outcome? {
        TopicOutcome::Is(row) => Ok(HttpResponse::Ok().json(Problem::from(row))),
        TopicOutcome::AlreadySet(row) => {
            let topic = row.topic.unwrap_or_default();
            let detail = format!("the topic is `{topic}`, and a topic is set once");
            let error = ApiError::conflict("topic-already-set", "The problem has a topic", detail);
            Err(error.with("topic", topic))
        }
        TopicOutcome::NoSuchProblem => Err(ApiError::not_found()),
    }
}
