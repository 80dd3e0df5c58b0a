//! HTTP for sessions: log in and out.

use super::pace;
use crate::app::App;
use crate::auth::caller::{Anyone, Caller};
use crate::auth::model::User;
use crate::auth::{self, Proven, Session, cookie, throttle};
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::json::Json;
use crate::http::peer::peer;
use crate::secret;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Who logs in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginBody {
    /// Upper and lower case are the same.
    #[schema(example = "ada@example.org")]
    email: String,
    /// The password.
    #[schema(format = Password, example = "correct horse battery")]
    password: String,
}

/// An open session.
#[derive(Serialize, ToSchema)]
pub struct SessionBody {
    /// Whose it is.
    user: User,
    /// The secret, to be sent as `Authorization: Bearer …`. It is also set as a cookie.
    #[schema(pattern = "^trv_[A-Za-z0-9_-]{43}$")]
    token: String,
}

/// Log in
///
/// A wrong password and an unknown address get the same answer, after the same time. Attempts
/// slow down; no account is ever locked.
#[utoipa::path(
    operation_id = "login",
    tag = "accounts",
    request_body = LoginBody,
    responses(
        (status = 200, description = "An open session", body = SessionBody,
            headers(("Set-Cookie" = String, description = "The session, for a web app"))),
        (status = 401, description = "No such address and password"),
        (status = 429, description = "Too many attempts from there"),
    ),
    security(()),
)]
#[post("/auth/login")]
pub async fn login(
    app: web::Data<App>,
    request: HttpRequest,
    Json(body): Json<LoginBody>,
) -> Result<HttpResponse, ApiError> {
    let now = app.clock.now();
    let peer = peer(&request).address;
    let email = auth::address(&body.email);
    let attempt = email.clone().unwrap_or(body.email);
    let paced: Work<_> =
        app.pool.write(move |db| Ok(throttle::attempt(db, &attempt, peer, now)?)).await;
    pace::keep(paced?).await?;
    let found: Work<Option<Proven>> = match email {
        Some(email) => app.pool.read(move |db| Ok(auth::by_address(db, &email)?)).await,
        None => Ok(None),
    };
    let found = found?;
    let stored = found.as_ref().map(|account| account.password_hash.clone());
    let right = app.passwords.matches(body.password, stored).await?;
    let Some(proven) = found.filter(|_| right) else {
        return Err(invalid_credentials());
    };
    let session = app.pool.write(move |db| auth::log_in(db, &proven, peer, now)).await?;
    let session = session.ok_or_else(invalid_credentials)?;
    Ok(opened(&app, HttpResponse::Ok(), session))
}

fn invalid_credentials() -> ApiError {
    ApiError::new(
        StatusCode::UNAUTHORIZED,
        "invalid-credentials",
        "No such address and password",
        "the address and the password do not belong together",
    )
}

/// Log out
///
/// Ends the session, or revokes the token, that the request was made with.
#[utoipa::path(
    operation_id = "logout",
    tag = "accounts",
    security(("bearer" = []), ("cookie" = [])),
    responses((status = 204, description = "The token is no longer good")),
)]
#[post("/auth/logout")]
pub async fn logout(caller: Caller<Anyone>, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let (user_id, token_id, kind) = (caller.user.id, caller.token_id, caller.kind);
    let now = app.clock.now();
    let ended: Work<_> =
        app.pool.write(move |db| Ok(auth::log_out(db, user_id, token_id, kind, now)?)).await;
    ended?;
    Ok(HttpResponse::NoContent().cookie(cookie::gone(&app.config)).finish())
}

/// The answer that opens a session.
pub(super) fn opened(
    app: &App,
    mut response: HttpResponseBuilder,
    session: Session,
) -> HttpResponse {
    response
        .cookie(cookie::of(session.token.clone(), &app.config))
        .json(SessionBody { user: session.user, token: session.token })
}

impl From<secret::NoRandomness> for ApiError {
    fn from(_: secret::NoRandomness) -> Self {
        Self::unavailable("the system gave no randomness")
    }
}
