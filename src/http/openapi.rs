//! The OpenAPI document, made from the code.
//!
//! A route tells what is its own: its parameters, its body, its answers, and the refusals that
//! only it has. What all routes of a kind share is added here and in [`refusals`], by rule, so
//! that no route repeats it and none forgets it.

mod refusals;

use super::error::{ApiError, FieldError};
use super::router;
use std::sync::OnceLock;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_actix_web::AppExt;

/// What is said of the API as a whole.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Traverse",
        description = "Traverse remembers what you have solved and tells you when to solve it \
            again.\n\n\
            JSON is in snake_case, instants are RFC 3339 in UTC, days are `YYYY-MM-DD` in the \
            user's zone. Unknown fields in a body are refused, unknown query parameters ignored.\n\n\
            Every error is a problem detail (RFC 9457) with a `code` that does not change. Every \
            answer has an `X-Request-Id`: that of the request, where it has one of 1 to 128 \
            characters of `A-Z a-z 0-9 . _ -`, else a new one. Where there is GET, there is HEAD; \
            another method than those here is 405, with `Allow`.\n\n\
            A list is read page by page: `next_cursor` is the `cursor` of the next page.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    servers((url = "/", description = "This instance")),
    tags(
        (name = "accounts", description = "Register, log in and out, preferences"),
        (name = "tokens", description = "Tokens for programs, each with its own scopes"),
        (name = "problems", description = "Problems by their identity, and their topics"),
        (name = "submissions", description = "The front door: what was tried, and the inbox"),
        (name = "solves", description = "What was solved, and its history"),
        (name = "revisions", description = "What to solve again, and when"),
        (name = "rings", description = "What a day wants, the streak, its freezes, pauses"),
        (name = "calendar", description = "The schedule as a feed for calendar programs"),
        (name = "notifications", description = "What the caller is told, and on which ways"),
        (name = "imports", description = "What was solved elsewhere"),
        (name = "stats", description = "Figures of what was done and of what is to come, and XP"),
        (name = "people", description = "Friends and their streaks, blocks, groups"),
        (name = "admin", description = "The instance, for its admins"),
        (name = "instance", description = "The health and the description of the process"),
    ),
    components(schemas(ApiError, FieldError)),
    modifiers(&Schemes),
)]
struct Api;

/// How a caller shows who they are.
struct Schemes;

impl Modify for Schemes {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("trv_ and 43 characters of base64url")
            .description(Some(
                "A session or a token for a program. The scopes are `read`, `write`, `submit` \
                 (only to submit, such as for a browser extension) and `admin`; an operation lists those \
                 of which it needs one.",
            ))
            .build();
        let cookie = ApiKeyValue::with_description(
            crate::auth::cookie::NAME,
            "The session of a web app. But for GET and HEAD, the header `Origin` must be the \
             instance's own.",
        );
        let components = api.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        components.add_security_scheme("cookie", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    }
}

/// The document.
#[must_use]
pub fn document() -> &'static utoipa::openapi::OpenApi {
    static DOCUMENT: OnceLock<utoipa::openapi::OpenApi> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let (_, mut api) = actix_web::App::new()
            .into_utoipa_app()
            .openapi(Api::openapi())
            .configure(router::routes)
            .split_for_parts();
        refusals::complete(&mut api);
        api
    })
}

/// The document, as JSON.
#[must_use]
pub fn json() -> &'static str {
    static JSON: OnceLock<String> = OnceLock::new();
    // Numbers, text and lists always have a JSON form.
    JSON.get_or_init(|| document().to_pretty_json().unwrap_or_default())
}
