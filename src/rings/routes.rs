//! HTTP for rings, the streak and its freezes.

use super::freezes::{self, Refusal};
use super::model::{Freeze, Rings, StreakNow};
use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::days::days_later;
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Day, Path, Query};
use actix_web::{HttpResponse, delete, get, put, web};
use chrono::NaiveDate;
use serde::Deserialize;
use utoipa::IntoParams;

/// The days that a list shows where nothing is said, in days.
const SHOWN: i64 = 31;

/// Which days a list of rings shows.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RingsQuery {
    /// The first day; default 30 days before the last.
    #[param(value_type = Option<NaiveDate>)]
    from: Option<Day>,
    /// The last day; default today.
    #[param(value_type = Option<NaiveDate>)]
    to: Option<Day>,
    /// How many items, 1 to 200.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// Where the last page ended: its `next_cursor`.
    cursor: Option<String>,
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooFar(first, last) => {
                Self::invalid_at("day", format!("{first} to {last} are expected"))
            }
            Refusal::Closed => {
                let detail = "the rings of the day have closed, so that it needs no freeze";
                Self::conflict("day-closed", "The day is kept", detail)
            }
            Refusal::NoneLeft => {
                let detail = "both freezes of the day's calendar month are spent";
                Self::conflict("no-freeze-left", "No freeze is left", detail)
            }
        }
    }
}

/// A day in a path: a date, or `today`.
fn day_in_path(text: String, today: NaiveDate) -> Result<NaiveDate, ApiError> {
    if text == "today" {
        return Ok(today);
    }
    Day::try_from(text).map(NaiveDate::from).map_err(|_| ApiError::not_found())
}

/// The rings of a day
///
/// What it wants and what was done. A day on which nothing was done yet has the goals that it would
/// begin with now.
#[utoipa::path(
    operation_id = "get_rings",
    tag = "rings",
    params(("day" = String, Path, description = "A local day, or `today`", example = "today")),
    responses((status = 200, description = "The rings", body = Rings)),
)]
#[get("/rings/{day}")]
pub async fn get(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(day): Path<String>,
) -> Result<HttpResponse, ApiError> {
    let learner = caller.learner.clone();
    let day = day_in_path(day, learner.days.local_day(*app.clock.now()))?;
    let rings: Work<_> = app.pool.read(move |db| Ok(super::of_day(db, &learner, day)?)).await;
    Ok(HttpResponse::Ok().json(rings?))
}

/// List rings
///
/// The days on which something was done, in order.
#[utoipa::path(
    operation_id = "list_rings",
    tag = "rings",
    params(RingsQuery),
    responses((status = 200, description = "A page of days", body = Items<Rings>)),
)]
#[get("/rings")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<RingsQuery>,
) -> Result<HttpResponse, ApiError> {
    let asked: Page<Day> = PageQuery { limit: query.limit, cursor: query.cursor }.read("rings")?;
    let after = asked.after.map(NaiveDate::from);
    let page = Page { list: asked.list, limit: asked.limit, after };
    let (user_id, days) = (caller.user.id, &caller.learner.days);
    let to = query.to.map_or_else(|| days.local_day(*app.clock.now()), NaiveDate::from);
    let from = query.from.map_or_else(|| days_later(to, 1 - SHOWN), NaiveDate::from);
    let rows: Work<_> = app
        .pool
        .read(move |db| Ok(super::between(db, user_id, (from, to), page.after, page.fetch())?))
        .await;
    Ok(HttpResponse::Ok().json(page.items(rows?, |rings| rings.day)))
}

/// The streak
///
/// Days kept one after the other, up to today.
#[utoipa::path(
    operation_id = "get_streak",
    tag = "rings",
    responses((status = 200, description = "The streak", body = StreakNow)),
)]
#[get("/streak")]
pub async fn streak(caller: Caller<Read>, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let streak: Work<_> = app.pool.read(move |db| Ok(super::streak(db, &learner, now)?)).await;
    Ok(HttpResponse::Ok().json(streak?))
}

/// Freeze a day
///
/// It counts as kept. A calendar month has two freezes, for days from 31 days ago to 366 days ahead.
/// A frozen day stays as it is.
#[utoipa::path(
    operation_id = "freeze_day",
    tag = "rings",
    params(("day" = String, Path, description = "A local day, or `today`", example = "today")),
    responses(
        (status = 201, description = "Frozen", body = Freeze),
        (status = 200, description = "It was frozen", body = Freeze),
        (status = 409, description = "The day has closed, or its month has no freeze left"),
        (status = 422, description = "The day is too far away"),
    ),
)]
#[put("/streak/freezes/{day}")]
pub async fn freeze(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(day): Path<String>,
) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let today = caller.learner.days.local_day(*now);
    let day = day_in_path(day, today)?;
    let frozen = app.pool.write(move |db| freezes::freeze(db, user_id, day, today, now)).await;
    let (freeze, is_made) = frozen?;
    let mut answer = if is_made { HttpResponse::Created() } else { HttpResponse::Ok() };
    Ok(answer.json(freeze))
}

/// Take a freeze back
///
/// It can be spent on another day of its month.
#[utoipa::path(
    operation_id = "thaw_day",
    tag = "rings",
    params(("day" = String, Path, description = "A local day, or `today`", example = "today")),
    responses((status = 204, description = "The day is not frozen")),
)]
#[delete("/streak/freezes/{day}")]
pub async fn thaw(
    caller: Caller<Write>,
    app: web::Data<App>,
    Path(day): Path<String>,
) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let day = day_in_path(day, caller.learner.days.local_day(*app.clock.now()))?;
    let thawed: Work<()> = app.pool.write(move |db| Ok(freezes::thaw(db, user_id, day)?)).await;
    thawed?;
    Ok(HttpResponse::NoContent().finish())
}
