//! HTTP for whoever wants no more of a kind of mail: without logging in, by the token of a letter.

use super::model::Kind;
use super::unsubscribe as way_out;
use crate::app::App;
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::params::Path;
use actix_web::http::header::ContentType;
use actix_web::{HttpResponse, get, post, web};

/// Show the way out of a kind of mail
///
/// A page with a button, for people who follow the link of a letter. It changes nothing: programs that
/// look at links, such as virus scanners, unsubscribe nobody.
#[utoipa::path(
    operation_id = "show_unsubscribe",
    tag = "notifications",
    security(()),
    params(("token" = String, Path, description = "Of a letter")),
    responses((status = 200, description = "A page", content_type = "text/html", body = String)),
)]
#[get("/unsubscribe/{token}")]
pub async fn show_way_out(
    app: web::Data<App>,
    Path(token): Path<String>,
) -> Result<HttpResponse, ApiError> {
    let (_, kind) = way_out::read(&app.secrets, &token).ok_or_else(ApiError::not_found)?;
    let button = "<form method=\"post\"><button>Send me no more of them</button></form>";
    Ok(page(&format!("<p>This mail is about {}.</p>{button}", topic(kind))))
}

/// Unsubscribe from a kind of mail
///
/// With one click (RFC 8058): whatever the body is, the user of the token gets no more mail of its
/// kind. A second time changes nothing more. The other channels stay as they are.
#[utoipa::path(
    operation_id = "unsubscribe",
    tag = "notifications",
    security(()),
    params(("token" = String, Path, description = "Of a letter")),
    responses((status = 200, description = "Done", content_type = "text/html", body = String)),
)]
#[post("/unsubscribe/{token}")]
pub async fn unsubscribe(
    app: web::Data<App>,
    Path(token): Path<String>,
) -> Result<HttpResponse, ApiError> {
    let found = way_out::read(&app.secrets, &token);
    let (user_id, kind) = found.ok_or_else(ApiError::not_found)?;
    let now = app.clock.now();
    let muted: Work<bool> =
        app.pool.write(move |db| Ok(way_out::mute(db, user_id, kind, now)?)).await;
    muted?;
    Ok(page(&format!("<p>You get no more mail about {}.</p>", topic(kind))))
}

fn page(body: &str) -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::html()).body(format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Mail of Traverse</title>\n\
         <body>{body}</body></html>\n"
    ))
}

/// What a kind of mail is about.
fn topic(kind: Kind) -> &'static str {
    match kind {
        Kind::RingsClosed => "rings that close",
        Kind::Digest => "what is due today",
        Kind::FriendRequest => "requests for friendship",
        Kind::FriendAccepted => "friendships",
        Kind::FriendStreak => "streaks with friends",
        Kind::Broadcast => "news of the instance",
        Kind::ImportFinished => "imports",
    }
}
