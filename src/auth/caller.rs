//! Who is calling: from the bearer token, or from the cookie of a web app.
//!
//! [`identify`] looks the token up once for each request, before anything else is read of it. A
//! handler states the scopes that it wants in the type of its first argument.

use super::model::{Scope, Scopes, TokenKind, User};
use super::{cookie, present, slide, slides_to};
use crate::app::App;
use crate::db::instant::At;
use crate::db::pool::PoolError;
use crate::db::tx::{Stopped, Work};
use crate::http::error::ApiError;
use crate::http::manners::Known;
use crate::preferences::{self, Preferences};
use crate::revisions::Learner;
use actix_web::body::MessageBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::{Method, header};
use actix_web::middleware::Next;
use actix_web::{Error, FromRequest, HttpMessage, HttpRequest, web};
use std::future::{Ready, ready};
use std::marker::PhantomData;
use std::ops::Deref;

/// Who is calling, and what their token allows.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The account.
    pub user: User,
    /// The token that was presented.
    pub token_id: i64,
    /// How it came to be.
    pub kind: TokenKind,
    /// When it ends, if it does.
    pub expires_at: Option<At>,
    /// What it allows, as long as the account itself may.
    pub scopes: Scopes,
    /// What the account prefers.
    pub preferences: Preferences,
    /// The account as the schedules know it.
    pub learner: Learner,
}

/// What a token must allow.
pub trait Needs: 'static {
    /// Any of these is enough.
    const ANY: &'static [Scope];
}

/// `read`.
#[derive(Debug)]
pub enum Read {}
/// `write`.
#[derive(Debug)]
pub enum Write {}
/// `submit`, or `write`, which includes it.
#[derive(Debug)]
pub enum Submit {}
/// `submit`, or `read`: what the extension must be able to read.
#[derive(Debug)]
pub enum Resolve {}
/// `admin`.
#[derive(Debug)]
pub enum Admin {}
/// Any token.
#[derive(Debug)]
pub enum Anyone {}

impl Needs for Read {
    const ANY: &'static [Scope] = &[Scope::Read];
}
impl Needs for Write {
    const ANY: &'static [Scope] = &[Scope::Write];
}
impl Needs for Submit {
    const ANY: &'static [Scope] = &[Scope::Submit, Scope::Write];
}
impl Needs for Resolve {
    const ANY: &'static [Scope] = &[Scope::Submit, Scope::Read];
}
impl Needs for Admin {
    const ANY: &'static [Scope] = &[Scope::Admin];
}
impl Needs for Anyone {
    const ANY: &'static [Scope] = &[Scope::Read, Scope::Write, Scope::Submit, Scope::Admin];
}

/// A caller whose token allows what `S` needs.
#[derive(Debug)]
pub struct Caller<S> {
    identity: Identity,
    needs: PhantomData<S>,
}

impl<S> Deref for Caller<S> {
    type Target = Identity;

    fn deref(&self) -> &Identity {
        &self.identity
    }
}

impl<S> Caller<S> {
    /// The identity itself, to be moved elsewhere.
    #[must_use]
    pub fn into_identity(self) -> Identity {
        self.identity
    }
}

impl<S: Needs> FromRequest for Caller<S> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let identified = request.extensions_mut().remove::<Identified>();
        ready(identified.unwrap_or(Identified(Err(no_token()))).0.and_then(|identity| {
            if !identity.scopes.has_any(S::ANY) {
                let wanted: Vec<_> = S::ANY.iter().map(|scope| scope.as_str()).collect();
                let detail = format!("a token with the scope {} is needed", wanted.join(" or "));
                return Err(ApiError::forbidden(detail));
            }
            Ok(Self { identity, needs: PhantomData })
        }))
    }
}

/// What [`identify`] found; only a handler that asks for a [`Caller`] looks at it.
struct Identified(Result<Identity, ApiError>);

/// Looks up the token of a request, if it has one. A session that is used is moved on, and so is
/// its cookie.
///
/// # Errors
/// Those of the handlers behind it.
pub async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let Some(presented) = presented(&request) else {
        return next.call(request).await;
    };
    let app = request.app_data::<web::Data<App>>().cloned().ok_or_else(ApiError::internal)?;
    let mut renewed = None;
    let identified = match &presented {
        Ok(presented) => match find(&app, presented.secret.clone()).await {
            Ok(identity) => {
                if let Some(known) = request.extensions().get::<Known>() {
                    known.is(identity.user.id);
                }
                if renew(&app, &identity).await && presented.by_cookie {
                    renewed = Some(cookie::of(presented.secret.clone(), &app.config));
                }
                Ok(identity)
            }
            Err(error) => Err(error),
        },
        Err(error) => Err(error.clone()),
    };
    request.extensions_mut().insert(Identified(identified));
    let mut answer = next.call(request).await?;
    if let Some(cookie) = renewed
        && !answer.headers().contains_key(header::SET_COOKIE)
    {
        answer.response_mut().add_cookie(&cookie)?;
    }
    Ok(answer)
}

fn no_token() -> ApiError {
    ApiError::unauthorized("send `Authorization: Bearer` and a token")
}

/// What a request presents.
struct Presented {
    secret: String,
    by_cookie: bool,
}

/// The secret that a request presents: the header's, else the cookie's.
fn presented(request: &ServiceRequest) -> Option<Result<Presented, ApiError>> {
    if let Some(value) = request.headers().get(header::AUTHORIZATION) {
        let token = value.to_str().ok().and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            let secret = token.trim().to_owned();
            scheme.eq_ignore_ascii_case("bearer").then_some(Presented { secret, by_cookie: false })
        });
        return Some(token.ok_or_else(no_token));
    }
    let cookie = request.cookie(cookie::NAME)?;
    if request.method() != Method::GET
        && request.method() != Method::HEAD
        && !is_same_origin(request)
    {
        return Some(Err(ApiError::forbidden(
            "the cookie counts only for a web app of the instance itself",
        )));
    }
    Some(Ok(Presented { secret: cookie.value().to_owned(), by_cookie: true }))
}

/// Whether a browser says that the page which sends this request is our own.
fn is_same_origin(request: &ServiceRequest) -> bool {
    let Some(origin) = request.headers().get(header::ORIGIN).and_then(|value| value.to_str().ok())
    else {
        return false;
    };
    let public = request.app_data::<web::Data<App>>().map(|app| app.config.origin());
    let host = request.headers().get(header::HOST).and_then(|value| value.to_str().ok());
    let (_, origin_host) = origin.split_once("://").unwrap_or_default();
    public.as_deref() == Some(origin) || host == Some(origin_host)
}

async fn find(app: &App, token: String) -> Result<Identity, ApiError> {
    let now = app.clock.now();
    let found: Work<_> = app.pool.read(move |db| Ok(present(db, &token, now)?)).await;
    let (token, user, row, settings) =
        found?.ok_or_else(|| ApiError::unauthorized("the token is not valid, or has ended"))?;
    let preferences = preferences::read(row, &settings).map_err(unreadable)?;
    let scopes = Scopes::from_text(&token.scopes).map_err(unreadable)?;
    Ok(Identity {
        learner: preferences.learner(user.id),
        scopes: scopes.within(&user.role.scopes()),
        user,
        token_id: token.id,
        kind: token.kind,
        expires_at: token.expires_at,
        preferences,
    })
}

/// Moves the end of a session that is used, and says whether it did. The request goes on when that
/// fails: the session is good for now.
async fn renew(app: &App, identity: &Identity) -> bool {
    let (id, now) = (identity.token_id, app.clock.now());
    let Some(end) = slides_to(identity.kind, identity.expires_at, now) else {
        return false;
    };
    let moved: Work<_> = app.pool.write(move |db| Ok(slide(db, id, end, now)?)).await;
    if let Err(stopped) = &moved {
        tracing::warn!(?stopped, "a session could not be renewed");
    }
    moved.is_ok()
}

/// What the database holds is not what this program writes.
fn unreadable(error: impl std::fmt::Display) -> ApiError {
    tracing::error!(%error, "an account cannot be read");
    Stopped::<std::convert::Infallible>::Pool(PoolError::Cancelled).into()
}
