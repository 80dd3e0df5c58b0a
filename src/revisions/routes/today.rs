//! HTTP for the day.

use crate::app::App;
use crate::auth::caller::{Caller, Read};
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::limits::DUE;
use crate::revisions::today::{self, Today};
use actix_web::{HttpResponse, get, web};

/// Today
///
/// Everything that is due, overdue first: the first 5,000, and how many there are.
#[utoipa::path(
    operation_id = "get_today",
    tag = "revisions",
    responses((status = 200, description = "The day", body = Today)),
)]
#[get("/today")]
pub async fn get(caller: Caller<Read>, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let today: Work<_> = app.pool.read(move |db| Ok(today::today(db, &learner, DUE, now)?)).await;
    Ok(HttpResponse::Ok().json(today?))
}
