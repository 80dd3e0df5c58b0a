//! The documentation of the API, for programs and, with Swagger UI, for people. Nothing of it
//! comes from elsewhere: it works without internet.

use super::error::ApiError;
use super::openapi;
use super::params::Path;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, LOCATION};
use actix_web::{HttpResponse, get, web};
use std::sync::{Arc, OnceLock};
use utoipa_swagger_ui::Config;

/// The paths of Swagger UI and of what leads there, which are no part of the API that it shows.
pub const PATHS: [&str; 3] = ["/", "/docs", "/docs/{file:.*}"];

/// How the page is called in the files of Swagger UI, and what it is called here.
const TITLES: (&str, &str) = ("<title>Swagger UI</title>", "<title>Traverse: the API</title>");

/// Swagger UI writes style attributes; all else comes from files of our own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The OpenAPI document
///
/// This document: OpenAPI 3.1, made from the code.
#[utoipa::path(
    operation_id = "get_openapi",
    tag = "instance",
    security(()),
    responses((status = 200, description = "The document", body = serde_json::Value)),
)]
#[get("/openapi.json")]
pub async fn document() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(openapi::json())
}

/// Adds Swagger UI.
pub fn swagger_ui(config: &mut web::ServiceConfig) -> &mut web::ServiceConfig {
    config.service(start).service(slash).service(file)
}

/// Whoever opens the address of the instance in a browser finds something to read. It is for now:
/// a browser must not keep it.
#[get("/")]
async fn start() -> HttpResponse {
    HttpResponse::Found().insert_header((LOCATION, "/docs/")).finish()
}

/// The links in the page are relative.
#[get("/docs")]
async fn slash() -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((LOCATION, "/docs/")).finish()
}

#[get("/docs/{file:.*}")]
async fn file(Path(file): Path<String>) -> Result<HttpResponse, ApiError> {
    let found = utoipa_swagger_ui::serve(&file, config()).map_err(|error| {
        tracing::error!(%error, "Swagger UI cannot be served");
        ApiError::internal()
    })?;
    let found = found.ok_or_else(ApiError::not_found)?;
    let mut response = HttpResponse::Ok();
    if found.gzpipped {
        response.insert_header((CONTENT_ENCODING, "gzip"));
    }
    let is_page = !found.gzpipped && found.content_type.starts_with("text/html");
    let page = if is_page { std::str::from_utf8(&found.bytes).ok() } else { None };
    let bytes = match page {
        Some(page) => page.replace(TITLES.0, TITLES.1).into_bytes(),
        None => found.bytes.into_owned(),
    };
    Ok(response
        .content_type(found.content_type)
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .body(bytes))
}

fn config() -> Arc<Config<'static>> {
    static CONFIG: OnceLock<Arc<Config<'static>>> = OnceLock::new();
    // Without a validator, since that one is on the internet.
    let config = || Arc::new(Config::from("/openapi.json").validator_url("none"));
    Arc::clone(CONFIG.get_or_init(config))
}
