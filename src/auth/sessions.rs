//! Sessions: opened by a password, ended by its change.

use super::model::{NewToken, TokenKind, User};
use super::store::{self, Presented};
use super::{guards, secret, throttle};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use chrono::TimeDelta;
use diesel::QueryResult;
use std::net::IpAddr;

/// How long a session lasts after its last use.
pub const SESSION: TimeDelta = TimeDelta::days(30);

/// A session that is used is moved at most this often, so that a request rarely writes.
const RENEWAL: TimeDelta = TimeDelta::days(1);

/// A session: its secret is seen here for the only time.
#[derive(Clone, Debug)]
pub struct Session {
    /// Whose it is.
    pub user: User,
    /// The secret.
    pub token: String,
    /// When it ends, unless it is used.
    pub expires_at: At,
}

/// An account and the hash of its password, which somebody has shown to know.
#[derive(Clone, Debug)]
pub struct Proven {
    /// The account.
    pub user: User,
    /// The hash that the password was compared with.
    pub password_hash: String,
}

/// Opens a session for somebody who has shown the password. `None` when the password was changed
/// in the meantime, or the account is gone.
///
/// # Errors
/// When the system gives no randomness.
pub fn log_in(
    db: &mut Db,
    proven: &Proven,
    address: IpAddr,
    now: At,
) -> Work<Option<Session>, secret::NoRandomness> {
    if !guards::confirm_password(db, proven.user.id, &proven.password_hash)? {
        return Ok(None);
    }
    throttle::succeeded(db, &proven.user.email, address)?;
    open(db, proven.user.clone(), now).map(Some)
}

/// Changes a password, which ends every session, and opens a new one. `None` as in [`log_in`].
///
/// # Errors
/// When the system gives no randomness.
pub fn change_password(
    db: &mut Db,
    proven: &Proven,
    hash: &str,
    now: At,
) -> Work<Option<Session>, secret::NoRandomness> {
    if !guards::confirm_password(db, proven.user.id, &proven.password_hash)? {
        return Ok(None);
    }
    set_password(db, proven.user.id, hash, now)?;
    open(db, proven.user.clone(), now).map(Some)
}

/// Gives an account a password, ends every session, and uses up all links for another password.
///
/// # Errors
/// When the database fails.
pub fn set_password(db: &mut Db, user_id: i64, hash: &str, now: At) -> QueryResult<()> {
    store::set_password(db, user_id, hash, now)?;
    store::forget_resets(db, user_id)?;
    end_all(db, user_id)
}

/// Ends every session of an account.
///
/// # Errors
/// When the database fails.
pub fn end_all(db: &mut Db, user_id: i64) -> QueryResult<()> {
    store::end_sessions(db, user_id).map(drop)
}

/// Ends the session, or revokes the token, that a request was made with.
///
/// # Errors
/// When the database fails.
pub fn log_out(db: &mut Db, user_id: i64, id: i64, kind: TokenKind, now: At) -> QueryResult<()> {
    guards::revoke_token(db, user_id, id, kind, now).map(drop)
}

/// Opens a session with the scopes of the account's role, and clears some away that have ended.
///
/// # Errors
/// When the system gives no randomness.
pub(super) fn open(db: &mut Db, user: User, now: At) -> Work<Session, secret::NoRandomness> {
    let token = secret::token().map_err(Stopped::Because)?;
    let expires_at = At::from(*now + SESSION);
    let row = NewToken {
        user_id: user.id,
        kind: TokenKind::Session,
        name: "session",
        scopes: user.role.scopes().to_text(),
        token_hash: secret::hash(&token),
        idempotency_key: None,
        fingerprint: None,
        created_at: now,
        expires_at: Some(expires_at),
    };
    guards::create_token(db, &row)?;
    store::purge_sessions(db, now)?;
    Ok(Session { user, token, expires_at })
}

/// What a secret stands for, where it is good at `now`.
///
/// # Errors
/// When the database fails.
pub fn present(db: &mut Db, token: &str, now: At) -> QueryResult<Option<Presented>> {
    store::presented(db, &secret::hash(token), now)
}

/// The new end of a session that is used at `now`, where it is to be moved.
#[must_use]
pub fn slides_to(kind: TokenKind, expires_at: Option<At>, now: At) -> Option<At> {
    let end = At::from(*now + SESSION);
    let due = expires_at.is_some_and(|expires_at| *end - *expires_at >= RENEWAL);
    (kind == TokenKind::Session && due).then_some(end)
}

/// Moves the end of a session.
///
/// # Errors
/// When the database fails.
pub fn slide(db: &mut Db, id: i64, end: At, now: At) -> QueryResult<()> {
    store::renew(db, id, Some(end), now).map(drop)
}
