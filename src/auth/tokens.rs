//! Tokens for programs: each allows what its owner chose, and is revoked on its own.

use super::model::{NewToken, Scope, Scopes, TokenKind, TokenRow};
use super::{guards, secret, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use diesel::QueryResult;

/// What a token for a program is made of.
#[derive(Clone, Debug)]
pub struct TokenOrder {
    /// What its owner calls it.
    pub name: String,
    /// What it allows.
    pub scopes: Scopes,
    /// When it ends, if it does.
    pub expires_at: Option<At>,
    /// The key of the request and what it asks for, where it has one.
    pub key: Option<(String, String)>,
}

/// What became of an order for a token.
#[derive(Clone, Debug)]
pub enum Issued {
    /// Made, with the secret, which is seen here for the only time.
    New(TokenRow, String),
    /// The key has made this one before.
    Replayed(TokenRow),
    /// The key has made another one before.
    KeyReused,
    /// The key has made one that is revoked.
    Revoked,
}

/// Makes a token for a program.
///
/// # Errors
/// When the system gives no randomness.
pub fn issue(
    db: &mut Db,
    user_id: i64,
    order: &TokenOrder,
    now: At,
) -> Work<Issued, secret::NoRandomness> {
    let token = secret::token().map_err(Stopped::Because)?;
    let (key, fingerprint) = match &order.key {
        Some((key, fingerprint)) => (Some(key.as_str()), Some(fingerprint.as_str())),
        None => (None, None),
    };
    let row = NewToken {
        user_id,
        kind: TokenKind::Api,
        name: &order.name,
        scopes: order.scopes.to_text(),
        token_hash: secret::hash(&token),
        idempotency_key: key,
        fingerprint,
        created_at: now,
        expires_at: order.expires_at,
    };
    if let Some(row) = guards::create_token(db, &row)? {
        return Ok(Issued::New(row, token));
    }
    // Lost to a call with the same key, which has committed.
    let winner = match key {
        Some(key) => store::token_by_key(db, user_id, key)?,
        None => None,
    };
    Ok(match winner {
        Some(row) if row.fingerprint.as_deref() != fingerprint => Issued::KeyReused,
        Some(row) if row.revoked_at.is_some() => Issued::Revoked,
        Some(row) => Issued::Replayed(row),
        None => return Err(Stopped::Database(diesel::NotFound)),
    })
}

/// What a token may be called, of what its owner wants to call it: `None` where that will not do.
#[must_use]
pub fn token_name(wanted: &str) -> Option<String> {
    let name = wanted.trim();
    let is_name = (1..=100).contains(&name.chars().count()) && !name.contains(char::is_control);
    is_name.then(|| name.to_owned())
}

/// What [`token_name`] expects.
pub const TOKEN_NAME: &str = "1 to 100 characters are expected, none of them a control character";

/// The scopes that a new token may not have, since its maker has not got them.
#[must_use]
pub fn excess(wanted: &Scopes, maker: &Scopes) -> Vec<Scope> {
    wanted.beyond(maker)
}

/// The tokens that an account made for programs, newest first, before the one with this number.
///
/// # Errors
/// When the database fails.
pub fn tokens(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<TokenRow>> {
    store::tokens(db, user_id, before, limit)
}

/// Revokes a token that an account made for a program, and says whether there was one. No process
/// accepts it any more.
///
/// # Errors
/// When the database fails.
pub fn revoke(db: &mut Db, user_id: i64, id: i64, now: At) -> QueryResult<bool> {
    guards::revoke_token(db, user_id, id, TokenKind::Api, now)
}
