//! HTTP for pauses.

use super::model::{Pause, Span};
use super::{Ended, Overlaps};
use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::db::tx::{Stopped, Work};
use crate::http::error::ApiError;
use crate::http::json::Json;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Day, Path, Query};
use crate::rings::pause_over::spread_all;
use actix_web::{HttpResponse, delete, get, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

/// The days of a pause.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseBody {
    /// The first local day: from 31 days ago to 366 days ahead.
    #[schema(value_type = chrono::NaiveDate, example = "2026-09-01")]
    from: Day,
    /// The last local day: not before the first, at most 366 days in all.
    #[schema(value_type = chrono::NaiveDate, example = "2026-09-14")]
    until: Day,
}

impl From<Overlaps> for ApiError {
    fn from(_: Overlaps) -> Self {
        let detail = "a day of it is in another pause";
        Self::conflict("pause-overlaps", "It overlaps another pause", detail)
    }
}

/// List pauses
///
/// Newest first.
#[utoipa::path(
    operation_id = "list_pauses",
    tag = "rings",
    params(PageQuery),
    responses((status = 200, description = "A page of pauses", body = Items<Pause>)),
)]
#[get("/pauses")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("pauses")?;
    let user_id = caller.user.id;
    let rows: Work<_> =
        app.pool.read(move |db| Ok(super::list(db, user_id, page.after, page.fetch())?)).await;
    Ok(HttpResponse::Ok().json(page.items(rows?, |pause| pause.id)))
}

/// Begin a pause
///
/// On its days nothing is due and nothing is sent, and a streak passes over them. When it is over,
/// what fell due is spread by the daily cap. The same days again get the pause that is there.
#[utoipa::path(
    operation_id = "create_pause",
    tag = "rings",
    request_body = PauseBody,
    responses(
        (status = 201, description = "Begun", body = Pause),
        (status = 200, description = "It was there", body = Pause),
        (status = 409, description = "A day of it is in another pause: `pause` says which"),
    ),
)]
#[post("/pauses")]
pub async fn create(
    caller: Caller<Write>,
    app: web::Data<App>,
    Json(body): Json<PauseBody>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let (user_id, today) = (learner.user_id, learner.days.local_day(*now));
    let span = Span::new(body.from.into(), body.until.into(), today)
        .map_err(|(pointer, detail)| ApiError::invalid_at(pointer, detail))?;
    match app.pool.write(move |db| super::begin(db, user_id, span, now)).await {
        Ok(pause) => {
            if pause.until < today {
                spread_all(&app.pool, &learner, pause.id, now).await?;
            }
            Ok(HttpResponse::Created().json(pause))
        }
        Err(Stopped::Because(overlaps)) => {
            let there: Work<_> =
                app.pool.read(move |db| Ok(super::overlapping(db, user_id, span)?)).await;
            match there? {
                Some(pause) if span.is_of(&pause) => Ok(HttpResponse::Ok().json(pause)),
                Some(pause) => Err(ApiError::from(overlaps).with("pause", shown(&pause))),
                None => Err(overlaps.into()),
            }
        }
        Err(stopped) => Err(stopped.into()),
    }
}

/// End a pause
///
/// From today on its days are as any other, and what fell due is spread. Days that have passed stay
/// paused. The same again changes nothing; a pause that has no day before today is gone.
#[utoipa::path(
    operation_id = "end_pause",
    tag = "rings",
    params(("id" = i64, Path, description = "The pause's number")),
    responses((status = 204, description = "Ended")),
)]
#[delete("/pauses/{id}")]
pub async fn end(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let (user_id, today) = (learner.user_id, learner.days.local_day(*now));
    let ended: Work<_> = app.pool.write(move |db| Ok(super::end(db, user_id, id, today)?)).await;
    match ended? {
        None => return Err(ApiError::not_found()),
        Some(Ended::Gone) => {}
        Some(Ended::Over) => spread_all(&app.pool, &learner, id, now).await?,
    }
    Ok(HttpResponse::NoContent().finish())
}

fn shown(pause: &Pause) -> serde_json::Value {
    serde_json::json!(pause)
}
