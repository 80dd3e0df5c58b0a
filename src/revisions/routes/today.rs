//! HTTP for the day.

use crate::app::App;
use crate::auth::caller::{Caller, Read};
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::limits::DUE;
use crate::revisions::today::{self, Today};
use crate::rings;
use crate::rings::model::{Rings, StreakNow};
use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use utoipa::ToSchema;

/// The day, with its rings and the streak.
#[derive(Serialize, ToSchema)]
pub struct TodayBody {
    /// What is due.
    #[serde(flatten)]
    #[schema(inline)]
    today: Today,
    /// What the day wants, and what was done.
    ring: Rings,
    /// Days kept one after the other.
    streak: StreakNow,
}

/// Today
///
/// Everything that is due, overdue first: the first 5,000, and how many there are. On a paused day
/// nothing is due, and `pause` says so.
#[utoipa::path(
    operation_id = "get_today",
    tag = "revisions",
    responses((status = 200, description = "The day", body = TodayBody)),
)]
#[get("/today")]
pub async fn get(caller: Caller<Read>, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let body: Work<TodayBody> = app
        .pool
        .read(move |db| {
            let today = today::today(db, &learner, DUE, now)?;
            let ring = rings::of_day(db, &learner, today.day)?;
            let streak = rings::streak(db, &learner, now)?;
            Ok(TodayBody { today, ring, streak })
        })
        .await;
    Ok(HttpResponse::Ok().json(body?))
}
