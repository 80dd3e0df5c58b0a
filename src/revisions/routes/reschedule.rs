//! HTTP for planning everything again.

use crate::app::App;
use crate::auth::caller::{Caller, Write};
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::json::Json;
use crate::http::limits::PLANNED_AGAIN;
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
    /// Go on after this solve: the `next_after` of the call before.
    #[serde(default)]
    #[schema(minimum = 0)]
    after: i64,
}

/// What changes, or changed.
#[derive(Serialize, ToSchema)]
pub struct RescheduledBody {
    /// Whether it only would.
    preview: bool,
    /// The dates that change.
    changes: Vec<Change>,
    /// Where to go on, if there are more solves than one call works through; else null.
    #[schema(required = true)]
    next_after: Option<i64>,
}

/// Plan everything again
///
/// Under the settings in force, which otherwise count from the next review on. One call works
/// through at most 5,000 solves. The same again on that day changes nothing further.
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
    let RescheduleBody { preview, spread_days, after } = body;
    if spread_days > 365 {
        return Err(ApiError::invalid_at("/spread_days", "0 to 365 are expected"));
    }
    if after < 0 {
        return Err(ApiError::invalid_at("/after", "the `next_after` of a call before, or 0"));
    }
    let (learner, now) = (caller.learner.clone(), app.clock.now());
    let mut changes = Vec::new();
    let mut next_after = Some(after);
    let mut solves = 0;
    while let Some(after) = next_after.filter(|_| solves < PLANNED_AGAIN) {
        let learner = learner.clone();
        let work =
            move |db: &mut _| Ok(reschedule::pass(db, &learner, after, preview, spread_days, now)?);
        let pass: Work<_> =
            if preview { app.pool.read(work).await } else { app.pool.write(work).await };
        let pass = pass?;
        changes.extend(pass.changes);
        solves += pass.solves;
        next_after = pass.last;
    }
    Ok(HttpResponse::Ok().json(RescheduledBody { preview, changes, next_after }))
}
