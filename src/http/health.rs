//! Whether the process lives, and whether it can do its work.

use super::error::ApiError;
use super::limits::READY;
use crate::app::App;
use crate::db::migrate;
use crate::db::tx::Work;
use crate::jobs::{self, Standing};
use actix_web::{HttpResponse, get, web};
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

/// The process lives.
#[derive(Serialize, ToSchema)]
struct Health {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
    /// The version that runs.
    #[schema(example = "0.1.0")]
    version: &'static str,
}

/// The process can do its work.
#[derive(Serialize, ToSchema)]
struct Readiness {
    /// Always `ready`.
    #[schema(example = "ready")]
    status: &'static str,
    /// `up`: it answers.
    #[schema(example = "up")]
    database: &'static str,
    /// `current`: the schema is what this version needs.
    #[schema(example = "current")]
    migrations: &'static str,
    /// `seen`: some process has worked in the background within the last two and a half minutes.
    /// `unseen`: none has. `unknown`: the database did not say in time.
    #[schema(example = "seen")]
    worker: &'static str,
    /// For how many seconds the job that has been due the longest has waited: 0 where none is due,
    /// `null` where the database did not say in time.
    #[schema(example = 0.0)]
    worker_lag_seconds: Option<f64>,
}

/// Liveness
///
/// Says that the process runs, and nothing of what it needs: restart it when this fails.
#[utoipa::path(
    operation_id = "get_health",
    tag = "instance",
    security(()),
    responses((status = 200, description = "The process runs", body = Health)),
)]
#[get("/healthz")]
pub async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Readiness
///
/// Whether the database answers within 2 seconds and has the schema that this version needs: send
/// no requests to the process while this fails. How late the work in the background is, it tells
/// without failing: requests are answered all the same.
#[utoipa::path(
    operation_id = "get_readiness",
    tag = "instance",
    security(()),
    responses(
        (status = 200, description = "Ready", body = Readiness),
        (status = 503, description = "Not ready; the members `database` and `migrations` tell why"),
    ),
)]
#[get("/readyz")]
pub async fn readyz(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let looked: Work<_> =
        match timeout(READY, app.pool.read(|db| Ok(migrate::is_current(db)?))).await {
            Ok(looked) => looked,
            Err(_) => return Err(not_ready("down", "unknown")),
        };
    match looked {
        Ok(true) => {
            let standing = standing(&app).await;
            Ok(HttpResponse::Ok().json(Readiness {
                status: "ready",
                database: "up",
                migrations: "current",
                worker: match standing {
                    Some(Standing { has_worker: true, .. }) => "seen",
                    Some(Standing { has_worker: false, .. }) => "unseen",
                    None => "unknown",
                },
                worker_lag_seconds: standing.map(|standing| standing.lag),
            }))
        }
        Ok(false) => Err(not_ready("up", "pending")),
        Err(stopped) => {
            tracing::warn!(?stopped, "not ready");
            Err(not_ready("down", "unknown"))
        }
    }
}

/// How the queue is served, where the database says so in time.
async fn standing(app: &App) -> Option<Standing> {
    let asked: Work<_> = timeout(READY, app.pool.read(|db| Ok(jobs::standing(db)?))).await.ok()?;
    asked.inspect_err(|stopped| tracing::warn!(?stopped, "the queue cannot be looked at")).ok()
}

fn not_ready(database: &str, migrations: &str) -> ApiError {
    ApiError::unavailable("the process cannot do its work now")
        .with("database", database)
        .with("migrations", migrations)
}
