//! HTTP for the tokens of programs.

use crate::app::App;
use crate::auth::caller::{Anyone, Caller, Identity, Read};
use crate::auth::model::{Scope, Scopes, TokenKind, TokenRow};
use crate::auth::{self, Issued, TokenOrder};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::http::error::{ApiError, FieldError};
use crate::http::idempotency::{self, Key};
use crate::http::json::Json;
use crate::http::page::{Items, Page, PageQuery};
use crate::http::params::{Path, Query};
use actix_web::{HttpResponse, delete, get, post, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A token for a program.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Token {
    /// Its number.
    pub id: i64,
    /// What its owner calls it.
    #[schema(example = "my editor")]
    pub name: String,
    /// What it allows.
    pub scopes: Scopes,
    /// When it was made.
    pub created_at: At,
    /// When it ends, if it does.
    #[schema(required = true)]
    pub expires_at: Option<At>,
    /// The secret, to be sent as `Authorization: Bearer …`: only in the first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^trv_[A-Za-z0-9_-]{43}$")]
    pub token: Option<String>,
}

impl Token {
    fn new(row: TokenRow, token: Option<String>) -> Self {
        Self {
            id: row.id,
            name: row.name,
            scopes: Scopes::from_text(&row.scopes).unwrap_or_else(|_| Scopes::new(Vec::new())),
            created_at: row.created_at,
            expires_at: row.expires_at,
            token,
        }
    }
}

/// A token to be made.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTokenBody {
    /// What its owner calls it: 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100, example = "my editor")]
    name: String,
    /// What it allows; no more than its maker may.
    #[schema(min_items = 1)]
    scopes: Vec<Scope>,
    /// When it ends; where absent never, or with the token that makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<At>,
}

/// List tokens
///
/// Those for programs, newest first, without their secrets.
#[utoipa::path(
    operation_id = "list_tokens",
    tag = "tokens",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of tokens", body = Items<Token>),
    ),
)]
#[get("/tokens")]
pub async fn list(
    caller: Caller<Read>,
    app: web::Data<App>,
    Query(query): Query<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page: Page<i64> = query.read("tokens")?;
    let user_id = caller.user.id;
    let rows: Work<_> =
        app.pool.read(move |db| Ok(auth::tokens(db, user_id, page.after, page.fetch())?)).await;
    let items = page.items(rows?, |row| row.id).map(|row| Token::new(row, None));
    Ok(HttpResponse::Ok().json(items))
}

/// Make a token
///
/// By a session, or by a token with the scope `admin`; it never allows more than its maker. The
/// secret is in this answer only: a replay of the key answers without it.
#[utoipa::path(
    operation_id = "create_token",
    tag = "tokens",
    params(idempotency::Header),
    request_body = NewTokenBody,
    security(("bearer" = []), ("cookie" = [])),
    responses(
        (status = 201, description = "Made", body = Token),
        (status = 200, description = "The key made it before", body = Token,
            headers(("Idempotency-Replayed" = String, description = "`true`"))),
        (status = 410, description = "The token that the key made was revoked"),
    ),
)]
#[post("/tokens")]
pub async fn create(
    caller: Caller<Anyone>,
    app: web::Data<App>,
    key: Key,
    Json(body): Json<NewTokenBody>,
) -> Result<HttpResponse, ApiError> {
    if caller.kind != TokenKind::Session && !caller.scopes.has_any(&[Scope::Admin]) {
        return Err(ApiError::forbidden("a session or a token with the scope admin is needed"));
    }
    let now = app.clock.now();
    let fingerprint = idempotency::fingerprint(&body)?;
    let order =
        TokenOrder { key: key.0.map(|key| (key, fingerprint)), ..check(body, &caller, now)? };
    let user_id = caller.user.id;
    let issued = app.pool.write(move |db| auth::issue(db, user_id, &order, now)).await?;
    match issued {
        Issued::New(row, token) => Ok(HttpResponse::Created().json(Token::new(row, Some(token)))),
        Issued::Replayed(row) => Ok(HttpResponse::Ok()
            .insert_header((idempotency::REPLAYED, "true"))
            .json(Token::new(row, None))),
        Issued::KeyReused => Err(idempotency::reused()),
        Issued::Revoked => Err(ApiError::gone("the token that the key made was revoked")),
    }
}

/// Revoke a token
///
/// It is refused from now on, by every process.
#[utoipa::path(
    operation_id = "revoke_token",
    tag = "tokens",
    security(("bearer" = ["write", "admin"]), ("cookie" = [])),
    params(("id" = i64, Path, description = "The token's number")),
    responses(
        (status = 204, description = "Revoked"),
    ),
)]
#[delete("/tokens/{id}")]
pub async fn revoke(
    caller: Caller<Anyone>,
    app: web::Data<App>,
    Path(id): Path<i64>,
) -> Result<HttpResponse, ApiError> {
    if caller.kind != TokenKind::Session && !caller.scopes.has_any(&[Scope::Write, Scope::Admin]) {
        return Err(ApiError::forbidden("a token with the scope write or admin is needed"));
    }
    let (user_id, now) = (caller.user.id, app.clock.now());
    let revoked: Work<_> = app.pool.write(move |db| Ok(auth::revoke(db, user_id, id, now)?)).await;
    if !revoked? {
        return Err(ApiError::not_found());
    }
    Ok(HttpResponse::NoContent().finish())
}

fn check(body: NewTokenBody, maker: &Identity, now: At) -> Result<TokenOrder, ApiError> {
    let mut errors = Vec::new();
    let name = auth::token_name(&body.name);
    if name.is_none() {
        errors.push(FieldError::new("/name", auth::TOKEN_NAME));
    }
    if body.scopes.is_empty() {
        errors.push(FieldError::new("/scopes", "at least one scope is expected"));
    }
    if body.expires_at.is_some_and(|end| end <= now) {
        errors.push(FieldError::new("/expires_at", "an instant in the future is expected"));
    }
    let Some(name) = name.filter(|_| errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    let scopes = Scopes::new(body.scopes);
    let excess = auth::excess(&scopes, &maker.scopes);
    if !excess.is_empty() {
        let names: Vec<_> = excess.iter().map(|scope| scope.as_str()).collect();
        let detail = format!("you have no scope {} to give", names.join(", "));
        return Err(ApiError::forbidden(detail));
    }
    // A session slides, so it is no bound; a token that ends cannot make one that outlives it.
    let bound = maker.expires_at.filter(|_| maker.kind == TokenKind::Api);
    if let (Some(wanted), Some(bound)) = (body.expires_at, bound)
        && wanted > bound
    {
        return Err(ApiError::forbidden("your token ends before that"));
    }
    Ok(TokenOrder { name, scopes, expires_at: body.expires_at.or(bound), key: None })
}
