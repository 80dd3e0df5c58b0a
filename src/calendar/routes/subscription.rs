//! HTTP for the owner of a feed: where it is, another address, none.

use crate::app::App;
use crate::auth::caller::{Caller, Read, Write};
use crate::calendar::model::FeedRow;
use crate::calendar::{self, token};
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::http::error::ApiError;
use actix_web::{HttpResponse, delete, get, post, web};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use utoipa::ToSchema;

/// Where a user's calendar feed is. Whoever knows the address can read the feed.
#[derive(Serialize, ToSchema)]
pub struct Subscription {
    /// The feed; null after it was revoked.
    #[schema(required = true)]
    url: Option<String>,
    /// The same, for programs that subscribe at a click.
    #[schema(required = true)]
    webcal_url: Option<String>,
    /// Google Calendar's page that adds it.
    #[schema(required = true)]
    google_url: Option<String>,
    /// When a program last fetched it, to within five minutes; null if none has since it got this
    /// address.
    #[schema(required = true)]
    last_fetched_at: Option<At>,
}

impl Subscription {
    fn new(app: &App, feed: &FeedRow) -> Self {
        let origin = app.config.origin();
        let url = feed.revoked_at.is_none().then(|| {
            let token = token::of_feed(&app.secrets, feed.id, &feed.nonce);
            format!("{origin}/calendar/{}/{token}/revisions.ics", feed.id)
        });
        let webcal_url = url.as_deref().and_then(|url| {
            let (_, address) = url.split_once("://")?;
            Some(format!("webcal://{address}"))
        });
        let google_url = webcal_url.as_deref().map(|url| {
            let cid = utf8_percent_encode(url, NON_ALPHANUMERIC);
            format!("https://calendar.google.com/calendar/r?cid={cid}")
        });
        Self { url, webcal_url, google_url, last_fetched_at: feed.last_fetched_at }
    }
}

/// Where the calendar feed is
///
/// Revisions that are due and those of the last 180 days, for any calendar program.
#[utoipa::path(
    operation_id = "get_calendar",
    tag = "calendar",
    responses((status = 200, description = "The addresses", body = Subscription)),
)]
#[get("/calendar")]
pub async fn show(caller: Caller<Read>, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let feed = app.pool.read(move |db| found(calendar::of_user(db, user_id)?)).await?;
    Ok(HttpResponse::Ok().json(Subscription::new(&app, &feed)))
}

/// Move the calendar feed
///
/// To a new address, also after it was revoked; the old one is gone at once. Events keep their
/// names, so a program that is given the new address shows none twice. Of two calls at once one
/// moves the feed, and both get the new address.
#[utoipa::path(
    operation_id = "rotate_calendar",
    tag = "calendar",
    responses((status = 200, description = "The new addresses", body = Subscription)),
)]
#[post("/calendar/rotate")]
pub async fn rotate(caller: Caller<Write>, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let user_id = caller.user.id;
    let seen = app.pool.read(move |db| found(calendar::of_user(db, user_id)?)).await?;
    let secrets = app.secrets.clone();
    let rotated = app.pool.write(move |db| calendar::rotate(db, &secrets, &seen)).await?;
    let feed = rotated.ok_or_else(ApiError::not_found)?;
    Ok(HttpResponse::Ok().json(Subscription::new(&app, &feed)))
}

/// Revoke the calendar feed
///
/// Its address is gone at once; `rotate` gives it another one.
#[utoipa::path(
    operation_id = "revoke_calendar",
    tag = "calendar",
    responses((status = 204, description = "Revoked, now or before")),
)]
#[delete("/calendar")]
pub async fn revoke(caller: Caller<Write>, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let (user_id, now) = (caller.user.id, app.clock.now());
    let revoked: Work<_> = app.pool.write(move |db| Ok(calendar::revoke(db, user_id, now)?)).await;
    revoked?;
    Ok(HttpResponse::NoContent().finish())
}

/// An account without a feed was deleted while it asked.
fn found(feed: Option<FeedRow>) -> Work<FeedRow, NoFeed> {
    feed.ok_or(Stopped::Because(NoFeed))
}

/// The account is gone.
#[derive(Clone, Copy, Debug)]
pub struct NoFeed;

impl From<NoFeed> for ApiError {
    fn from(_: NoFeed) -> Self {
        Self::not_found()
    }
}
