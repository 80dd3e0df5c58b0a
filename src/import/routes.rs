//! HTTP for imports.

use super::formats::{DateOrder, Format, Options};
use super::model::{Import, ImportReport, RowReport, Verdict};
use super::run::{self, Ended, Order};
use super::survey::Refused;
use super::upload;
use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::days;
use crate::db::pool::PoolError;
use crate::db::tx::Work;
use crate::http::error::{ApiError, FieldError};
use crate::http::idempotency::{self, Key};
use crate::http::json::too_large;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, get, post, web};
use serde::Deserialize;
use std::io::ErrorKind;
use utoipa::{IntoParams, ToSchema};

/// How a file is to be read, and what is to be done with it.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    /// The format: `traverse`, `csv`, `codeforces`, or `auto`, which finds out by the structure.
    #[param(default = "auto", example = "auto")]
    format: Option<String>,
    /// The zone of times that have none of their own, by its IANA name; default the user's own.
    #[param(example = "Europe/Berlin")]
    time_zone: Option<String>,
    /// How dates such as `03/04/2025` are written: `dmy`, `mdy` or `ymd`. Without it they are
    /// refused, not guessed.
    #[param(example = "dmy")]
    date_order: Option<String>,
    /// Only tell what would become of the file; nothing is stored.
    dry_run: Option<bool>,
}

/// Which rows are shown.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RowQuery {
    /// Only those of which this became.
    #[param(inline)]
    verdict: Option<Verdict>,
    /// How many items, 1 to 200.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// Where the last page ended: its `next_cursor`.
    cursor: Option<String>,
}

/// Import what was solved before
///
/// The file is the body, or the field `file` of a form; at most 512 MiB, also packed with gzip (up
/// to 1 GiB unpacked), and at most 2,000,000 rows. A file that cannot be read to its end creates
/// nothing. One bad row blocks no other. The same file again changes nothing, with or without a
/// key. Imported solves earn XP for their own days; their first dates are spread by the daily cap.
///
/// Up to 5,000 rows are imported before the answer, 201. A larger file is looked at and stored, the
/// answer is 202 with the import as it waits, and a worker imports it: `status` and `progress` of the
/// import say how far it is, and a notification that it has ended.
#[utoipa::path(
    operation_id = "create_import",
    tag = "imports",
    params(ImportQuery, idempotency::Header),
    request_body(content(
        (serde_json::Value = "application/json"), (ImportFile = "application/x-ndjson"),
        (ImportFile = "text/csv"), (ImportFile = "text/plain"), (ImportFile = "application/gzip"),
        (ImportForm = "multipart/form-data"),
    )),
    responses(
        (status = 201, description = "Imported", body = ImportReport,
            headers(("Location" = String, description = "Where it is"))),
        (status = 202, description = "It waits for a worker", body = ImportReport,
            headers(("Location" = String, description = "Where it is"))),
        (status = 200, description = "A dry run; or the key made it before", body = ImportReport,
            headers(("Idempotency-Replayed" = String, description = "`true` where the key made it"))),
    ),
)]
#[post("/imports")]
pub async fn create(
    caller: Caller<Write>,
    app: web::Data<App>,
    key: Key,
    Query(query): Query<ImportQuery>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, ApiError> {
    let upload = upload::receive(&request, payload.into_inner(), &app.imports.room).await?;
    let now = app.clock.now();
    let options = query.read(caller.learner.days.current().zone, *now)?;
    let dry_run = query.dry_run.unwrap_or(false);
    let said = (&query.format, &query.time_zone, &query.date_order);
    let fingerprint = idempotency::fingerprint(&(&upload.digest, said))?;
    let order = Order {
        learner: caller.learner.clone(),
        key: key.0.filter(|_| !dry_run),
        fingerprint,
        options,
        dry_run,
        file: upload.file,
    };
    let user_id = caller.user.id;
    let running = run::run(app.pool.clone(), app.clock.clone(), app.imports.clone(), order);
    // On its own, so that it goes on when the client does not wait.
    let ended = actix_web::rt::spawn(running).await.map_err(|_| PoolError::Cancelled)??;
    match ended {
        Ended::Ran(report) => Ok(made(StatusCode::CREATED, &report)),
        Ended::Queued(report) => Ok(made(StatusCode::ACCEPTED, &report)),
        Ended::Replayed(id) => {
            let report = report(&app, user_id, id).await?;
            Ok(HttpResponse::Ok().insert_header((idempotency::REPLAYED, "true")).json(report))
        }
        Ended::KeyReused => Err(idempotency::reused()),
        Ended::Refused(refused) => Err(refused.into()),
        Ended::Full => Err(upload::full()),
    }
}

/// The answer with a report: with this status where something was made.
fn made(status: StatusCode, report: &ImportReport) -> HttpResponse {
    match report.import.id {
        None => HttpResponse::Ok().json(report),
        Some(id) => HttpResponse::build(status)
            .insert_header(("Location", format!("/api/v1/imports/{id}")))
            .json(report),
    }
}

/// The bytes of a file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "read as a stream; this is for the documentation")]
pub struct ImportFile(Vec<u8>);

/// A form with a file.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportForm {
    /// The file.
    #[schema(value_type = String, format = Binary)]
    #[expect(dead_code, reason = "read as a stream; this is for the documentation")]
    file: Vec<u8>,
}

impl ImportQuery {
    fn read(
        &self,
        own: chrono_tz::Tz,
        now: chrono::DateTime<chrono::Utc>,
    ) -> Result<Options, ApiError> {
        let mut errors = Vec::new();
        let mut fault = |at: &str, detail: String| errors.push(FieldError::new(at, detail));
        let format = match self.format.as_deref() {
            None | Some("auto") => None,
            Some(name) => name
                .parse::<Format>()
                .map_err(|error| fault("format", format!("{error}, and auto")))
                .ok(),
        };
        let time_zone = match self.time_zone.as_deref() {
            None => own,
            Some(name) => days::zone(name).unwrap_or_else(|error| {
                fault("time_zone", error.to_string());
                own
            }),
        };
        let date_order = self.date_order.as_deref().and_then(|name| {
            name.parse::<DateOrder>().map_err(|error| fault("date_order", error.to_string())).ok()
        });
        if !errors.is_empty() {
            return Err(ApiError::invalid(errors));
        }
        Ok(Options { format, time_zone, date_order, now })
    }
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> Self {
        use super::formats::Unreadable;
        if let Refused::Unreadable(Unreadable::Io(error)) = &refused {
            if error.kind() == ErrorKind::FileTooLarge {
                let unpacked = usize::try_from(super::file::UNPACKED).unwrap_or(usize::MAX);
                return too_large(unpacked);
            }
            tracing::warn!(%error, "a file cannot be read");
        }
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "unreadable-file",
            "The file cannot be imported",
            refused.to_string(),
        )
    }
}

async fn report(app: &App, user_id: i64, id: i64) -> Result<ImportReport, ApiError> {
    let found: Work<_> = app.pool.read(move |db| Ok(super::report(db, user_id, id)?)).await;
    let (row, errors) = found?.ok_or_else(ApiError::not_found)?;
    Ok(ImportReport { import: row.shown(app.clock.now()), errors })
}

/// List imports
///
/// Newest first.
#[utoipa::path(
    operation_id = "list_imports",
    tag = "imports",
    params(PageQuery),
    responses((status = 200, description = "A page of imports", body = Items<Import>)),
)]
#[get("/imports")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("imports")?;
    let user_id = caller.user.id;
    let rows: Work<_> =
        app.pool.read(move |db| Ok(super::list(db, user_id, page.after, page.fetch())?)).await;
    let now = app.clock.now();
    Ok(HttpResponse::Ok().json(page.items(rows?, |row| row.id).map(|row| row.shown(now))))
}

/// An import
#[utoipa::path(
    operation_id = "get_import",
    tag = "imports",
    params(("id" = i64, Path, description = "The import's number")),
    responses((status = 200, description = "The import", body = ImportReport)),
)]
#[get("/imports/{id}")]
pub async fn get(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::Ok().json(report(&app, caller.user.id, id).await?))
}

/// List the rows of an import
///
/// In the order of the file.
#[utoipa::path(
    operation_id = "list_import_rows",
    tag = "imports",
    params(("id" = i64, Path, description = "The import's number"), RowQuery),
    responses((status = 200, description = "A page of rows", body = Items<RowReport>)),
)]
#[get("/imports/{id}/rows")]
pub async fn list_rows(
    caller: Caller<Read>,
    app: web::Data<App>,
    Path(id): Path<i64>,
    Query(query): Query<RowQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> =
        PageQuery { limit: query.limit, cursor: query.cursor }.read("import-rows")?;
    let user_id = caller.user.id;
    let rows: Work<_> = app
        .pool
        .read(move |db| Ok(super::rows(db, user_id, id, query.verdict, page.after, page.fetch())?))
        .await;
    let rows = rows?.ok_or_else(ApiError::not_found)?;
    Ok(HttpResponse::Ok().json(page.items(rows, |row| row.row)))
}
