//! HTTP for the schedules of a solve.

use crate::app::App;
use crate::auth::caller::{Caller, Write};
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::params::Path;
use crate::revisions::model::RevisionRow;
use crate::revisions::{actions, solved};
use actix_web::{HttpResponse, post, web};
use serde::Serialize;
use utoipa::ToSchema;

/// The revisions of a solve that are to come.
#[derive(Serialize, ToSchema)]
pub struct ToComeBody {
    /// One for each schedule.
    revisions: Vec<RevisionRow>,
}

/// Start the adaptive schedule of a solve
///
/// Where it has one, nothing changes. What was reviewed on a ladder is remembered.
#[utoipa::path(
    operation_id = "start_adaptive",
    tag = "solves",
    params(("id" = i64, Path, description = "The solve's number")),
    responses(
        (status = 201, description = "Started: the revision that is to come", body = RevisionRow),
        (status = 200, description = "It was there: the revision that is to come",
            body = RevisionRow),
    ),
)]
#[post("/solves/{id}/adaptive")]
pub async fn start_adaptive(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let started: Work<_> =
        app.pool.write(move |db| Ok(solved::start_adaptive(db, &learner, id, now)?)).await;
    match started? {
        Some((revision, true)) => Ok(HttpResponse::Created().json(revision)),
        Some((revision, false)) => Ok(HttpResponse::Ok().json(revision)),
        None => Err(ApiError::not_found()),
    }
}

/// Suspend a solve
///
/// Nothing of it falls due until it is resumed.
#[utoipa::path(
    operation_id = "suspend_solve",
    tag = "solves",
    params(("id" = i64, Path, description = "The solve's number")),
    responses((status = 200, description = "Suspended", body = ToComeBody)),
)]
#[post("/solves/{id}/suspend")]
pub async fn suspend(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    set_suspended(&caller, &app, id, true).await
}

/// Resume a solve
///
/// What was suspended is due when it was to be.
#[utoipa::path(
    operation_id = "resume_solve",
    tag = "solves",
    params(("id" = i64, Path, description = "The solve's number")),
    responses((status = 200, description = "Resumed", body = ToComeBody)),
)]
#[post("/solves/{id}/resume")]
pub async fn resume(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    set_suspended(&caller, &app, id, false).await
}

/// Begin a schedule again
///
/// The memory is forgotten, as if the problem had been solved for the first time today.
#[utoipa::path(
    operation_id = "reset_solve",
    tag = "solves",
    params(("id" = i64, Path, description = "The solve's number")),
    responses((status = 200, description = "Begun again", body = ToComeBody)),
)]
#[post("/solves/{id}/reset")]
pub async fn reset(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let revisions = app.pool.write(move |db| actions::reset(db, &learner, id, now)).await?;
    Ok(HttpResponse::Ok().json(ToComeBody { revisions }))
}

async fn set_suspended(
    caller: &Caller<Write>,
    app: &App,
    id: i64,
    suspended: bool,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let revisions =
        app.pool.write(move |db| actions::suspend(db, &learner, id, suspended, now)).await?;
    Ok(HttpResponse::Ok().json(ToComeBody { revisions }))
}
