//! HTTP for accounts: register, change the password, go.

use super::pace;
use super::sessions::{SessionBody, opened};
use crate::app::App;
use crate::auth::caller::{Anyone, Caller};
use crate::auth::model::TokenKind;
use crate::auth::throttle;
use crate::auth::{self, Handle, Proven, Registration, Unregistered, cookie, password};
use crate::config;
use crate::db::tx::Work;
use crate::http::error::{ApiError, FieldError};
use crate::http::json::Json;
use crate::http::peer::peer;
use crate::secret;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, delete, post, web};
use serde::Deserialize;
use utoipa::ToSchema;

/// A new account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterBody {
    /// The address to log in with; upper and lower case are the same.
    #[schema(max_length = 254, format = Email, example = "ada@example.org")]
    email: String,
    /// At least 10 characters.
    #[schema(min_length = 10, max_length = 1024, format = Password,
             example = "correct horse battery")]
    password: String,
    /// A short name, unique on the instance. Upper and lower case are the same; made from the address
    /// where none is given.
    #[schema(pattern = "^[A-Za-z0-9_-]{2,39}$", example = "ada")]
    handle: Option<String>,
    /// What is shown instead of the handle.
    #[schema(max_length = 100, example = "Ada")]
    display_name: Option<String>,
    /// An IANA name; default `UTC`.
    #[schema(example = "Europe/Berlin")]
    time_zone: Option<String>,
    /// Makes the first account the admin when it does not register on the machine itself; the log
    /// shows it.
    #[schema(example = json!(null))]
    setup_token: Option<String>,
}

/// A password and the one that takes its place.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordBody {
    /// The one in force.
    #[schema(format = Password, example = "correct horse battery")]
    current_password: String,
    /// At least 10 characters.
    #[schema(min_length = 10, max_length = 1024, format = Password,
             example = "another horse battery")]
    new_password: String,
}

/// Proof that the account's owner is asking.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteMeBody {
    /// The password.
    #[schema(format = Password, example = "correct horse battery")]
    password: String,
}

/// Register
///
/// The first account of an instance is its admin: at once when it registers on the machine
/// itself, else with the setup token.
#[utoipa::path(
    operation_id = "register",
    tag = "accounts",
    request_body = RegisterBody,
    responses(
        (status = 201, description = "Registered, with an open session", body = SessionBody,
            headers(("Set-Cookie" = String, description = "The session, for a web app"))),
        (status = 403, description = "The instance takes no more accounts"),
        (status = 409, description = "The address or the handle has an account"),
        (status = 429, description = "Too many registrations from there"),
    ),
    security(()),
)]
#[post("/auth/register")]
pub async fn register(
    app: web::Data<App>,
    request: HttpRequest,
    Json(body): Json<RegisterBody>,
) -> Result<HttpResponse, ApiError> {
    let now = app.clock.now();
    let peer = peer(&request);
    let counted: Work<_> =
        app.pool.write(move |db| Ok(throttle::registration(db, peer.address, now)?)).await;
    pace::keep(counted?).await?;
    let may_claim = match body.setup_token.as_deref() {
        None => peer.is_local,
        Some(given) if auth::is_setup_token(&app.secrets, given) => true,
        Some(_) => {
            let detail = "not the setup token of this instance";
            return Err(ApiError::invalid_at("/setup_token", detail));
        }
    };
    let open = app.config.registration == config::Registration::Open;
    let admitted: Work<_> = app.pool.read(move |db| Ok(auth::admits(db, open, may_claim)?)).await;
    if !admitted? {
        return Err(Unregistered::Closed.into());
    }
    let checked = check(&body)?;
    let password_hash = app.passwords.hash(body.password).await?;
    let new = Registration { password_hash, may_claim, open, ..checked };
    let session = app.pool.write(move |db| auth::register(db, &new, now)).await?;
    Ok(opened(&app, HttpResponse::Created(), session))
}

/// Change the password
///
/// Ends every session and opens a new one. Tokens for programs stay as they are. Only a session
/// can do this, and only with the password.
#[utoipa::path(
    operation_id = "change_password",
    tag = "accounts",
    request_body = PasswordBody,
    security(("bearer" = []), ("cookie" = [])),
    responses(
        (status = 200, description = "Changed; the only open session", body = SessionBody,
            headers(("Set-Cookie" = String, description = "The session, for a web app"))),
        (status = 403, description = "A session and the right password are needed"),
        (status = 429, description = "Too many attempts"),
    ),
)]
#[post("/auth/password")]
pub async fn change_password(
    caller: Caller<Anyone>,
    app: web::Data<App>,
    request: HttpRequest,
    Json(body): Json<PasswordBody>,
) -> Result<HttpResponse, ApiError> {
    if let Some(fault) = password::fault(&body.new_password) {
        return Err(ApiError::invalid_at("/new_password", fault));
    }
    let proven = prove(&app, &caller, &request, body.current_password).await?;
    let (hash, now) = (app.passwords.hash(body.new_password).await?, app.clock.now());
    let session = app.pool.write(move |db| auth::change_password(db, &proven, &hash, now)).await?;
    Ok(opened(&app, HttpResponse::Ok(), session.ok_or_else(wrong_password)?))
}

/// Delete the account
///
/// With all that it has: there is no way back. Only a session can do this, and only with the
/// password.
#[utoipa::path(
    operation_id = "delete_me",
    tag = "accounts",
    request_body = DeleteMeBody,
    security(("bearer" = []), ("cookie" = [])),
    responses(
        (status = 204, description = "Deleted"),
        (status = 403, description = "A session and the right password are needed"),
        (status = 429, description = "Too many attempts"),
    ),
)]
#[delete("/me")]
pub async fn delete_me(
    caller: Caller<Anyone>,
    app: web::Data<App>,
    request: HttpRequest,
    Json(body): Json<DeleteMeBody>,
) -> Result<HttpResponse, ApiError> {
    let proven = prove(&app, &caller, &request, body.password).await?;
    let deleted: Work<_> = app.pool.write(move |db| Ok(auth::delete(db, &proven)?)).await;
    if !deleted? {
        return Err(wrong_password());
    }
    Ok(HttpResponse::NoContent().cookie(cookie::gone(&app.config)).finish())
}

/// Refuses unless the caller has a session and knows the password. Guesses slow down like logins.
async fn prove(
    app: &App,
    caller: &Caller<Anyone>,
    request: &HttpRequest,
    password: String,
) -> Result<Proven, ApiError> {
    if caller.kind != TokenKind::Session {
        return Err(ApiError::forbidden("only a session can do this"));
    }
    let (email, address, now) = (caller.user.email.clone(), peer(request).address, app.clock.now());
    let attempt = email.clone();
    let paced: Work<_> =
        app.pool.write(move |db| Ok(throttle::attempt(db, &attempt, address, now)?)).await;
    pace::keep(paced?).await?;
    let found: Work<_> = app.pool.read(move |db| Ok(auth::by_address(db, &email)?)).await;
    let proven = found?.ok_or_else(wrong_password)?;
    if !app.passwords.matches(password, Some(proven.password_hash.clone())).await? {
        return Err(wrong_password());
    }
    let email = proven.user.email.clone();
    let forgiven: Work<_> =
        app.pool.write(move |db| Ok(throttle::succeeded(db, &email, address)?)).await;
    forgiven?;
    Ok(proven)
}

fn wrong_password() -> ApiError {
    ApiError::new(
        StatusCode::FORBIDDEN,
        "wrong-password",
        "The password is wrong",
        "the password is not the account's",
    )
}

/// Checks all fields and says all that is wrong at once.
fn check(body: &RegisterBody) -> Result<Registration, ApiError> {
    let mut errors = Vec::new();
    let email = auth::address(&body.email);
    if email.is_none() {
        errors.push(FieldError::new("/email", "an address such as ada@example.org is expected"));
    }
    if let Some(fault) = password::fault(&body.password) {
        errors.push(FieldError::new("/password", fault));
    }
    let handle = body.handle.as_ref().map(|handle| handle.to_ascii_lowercase());
    if handle.as_ref().is_some_and(|handle| !auth::is_handle(handle)) {
        let detail = "2 to 39 characters of a-z, 0-9, _ and - are expected";
        errors.push(FieldError::new("/handle", detail));
    }
    let display_name = body.display_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    if display_name
        .is_some_and(|name| name.chars().count() > 100 || name.contains(char::is_control))
    {
        let detail = "at most 100 characters, none of them a control character";
        errors.push(FieldError::new("/display_name", detail));
    }
    let time_zone = body.time_zone.as_deref().unwrap_or("UTC");
    if let Err(error) = crate::days::zone(time_zone) {
        errors.push(FieldError::new("/time_zone", error.to_string()));
    }
    let Some(email) = email.filter(|_| errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    Ok(Registration {
        handle: match handle {
            Some(handle) => Handle::Chosen(handle),
            None => auth::suggest(&email).map_err(ApiError::from)?,
        },
        email,
        display_name: display_name.map(str::to_owned),
        password_hash: String::new(),
        time_zone: time_zone.to_owned(),
        may_claim: false,
        open: false,
    })
}

impl From<Unregistered> for ApiError {
    fn from(reason: Unregistered) -> Self {
        match reason {
            Unregistered::EmailTaken => {
                Self::conflict("email-taken", "The address has an account", "log in instead")
            }
            Unregistered::HandleTaken => {
                Self::conflict("handle-taken", "The handle has an account", "choose another handle")
            }
            Unregistered::Closed => Self::new(
                StatusCode::FORBIDDEN,
                "registration-closed",
                "The instance takes no more accounts",
                "its admin can make an account for you",
            ),
            Unregistered::NoRandomness => secret::NoRandomness.into(),
        }
    }
}
