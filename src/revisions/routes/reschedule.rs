//! HTTP for planning everything again.

use crate::app::App;
use crate::auth::caller::{Caller, Write};
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::json::Json;
use crate::revisions::reschedule::{self, Change};
use actix_web::{HttpResponse, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How to plan again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RescheduleBody {
    /// Only say what would change.
    preview: bool,
    /// Spread what would be overdue over so many days from today; 0 leaves it overdue.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 365)]
    spread_days: u32,
}

/// What changes, or changed.
#[derive(Serialize, ToSchema)]
pub struct RescheduledBody {
    /// Whether it only would.
    preview: bool,
    /// The dates that change.
    changes: Vec<Change>,
}

/// Plan everything again
///
/// Under the settings in force, which otherwise count from the next review on.
#[utoipa::path(
    operation_id = "reschedule",
    tag = "revisions",
    request_body = RescheduleBody,
    responses((status = 200, description = "What changes", body = RescheduledBody)),
)]
#[post("/revisions/reschedule")]
pub async fn plan_again(
    caller: Caller<Write>,
    app: web::Data<App>,
    Json(body): Json<RescheduleBody>,
) -> Result<HttpResponse, ApiError> {
    let RescheduleBody { preview, spread_days } = body;
    if spread_days > 365 {
        return Err(ApiError::invalid_at("/spread_days", "0 to 365 are expected"));
    }
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let mut changes = Vec::new();
    let mut after = 0;
    loop {
        let learner = learner.clone();
        let work =
            move |db: &mut _| Ok(reschedule::pass(db, &learner, after, preview, spread_days, now)?);
        let pass: Work<_> =
            if preview { app.pool.read(work).await } else { app.pool.write(work).await };
        let pass = pass?;
        changes.extend(pass.changes);
        match pass.last {
            Some(last) => after = last,
            None => break,
        }
    }
    Ok(HttpResponse::Ok().json(RescheduledBody { preview, changes }))
}
