//! The OpenAPI document, made from the code.

use super::router;
use utoipa::OpenApi;
use utoipa_actix_web::{AppExt, scope};

/// What is said of the API as a whole.
#[derive(OpenApi)]
#[openapi(info(title = "Traverse"))]
struct Api;

/// The document, as JSON.
#[must_use]
pub fn document() -> String {
    let (_, api) = actix_web::App::new()
        .into_utoipa_app()
        .openapi(Api::openapi())
        .configure(router::outside)
        .service(scope::scope("/api/v1").configure(router::api))
        .split_for_parts();
    api.to_pretty_json().unwrap_or_default()
}
