//! HTTP for solves.

use super::model::{Solve, SolveDetail, stored_tags};
use super::notes::note;
use super::{Change, Filter, NoSuchSolve};
use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::{ApiError, FieldError};
use crate::http::json::Json;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use crate::problems::difficulty::Difficulty;
use crate::problems::identity::Platform;
use crate::problems::naming::{self, clean};
use crate::problems::topic::Topic;
use actix_web::{HttpResponse, delete, get, patch, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// What a list of solves is narrowed to.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SolveQuery {
    /// Of this platform.
    platform: Option<Platform>,
    /// About this.
    topic: Option<Topic>,
    /// Only those that keep being forgotten, or none of them.
    leech: Option<bool>,
    /// Changed at or after this instant.
    updated_since: Option<At>,
    /// How many items, 1 to 200.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// Where the last page ended: its `next_cursor`.
    cursor: Option<String>,
}

/// What a user says of a solve. What is absent stays; null takes it away.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SolvePatch {
    /// Notes, to 10,000 characters.
    #[serde(deserialize_with = "crate::http::json::given")]
    #[schema(value_type = Option<String>, max_length = 10000)]
    notes: Option<Option<String>>,
    /// What the problem is called.
    #[serde(deserialize_with = "crate::http::json::given")]
    #[schema(value_type = Option<String>, max_length = 500)]
    title: Option<Option<String>>,
    /// How hard it is.
    #[serde(deserialize_with = "crate::http::json::given")]
    #[schema(value_type = Option<Difficulty>)]
    difficulty: Option<Option<Difficulty>>,
    /// What it is about: at most 50 of at most 100 characters.
    #[serde(deserialize_with = "crate::http::json::given")]
    #[schema(value_type = Option<Vec<String>>, max_items = 50)]
    tags: Option<Option<Vec<String>>>,
}

/// List solves
///
/// Newest first.
#[utoipa::path(
    operation_id = "list_solves",
    tag = "solves",
    params(SolveQuery),
    responses((status = 200, description = "A page of solves", body = Items<Solve>)),
)]
#[get("/solves")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<SolveQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = PageQuery { limit: query.limit, cursor: query.cursor }.read("solves")?;
    let filter = Filter {
        platform: query.platform,
        topic: query.topic.map(|topic| topic.as_str().to_owned()),
        leech: query.leech,
        updated_since: query.updated_since,
    };
    let user_id = caller.user.id;
    let rows: Work<_> = app
        .pool
        .read(move |db| Ok(super::list(db, user_id, &filter, page.after, page.fetch())?))
        .await;
    let items = page.items(rows?, |(solve, _)| solve.id).map(Solve::from);
    Ok(HttpResponse::Ok().json(items))
}

/// A solve
///
/// With its revisions and reviews.
#[utoipa::path(
    operation_id = "get_solve",
    tag = "solves",
    params(("id" = i64, Path, description = "The solve's number")),
    responses((status = 200, description = "The solve and its history", body = SolveDetail)),
)]
#[get("/solves/{id}")]
pub async fn get(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let found: Work<_> = app.pool.read(move |db| Ok(super::get(db, user_id, id)?)).await;
    let (solve, revisions, reviews) = found?.ok_or_else(ApiError::not_found)?;
    Ok(HttpResponse::Ok().json(SolveDetail { solve: solve.into(), revisions, reviews }))
}

/// Say something of a solve
#[utoipa::path(
    operation_id = "patch_solve",
    tag = "solves",
    params(("id" = i64, Path, description = "The solve's number")),
    request_body = SolvePatch,
    responses((status = 200, description = "Changed", body = Solve)),
)]
#[patch("/solves/{id}")]
pub async fn change(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
    Json(patch): Json<SolvePatch>,
) -> Result<HttpResponse, ApiError> {
    let change = check(patch)?;
    let (user_id, now) = (caller.user.id, app.clock.now());
    let changed: Work<_> =
        app.pool.write(move |db| Ok(super::change(db, user_id, id, &change, now)?)).await;
    let solve = changed?.ok_or_else(ApiError::not_found)?;
    Ok(HttpResponse::Ok().json(Solve::from(solve)))
}

/// Delete a solve
///
/// With its schedules; its XP is taken back by an entry of its own. Its submissions stay.
#[utoipa::path(
    operation_id = "delete_solve",
    tag = "solves",
    params(("id" = i64, Path, description = "The solve's number")),
    responses((status = 204, description = "Deleted")),
)]
#[delete("/solves/{id}")]
pub async fn delete(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    app.pool.write(move |db| super::delete(db, &learner, id, now)).await?;
    Ok(HttpResponse::NoContent().finish())
}

impl From<NoSuchSolve> for ApiError {
    fn from(_: NoSuchSolve) -> Self {
        Self::not_found()
    }
}

fn check(patch: SolvePatch) -> Result<Change, ApiError> {
    let mut errors = Vec::new();
    let title =
        patch.title.map(|title| title.map(|title| clean(&title)).filter(|title| !title.is_empty()));
    if let Some(Some(title)) = &title
        && let Some(fault) = naming::fault_of_title(title)
    {
        errors.push(FieldError::new("/title", fault));
    }
    let tags = patch.tags.map(|tags| tags.map(|tags| naming::clean_all(&tags)));
    if let Some(Some(tags)) = &tags
        && let Some(fault) = naming::fault_of_tags(tags)
    {
        errors.push(FieldError::new("/tags", fault));
    }
    let notes = patch.notes.map(|notes| notes.map(|notes| note(&notes)).transpose()).transpose();
    let notes = notes.unwrap_or_else(|fault| {
        errors.push(FieldError::new("/notes", fault));
        None
    });
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    Ok(Change {
        title,
        difficulty: patch.difficulty,
        tags: tags.map(|tags| tags.map(|tags| stored_tags(&tags))),
        notes,
    })
}
