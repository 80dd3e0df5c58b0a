//! HTTP for figures.

use super::Span;
use super::model::Stats;
use crate::app::App;
use crate::auth::caller::{Caller, Read};
use crate::days::days_later;
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::params::{Day, Query};
use actix_web::{HttpResponse, get, web};
use chrono::NaiveDate;
use serde::Deserialize;
use utoipa::IntoParams;

/// The longest heat map, in days: two years.
const LONGEST: i64 = 731;

/// What the figures are about.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StatsQuery {
    /// The first day of the heat map; default a year before its last.
    #[param(value_type = Option<NaiveDate>)]
    from: Option<Day>,
    /// The last day of the heat map; default today. At most 731 days.
    #[param(value_type = Option<NaiveDate>)]
    to: Option<Day>,
    /// Days of the forecast, 1 to 365, today included.
    #[param(minimum = 1, maximum = 365, default = 30)]
    forecast_days: Option<i64>,
}

/// Figures
///
/// Counts, a heat map, solves by topic, difficulty and platform, true retention, and a forecast.
#[utoipa::path(
    operation_id = "get_stats",
    tag = "stats",
    params(StatsQuery),
    responses((status = 200, description = "The figures", body = Stats)),
)]
#[get("/stats")]
pub async fn get(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<StatsQuery>,
) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let to = query.to.map_or_else(|| learner.days.local_day(*now), NaiveDate::from);
    let from = query.from.map_or_else(|| days_later(to, -364), NaiveDate::from);
    if from > to || days_later(from, LONGEST - 1) < to {
        return Err(ApiError::invalid_at("from", format!("1 to {LONGEST} days are expected")));
    }
    let forecast_days = query.forecast_days.unwrap_or(30);
    if !(1..=365).contains(&forecast_days) {
        return Err(ApiError::invalid_at("forecast_days", "1 to 365 are expected"));
    }
    let span = Span { from, to, forecast_days };
    let stats: Work<_> = app.pool.read(move |db| Ok(super::stats(db, &learner, span, now)?)).await;
    Ok(HttpResponse::Ok().json(stats?))
}
