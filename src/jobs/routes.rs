//! HTTP for the queue: an admin's view.

use super::model::{JobRow, State};
use super::{Wish, cancel as stop, find, list as jobs, retry as revive};
use crate::app::App;
use crate::auth::caller::{Admin, Caller};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, get, post, web};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A job of the queue.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Job {
    /// Its number.
    pub id: i64,
    /// What names it among all jobs.
    #[schema(example = "classify-problem-7")]
    pub job_id: String,
    /// What it does.
    #[schema(example = "classify-problem")]
    pub kind: String,
    /// `once`: one run for the name, for ever; `coalesce`: one run waits at a time.
    #[schema(pattern = "^(once|coalesce)$")]
    pub mode: &'static str,
    /// Where it is.
    pub state: State,
    /// The higher goes first.
    pub priority: i32,
    /// Attempts so far.
    pub attempts: i32,
    /// Attempts before it is dead.
    pub max_attempts: i32,
    /// What it works on.
    #[schema(value_type = Object)]
    pub payload: serde_json::Value,
    /// Before this instant it does not run.
    pub run_at: At,
    /// Until then a worker has it.
    #[schema(required = true)]
    pub lease_until: Option<At>,
    /// Why the last attempt failed.
    #[schema(required = true)]
    pub last_error: Option<String>,
    /// When it was enqueued.
    pub created_at: At,
    /// When it ended.
    #[schema(required = true)]
    pub finished_at: Option<At>,
}

impl From<JobRow> for Job {
    fn from(row: JobRow) -> Self {
        Self {
            id: row.id,
            job_id: row.job_id,
            kind: row.kind,
            mode: row.mode.as_str(),
            state: row.state,
            priority: row.priority,
            attempts: row.attempts,
            max_attempts: row.max_attempts,
            // A payload that cannot be read is shown as it is.
            payload: serde_json::from_str(&row.payload)
                .unwrap_or(serde_json::Value::String(row.payload)),
            run_at: row.run_at,
            lease_until: row.lease_until,
            last_error: row.last_error,
            created_at: row.created_at,
            finished_at: row.finished_at,
        }
    }
}

/// The most characters of a kind.
const LONGEST_KIND: usize = 64;

/// Which jobs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Only those in this state.
    state: Option<State>,
    /// Only those of this kind.
    #[param(pattern = "^[a-z-]{1,64}$")]
    kind: Option<String>,
}

fn is_kind(text: &str) -> bool {
    (1..=LONGEST_KIND).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// List jobs
///
/// Newest first. Those that ended well are kept for seven days, dead ones until somebody looks.
#[utoipa::path(
    operation_id = "list_jobs",
    tag = "admin",
    security(("bearer" = ["admin"]), ("cookie" = [])),
    params(Filter, PageQuery),
    responses((status = 200, description = "A page of jobs", body = Items<Job>)),
)]
#[get("/admin/jobs")]
pub async fn list(
    _: Caller<Admin>,
    app: web::Data<App>,
    Query(filter): Query<Filter>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    if filter.kind.as_deref().is_some_and(|kind| !is_kind(kind)) {
        return Err(ApiError::invalid_at("kind", "a kind such as `purge-jobs` is expected"));
    }
    let page: Page<i64> = query.read("jobs")?;
    let rows: Work<_> = app
        .pool
        .read(move |db| {
            Ok(jobs(db, filter.state, filter.kind.as_deref(), page.after, page.fetch())?)
        })
        .await;
    Ok(HttpResponse::Ok().json(page.items(rows?, |row| row.id).map(Job::from)))
}

/// Show a job
#[utoipa::path(
    operation_id = "get_job",
    tag = "admin",
    security(("bearer" = ["admin"]), ("cookie" = [])),
    params(("id" = i64, Path, description = "The job")),
    responses(
        (status = 200, description = "The job", body = Job),
        (status = 404, description = "There is no such job"),
    ),
)]
#[get("/admin/jobs/{id}")]
pub async fn get(
    _: Caller<Admin>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let row: Work<_> = app.pool.read(move |db| Ok(find(db, id)?)).await;
    let row = row?.ok_or_else(ApiError::not_found)?;
    Ok(HttpResponse::Ok().json(Job::from(row)))
}

/// Retry a job
///
/// One that is dead, or was cancelled, gets all its attempts again.
#[utoipa::path(
    operation_id = "retry_job",
    tag = "admin",
    security(("bearer" = ["admin"]), ("cookie" = [])),
    params(("id" = i64, Path, description = "The job")),
    responses(
        (status = 200, description = "It waits for a worker", body = Job),
        (status = 404, description = "There is no such job"),
        (status = 409, description = "`job-not-dead`: it waits, runs, or has had its effect"),
    ),
)]
#[post("/admin/jobs/{id}/retry")]
pub async fn retry(
    _: Caller<Admin>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let wish: Work<_> = app.pool.write(move |db| Ok(revive(db, id)?)).await;
    answer(wish?, "job-not-dead", "Only a job that is dead or cancelled can be retried")
}

/// Cancel a job
///
/// One that waits. What runs goes on; an id of mode `once` stays taken.
#[utoipa::path(
    operation_id = "cancel_job",
    tag = "admin",
    security(("bearer" = ["admin"]), ("cookie" = [])),
    params(("id" = i64, Path, description = "The job")),
    responses(
        (status = 200, description = "It is cancelled", body = Job),
        (status = 404, description = "There is no such job"),
        (status = 409, description = "`job-not-pending`: it runs, or has ended"),
    ),
)]
#[post("/admin/jobs/{id}/cancel")]
pub async fn cancel(
    _: Caller<Admin>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    let wish: Work<_> = app.pool.write(move |db| Ok(stop(db, id)?)).await;
    answer(wish?, "job-not-pending", "Only a job that waits can be cancelled")
}

fn answer(
    wish: Option<Wish>,
    code: &'static str,
    title: &'static str,
) -> Result<HttpResponse, ApiError> {
    match wish {
        Some(Wish::Granted(row)) => Ok(HttpResponse::Ok().json(Job::from(row))),
        Some(Wish::Refused(row)) => {
            let detail = format!("the job is {}", row.state.as_str());
            Err(ApiError::new(StatusCode::CONFLICT, code, title, detail)
                .with("state", row.state.as_str()))
        }
        None => Err(ApiError::not_found()),
    }
}
