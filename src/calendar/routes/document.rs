//! HTTP for calendar programs: the feed at its secret address.
//!
//! A program that once gets 401 or 429 gives a calendar up, so neither is ever answered here.

use crate::app::App;
use crate::calendar::model::FeedRow;
use crate::calendar::validators::{Conditions, Validators, entity_tag};
use crate::calendar::{self, Document, Edition, Refused, Request};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::params::Path;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, get, web};

/// How often a feed is rendered again when another process publishes it at the same time.
const ATTEMPTS: u32 = 3;

/// The calendar feed
///
/// The revisions of a user as an iCalendar document (RFC 5545), for calendar programs. The address
/// is the secret; no token is needed.
#[utoipa::path(
    operation_id = "get_calendar_feed",
    tag = "calendar",
    params(
        ("feed_id" = i64, Path, description = "The feed's number"),
        ("token" = String, Path, description = "The feed's secret", pattern = "^[0-9a-f]{32}$"),
        ("If-None-Match" = Option<String>, Header, description = "Tags that the client has"),
        ("If-Modified-Since" = Option<String>, Header, description = "The date of what it has"),
    ),
    responses(
        (status = 200, description = "The document", body = String,
            content_type = "text/calendar; charset=utf-8",
            headers(("ETag" = String, description = "The hash of the bytes"),
                    ("Last-Modified" = String, description = "When that last changed"))),
        (status = 304, description = "The client has it",
            headers(("ETag" = String, description = "The hash of the bytes"),
                    ("Last-Modified" = String, description = "When that last changed"))),
        (status = 404, description = "No feed was ever here"),
        (status = 410, description = "The feed has another address now, or none"),
        (status = 503, description = "Not available now"),
    ),
    security(()),
)]
#[get("/calendar/{feed_id}/{token}/revisions.ics")]
pub async fn get_feed(
    app: web::Data<App>,
    Path((feed_id, token)): Path<(i64, String)>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let conditions = conditions(&request);
    fetch(&app, Request { feed_id, token, conditions }).await
}

async fn fetch(app: &App, request: Request) -> Result<HttpResponse, ApiError> {
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let now = app.clock.now();
        let (secrets, asked) = (app.secrets.clone(), request.clone());
        let fetched = app.pool.read(move |db| calendar::fetch(db, &secrets, &asked, now)).await?;
        let (body, edition) = match fetched.document {
            Document::Known(validators) => {
                note(app, fetched.feed, now);
                return Ok(not_modified(&validators));
            }
            Document::Rendered(body, edition) => (body, edition),
        };
        match validators(app, &fetched.feed, &edition, now).await {
            Ok(Some(known)) if request.conditions.hold(&known) => return Ok(not_modified(&known)),
            Ok(Some(known)) => return Ok(document(body, &edition, Some(&known))),
            Ok(None) => last = Some((body, edition)),
            Err(error) => {
                tracing::warn!(?error, "the validators of a feed cannot be stored");
                last = Some((body, edition));
                break;
            }
        }
    }
    // It changes faster than it is rendered, or only reading is possible. The tag is right; the
    // date is left to others.
    let (body, edition) = last.ok_or_else(ApiError::internal)?;
    Ok(document(body, &edition, None))
}

fn conditions(request: &HttpRequest) -> Conditions {
    let values = |name| -> Vec<&[u8]> {
        request.headers().get_all(name).map(header::HeaderValue::as_bytes).collect()
    };
    Conditions::read(&values(header::IF_NONE_MATCH), &values(header::IF_MODIFIED_SINCE))
}

/// The validators of what was rendered: those that are stored, or these once they are. `None` when
/// the feed has got another document meanwhile.
async fn validators(
    app: &App,
    seen: &FeedRow,
    edition: &Edition,
    now: At,
) -> Work<Option<Validators>> {
    let stored = seen.validators().filter(|stored| stored.etag == edition.etag);
    if stored.is_some() && seen.basis.as_ref() == Some(&edition.basis) {
        note(app, seen.clone(), now);
        return Ok(stored);
    }
    let (seen, edition) = (seen.clone(), edition.clone());
    app.pool.write(move |db| calendar::publish(db, &seen, &edition, now)).await
}

/// Notes a fetch when it is time to, behind the answer.
fn note(app: &App, seen: FeedRow, now: At) {
    if !calendar::is_to_be_noted(&seen, now) {
        return;
    }
    let pool = app.pool.clone();
    actix_web::rt::spawn(async move {
        let noted: Work<_> = pool.write(move |db| Ok(calendar::note_fetch(db, &seen, now)?)).await;
        if let Err(error) = noted {
            tracing::debug!(?error, "a fetch of a feed is not noted");
        }
    });
}

fn document(body: String, edition: &Edition, validators: Option<&Validators>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response
        .content_type("text/calendar; charset=utf-8")
        .insert_header((header::CONTENT_DISPOSITION, "inline"))
        .insert_header((header::ETAG, entity_tag(&edition.etag)));
    if let Some(validators) = validators {
        response.insert_header((header::LAST_MODIFIED, validators.last_modified()));
    }
    private(&mut response).body(body)
}

fn not_modified(validators: &Validators) -> HttpResponse {
    let mut response = HttpResponse::NotModified();
    response
        .insert_header((header::ETAG, validators.entity_tag()))
        .insert_header((header::LAST_MODIFIED, validators.last_modified()));
    private(&mut response).finish()
}

/// What keeps the address and what it leads to out of caches, referrers and search engines.
fn private(response: &mut HttpResponseBuilder) -> &mut HttpResponseBuilder {
    response
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header(("X-Robots-Tag", "noindex"))
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unknown => Self::not_found(),
            Refused::Retired => Self::gone("the feed has another address now, or none"),
        }
    }
}
