//! HTTP for accounts: register, log in and out, change the password, go.

use crate::app::App;
use crate::auth::caller::{Anyone, COOKIE, Caller};
use crate::auth::model::{TokenKind, User};
use crate::auth::throttle::{self, Pace};
use crate::auth::{self, Handle, Registration, Session, Unregistered, password, secret, store};
use crate::config;
use crate::db::tx::Work;
use crate::http::error::{ApiError, FieldError};
use crate::http::json::Json;
use crate::http::peer::peer;
use actix_web::cookie::{Cookie, SameSite, time};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, delete, post, web};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

/// A new account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterBody {
    /// Where mail goes; upper and lower case are the same.
    #[schema(max_length = 254, example = "ada@example.org")]
    email: String,
    /// At least 10 characters.
    #[schema(min_length = 10, max_length = 1024, format = Password)]
    password: String,
    /// `[a-z0-9_-]{2,39}`; made from the address where none is given.
    #[schema(pattern = "^[A-Za-z0-9_-]{2,39}$")]
    handle: Option<String>,
    /// What is shown instead of the handle.
    #[schema(max_length = 100)]
    display_name: Option<String>,
    /// An IANA name; default `UTC`.
    #[schema(example = "Europe/Berlin")]
    time_zone: Option<String>,
    /// Makes the first account the admin when it does not register on the machine itself; the log
    /// shows it.
    setup_token: Option<String>,
}

/// Who logs in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginBody {
    /// Upper and lower case are the same.
    #[schema(example = "ada@example.org")]
    email: String,
    /// The password.
    #[schema(format = Password)]
    password: String,
}

/// A password and the one that takes its place.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordBody {
    /// The one in force.
    #[schema(format = Password)]
    current_password: String,
    /// At least 10 characters.
    #[schema(min_length = 10, max_length = 1024, format = Password)]
    new_password: String,
}

/// Proof that the account's owner is asking.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteMeBody {
    /// The password.
    #[schema(format = Password)]
    password: String,
}

/// An open session.
#[derive(Serialize, ToSchema)]
pub struct SessionBody {
    /// Whose it is.
    user: User,
    /// The secret, to be sent as `Authorization: Bearer …`. It is also set as a cookie.
    #[schema(example = "trv_qJ3m…")]
    token: String,
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
        (status = 201, description = "Registered, with an open session", body = SessionBody),
        (status = 400, description = "Not JSON", body = ApiError),
        (status = 403, description = "The instance takes no more accounts", body = ApiError),
        (status = 409, description = "The address or the handle has an account", body = ApiError),
        (status = 413, description = "The body is too large", body = ApiError),
        (status = 415, description = "The body is not `application/json`", body = ApiError),
        (status = 422, description = "A value is not acceptable", body = ApiError),
        (status = 429, description = "Too many registrations", body = ApiError),
        (status = 503, description = "Not available now", body = ApiError),
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
    keep_pace(counted?).await?;
    let may_claim = may_claim(&app, peer.is_local, body.setup_token.as_deref())?;
    let checked = check(&body)?;
    let new = Registration {
        password_hash: app.passwords.hash(body.password).await?,
        may_claim,
        open: app.config.registration == config::Registration::Open,
        ..checked
    };
    let session = app.pool.write(move |db| auth::register(db, &new, now)).await?;
    Ok(opened(&app, HttpResponse::Created(), session))
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
        (status = 200, description = "An open session", body = SessionBody),
        (status = 400, description = "Not JSON", body = ApiError),
        (status = 401, description = "No such address and password", body = ApiError),
        (status = 413, description = "The body is too large", body = ApiError),
        (status = 415, description = "The body is not `application/json`", body = ApiError),
        (status = 422, description = "A value is not acceptable", body = ApiError),
        (status = 429, description = "Too many attempts from there", body = ApiError),
        (status = 503, description = "Not available now", body = ApiError),
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
    let email = body.email.trim().to_lowercase();
    let address = peer(&request).address;
    let attempt = email.clone();
    let paced: Work<_> =
        app.pool.write(move |db| Ok(throttle::attempt(db, &attempt, address, now)?)).await;
    keep_pace(paced?).await?;
    let wanted = email.clone();
    let found: Work<_> = app.pool.read(move |db| Ok(store::by_email(db, &wanted)?)).await;
    let (user, stored) = found?.unzip();
    let right = app.passwords.matches(body.password, stored).await?;
    let Some(user) = user.filter(|_| right) else {
        return Err(ApiError::new(
            StatusCode::UNAUTHORIZED,
            "invalid-credentials",
            "No such address and password",
            "the address and the password do not belong together",
        ));
    };
    let session = app
        .pool
        .write(move |db| {
            throttle::succeeded(db, &email, address)?;
            auth::open_session(db, user.clone(), now)
        })
        .await?;
    Ok(opened(&app, HttpResponse::Ok(), session))
}

/// Log out
///
/// Ends the session, or revokes the token, that the request was made with.
#[utoipa::path(
    operation_id = "logout",
    tag = "accounts",
    responses(
        (status = 204, description = "The token is no longer good"),
        (status = 401, description = "No valid token", body = ApiError),
        (status = 503, description = "Not available now", body = ApiError),
    ),
)]
#[post("/auth/logout")]
pub async fn logout(caller: Caller<Anyone>, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let (user_id, token_id, now) = (caller.user.id, caller.token_id, app.clock.now());
    let ended: Work<_> =
        app.pool.write(move |db| Ok(store::revoke_token(db, user_id, token_id, now)?)).await;
    ended?;
    let mut gone = cookie(&app, String::new());
    gone.make_removal();
    Ok(HttpResponse::NoContent().cookie(gone).finish())
}

/// Change the password
///
/// Ends every session and opens a new one. Tokens for programs stay as they are.
#[utoipa::path(
    operation_id = "change_password",
    tag = "accounts",
    request_body = PasswordBody,
    responses(
        (status = 200, description = "Changed; the only open session", body = SessionBody),
        (status = 400, description = "Not JSON", body = ApiError),
        (status = 401, description = "No valid token", body = ApiError),
        (status = 403, description = "A session and the right password are needed", body = ApiError),
        (status = 413, description = "The body is too large", body = ApiError),
        (status = 415, description = "The body is not `application/json`", body = ApiError),
        (status = 422, description = "A value is not acceptable", body = ApiError),
        (status = 429, description = "Too many attempts", body = ApiError),
        (status = 503, description = "Not available now", body = ApiError),
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
    prove(&app, &caller, &request, body.current_password).await?;
    let hash = app.passwords.hash(body.new_password).await?;
    let (user, now) = (caller.user.clone(), app.clock.now());
    let session =
        app.pool.write(move |db| auth::change_password(db, user.clone(), &hash, now)).await?;
    Ok(opened(&app, HttpResponse::Ok(), session))
}

/// Delete the account
///
/// With all that it has: there is no way back.
#[utoipa::path(
    operation_id = "delete_me",
    tag = "accounts",
    request_body = DeleteMeBody,
    responses(
        (status = 204, description = "Deleted"),
        (status = 400, description = "Not JSON", body = ApiError),
        (status = 401, description = "No valid token", body = ApiError),
        (status = 403, description = "A session and the right password are needed", body = ApiError),
        (status = 413, description = "The body is too large", body = ApiError),
        (status = 415, description = "The body is not `application/json`", body = ApiError),
        (status = 422, description = "A value is not acceptable", body = ApiError),
        (status = 429, description = "Too many attempts", body = ApiError),
        (status = 503, description = "Not available now", body = ApiError),
    ),
)]
#[delete("/me")]
pub async fn delete_me(
    caller: Caller<Anyone>,
    app: web::Data<App>,
    request: HttpRequest,
    Json(body): Json<DeleteMeBody>,
) -> Result<HttpResponse, ApiError> {
    prove(&app, &caller, &request, body.password).await?;
    let user_id = caller.user.id;
    let deleted: Work<_> = app.pool.write(move |db| Ok(store::delete_user(db, user_id)?)).await;
    deleted?;
    let mut gone = cookie(&app, String::new());
    gone.make_removal();
    Ok(HttpResponse::NoContent().cookie(gone).finish())
}

/// Refuses unless the caller has a session and knows the password. Guesses slow down like logins.
async fn prove(
    app: &App,
    caller: &Caller<Anyone>,
    request: &HttpRequest,
    password: String,
) -> Result<(), ApiError> {
    if caller.kind != TokenKind::Session {
        return Err(ApiError::forbidden("only a session can do this"));
    }
    let (email, address, now) = (caller.user.email.clone(), peer(request).address, app.clock.now());
    let attempt = email.clone();
    let paced: Work<_> =
        app.pool.write(move |db| Ok(throttle::attempt(db, &attempt, address, now)?)).await;
    keep_pace(paced?).await?;
    let user_id = caller.user.id;
    let stored: Work<_> = app.pool.read(move |db| Ok(store::password_hash(db, user_id)?)).await;
    if !app.passwords.matches(password, stored?).await? {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "wrong-password",
            "The password is wrong",
            "the password is not the account's",
        ));
    }
    let forgiven: Work<_> =
        app.pool.write(move |db| Ok(throttle::succeeded(db, &email, address)?)).await;
    forgiven?;
    Ok(())
}

async fn keep_pace(pace: Pace) -> Result<(), ApiError> {
    match pace {
        Pace::Wait(wait) => {
            tokio::time::sleep(wait).await;
            Ok(())
        }
        Pace::Refuse(seconds) => {
            let status = StatusCode::TOO_MANY_REQUESTS;
            let detail = format!("try again in {seconds} s");
            let error = ApiError::new(status, "too-many-attempts", "Too many attempts", detail);
            Err(ApiError { retry_after: Some(seconds), ..error })
        }
    }
}

fn may_claim(app: &App, is_local: bool, setup_token: Option<&str>) -> Result<bool, ApiError> {
    let Some(given) = setup_token else {
        return Ok(is_local);
    };
    let expected = auth::setup_token(&app.secrets);
    if bool::from(given.as_bytes().ct_eq(expected.as_bytes())) {
        return Ok(true);
    }
    Err(ApiError::invalid_at("/setup_token", "not the setup token of this instance"))
}

/// Checks all fields and says all that is wrong at once.
fn check(body: &RegisterBody) -> Result<Registration, ApiError> {
    let mut errors = Vec::new();
    let email = body.email.trim().to_lowercase();
    if !auth::is_address(&email) {
        errors.push(FieldError::new("/email", "an address such as ada@example.org is expected"));
    }
    if let Some(fault) = password::fault(&body.password) {
        errors.push(FieldError::new("/password", fault));
    }
    let handle = match &body.handle {
        Some(handle) if auth::is_handle(&handle.to_lowercase()) => {
            Handle::Chosen(handle.to_lowercase())
        }
        Some(_) => {
            let detail = "2 to 39 characters of a-z, 0-9, _ and - are expected";
            errors.push(FieldError::new("/handle", detail));
            Handle::Chosen(String::new())
        }
        None => suggest(&email)?,
    };
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
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    Ok(Registration {
        email,
        handle,
        display_name: display_name.map(str::to_owned),
        password_hash: String::new(),
        time_zone: time_zone.to_owned(),
        may_claim: false,
        open: false,
    })
}

/// A handle made of the address, and endings to try where it is taken.
fn suggest(email: &str) -> Result<Handle, ApiError> {
    let local = email.split('@').next().unwrap_or_default();
    let mut stem: String =
        local.chars().filter(|c| auth::is_handle(&format!("a{c}"))).take(28).collect();
    if stem.len() < 2 {
        "learner".clone_into(&mut stem);
    }
    let endings = std::iter::repeat_with(|| {
        secret::random().map(|bytes| hex::encode(bytes).chars().take(8).collect())
    })
    .take(3)
    .collect::<Result<_, _>>()
    .map_err(|_| ApiError::from(Unregistered::NoRandomness))?;
    Ok(Handle::Suggested(stem, endings))
}

fn opened(
    app: &App,
    mut response: actix_web::HttpResponseBuilder,
    session: Session,
) -> HttpResponse {
    response
        .cookie(cookie(app, session.token.clone()))
        .json(SessionBody { user: session.user, token: session.token })
}

fn cookie(app: &App, token: String) -> Cookie<'static> {
    Cookie::build(COOKIE, token)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(app.config.is_https())
        .max_age(time::Duration::seconds(auth::SESSION.num_seconds()))
        .finish()
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

impl From<secret::NoRandomness> for ApiError {
    fn from(_: secret::NoRandomness) -> Self {
        Self::unavailable("the system gave no randomness")
    }
}
