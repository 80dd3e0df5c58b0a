//! HTTP for whoever has forgotten their password.

use super::pace;
use crate::app::App;
use crate::auth::reset::{self, NotGood};
use crate::auth::{self, password, throttle};
use crate::db::tx::Work;
use crate::http::error::ApiError;
use crate::http::json::Json;
use crate::http::peer::peer;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

/// Whose password is to be another.
#[derive(Deserialize, ToSchema)]
#[schema(as = PasswordResetRequest)]
#[serde(deny_unknown_fields)]
pub struct ResetBody {
    /// Upper and lower case are the same.
    #[schema(example = "ada@example.org")]
    email: String,
}

/// The link of a letter, and what the password is to be.
#[derive(Deserialize, ToSchema)]
#[schema(as = PasswordReset)]
#[serde(deny_unknown_fields)]
pub struct ConfirmBody {
    /// What the link ends with.
    #[schema(example = "trv_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    token: String,
    /// At least 10 characters.
    #[schema(format = Password, example = "correct horse battery")]
    new_password: String,
}

/// Ask for a new password
///
/// A link goes to the address if it has an account; the answer is the same either way. Of several
/// questions for one address within a quarter of an hour, the first three are acted on.
#[utoipa::path(
    operation_id = "ask_password_reset",
    tag = "accounts",
    request_body = ResetBody,
    security(()),
    responses(
        (status = 202, description = "If the address has an account, it gets a link"),
        (status = 409, description = "The instance sends no mail"),
        (status = 429, description = "Too many attempts from there"),
    ),
)]
#[post("/auth/reset")]
pub async fn ask(
    app: web::Data<App>,
    request: HttpRequest,
    Json(body): Json<ResetBody>,
) -> Result<HttpResponse, ApiError> {
    if app.mail.is_none() {
        let (title, detail) = ("The instance sends no mail", "its operator can set a password");
        return Err(ApiError::new(StatusCode::CONFLICT, "mail-unavailable", title, detail));
    }
    let (peer, now) = (peer(&request).address, app.clock.now());
    let email = auth::address(&body.email).ok_or_else(|| {
        ApiError::invalid_at("/email", "an address is expected, such as ada@example.org".to_owned())
    })?;
    let secrets = app.secrets.clone();
    let paced: Work<_> = app
        .pool
        .write(move |db| {
            let asked = throttle::reset(db, &email, peer, now)?;
            if asked.is_heard {
                reset::ask(db, &secrets, &email)?;
            }
            Ok(asked.pace)
        })
        .await;
    pace::keep(paced?).await?;
    Ok(HttpResponse::Accepted().finish())
}

/// Set a new password by a link
///
/// Ends every session and uses up the link, and all others of the account. Tokens for programs stay
/// as they are.
#[utoipa::path(
    operation_id = "confirm_password_reset",
    tag = "accounts",
    request_body = ConfirmBody,
    security(()),
    responses(
        (status = 204, description = "Set; nobody is logged in"),
        (status = 403, description = "The link is not good, or not any more"),
    ),
)]
#[post("/auth/reset/confirm")]
pub async fn confirm(
    app: web::Data<App>,
    Json(body): Json<ConfirmBody>,
) -> Result<HttpResponse, ApiError> {
    if let Some(fault) = password::fault(&body.new_password) {
        return Err(ApiError::invalid_at("/new_password", fault));
    }
    let (token, now) = (body.token, app.clock.now());
    let looked = token.clone();
    let is_good: Work<bool> = app.pool.read(move |db| Ok(reset::is_good(db, &looked, now)?)).await;
    if !is_good? {
        return Err(NotGood.into());
    }
    let (hash, now) = (app.passwords.hash(body.new_password).await?, app.clock.now());
    app.pool.write(move |db| reset::reset(db, &token, &hash, now)).await?;
    Ok(HttpResponse::NoContent().finish())
}

impl From<NotGood> for ApiError {
    fn from(_: NotGood) -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "reset-link-invalid",
            "The link is not good",
            "it was used, is older than an hour, or is none: ask for another",
        )
    }
}
