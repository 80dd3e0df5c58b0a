//! Plain reads and writes. Nothing here settles a race.

use super::model::{Role, TOKEN, TokenKind, TokenRow, USER, User};
use crate::db::Db;
use crate::db::instant::At;
use crate::preferences::model::{PREFERENCES, PreferenceRow};
use crate::schema::{
    instance, login_throttles, password_resets, scheduler_settings, tokens, users,
};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;

/// Rows that one login clears away at most: more than it makes, so that they do not heap up.
const PURGED: i64 = 100;

/// A token with its account and what that account prefers.
pub type Presented = (PresentedToken, User, PreferenceRow, String);

/// What of a token decides what it allows.
#[derive(Clone, Debug, Queryable)]
pub struct PresentedToken {
    /// Its number.
    pub id: i64,
    /// How it came to be.
    pub kind: TokenKind,
    /// What it allows, as text.
    pub scopes: String,
    /// When it ends, if it does.
    pub expires_at: Option<At>,
}

/// The token with this hash, if it is good at `now`, and all that a request needs of its account.
pub fn presented(db: &mut Db, token_hash: &str, now: At) -> QueryResult<Option<Presented>> {
    tokens::table
        .inner_join(users::table.inner_join(
            scheduler_settings::table.on(users::settings_id.eq(scheduler_settings::id.nullable())),
        ))
        .filter(tokens::token_hash.eq(token_hash))
        .filter(tokens::revoked_at.is_null())
        .filter(tokens::expires_at.is_null().or(tokens::expires_at.gt(now)))
        .select((
            (tokens::id, tokens::kind, tokens::scopes, tokens::expires_at),
            USER,
            PREFERENCES,
            scheduler_settings::content,
        ))
        .first(db)
        .optional()
}

/// The account of an address, with the hash of its password.
pub fn by_email(db: &mut Db, email: &str) -> QueryResult<Option<(User, String)>> {
    users::table
        .filter(users::email.eq(email))
        .select((USER, users::password_hash))
        .first(db)
        .optional()
}

/// The number of the account of an address.
pub fn user_id(db: &mut Db, email: &str) -> QueryResult<Option<i64>> {
    users::table.filter(users::email.eq(email)).select(users::id).first(db).optional()
}

/// An account.
pub fn user(db: &mut Db, id: i64) -> QueryResult<Option<User>> {
    users::table.find(id).select(USER).first(db).optional()
}

/// Every account, the oldest first.
pub fn users(db: &mut Db) -> QueryResult<Vec<User>> {
    users::table.order(users::id).select(USER).load(db)
}

/// Whether an address has an account.
pub fn has_email(db: &mut Db, email: &str) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(users::table.filter(users::email.eq(email)))).get_result(db)
}

/// Gives an account a role.
pub fn set_role(db: &mut Db, id: i64, role: Role, now: At) -> QueryResult<usize> {
    diesel::update(users::table.find(id))
        .set((users::role.eq(role), users::updated_at.eq(now)))
        .execute(db)
}

/// Gives an account a password.
pub fn set_password(db: &mut Db, id: i64, hash: &str, now: At) -> QueryResult<usize> {
    diesel::update(users::table.find(id))
        .set((users::password_hash.eq(hash), users::updated_at.eq(now)))
        .execute(db)
}

/// Deletes an account and, by the foreign keys, all that it has.
pub fn delete_user(db: &mut Db, id: i64) -> QueryResult<usize> {
    diesel::delete(users::table.find(id)).execute(db)
}

/// Ends every session of an account.
pub fn end_sessions(db: &mut Db, user_id: i64) -> QueryResult<usize> {
    diesel::delete(
        tokens::table
            .filter(tokens::user_id.eq(user_id))
            .filter(tokens::kind.eq(TokenKind::Session)),
    )
    .execute(db)
}

/// Deletes a bounded number of sessions that ended before `now`. What another process is just
/// deleting, or moving, is left to it, so that nobody waits for this.
pub fn purge_sessions(db: &mut Db, now: At) -> QueryResult<usize> {
    // A partial index is not found through a parameter.
    let ended = tokens::table
        .filter(sql::<Bool>("tokens.kind = 'session'"))
        .filter(tokens::expires_at.lt(now))
        .order(tokens::expires_at)
        .limit(PURGED)
        .select(tokens::id);
    let ids: Vec<i64> = match db {
        Db::Postgres(conn) => ended.for_update().skip_locked().load(conn)?,
        Db::Sqlite(conn) => ended.load(conn)?,
    };
    if ids.is_empty() {
        return Ok(0);
    }
    diesel::delete(tokens::table.filter(tokens::id.eq_any(ids))).execute(db)
}

/// As [`purge_sessions`], for what was counted of logins and not since `forgotten`.
pub fn purge_counts(db: &mut Db, forgotten: At) -> QueryResult<usize> {
    let old = login_throttles::table
        .filter(login_throttles::updated_at.lt(forgotten))
        .order(login_throttles::updated_at)
        .limit(PURGED)
        .select(login_throttles::subject);
    let subjects: Vec<String> = match db {
        Db::Postgres(conn) => old.for_update().skip_locked().load(conn)?,
        Db::Sqlite(conn) => old.load(conn)?,
    };
    if subjects.is_empty() {
        return Ok(0);
    }
    diesel::delete(login_throttles::table.filter(login_throttles::subject.eq_any(subjects)))
        .execute(db)
}

/// Notes how many failures a subject has, and when the next place in its line is free. Its caller
/// has counted it in the same transaction, and so holds its row.
pub fn set_count(db: &mut Db, subject: &str, failures: i32, free_at: At) -> QueryResult<usize> {
    diesel::update(login_throttles::table.find(subject))
        .set((login_throttles::failures.eq(failures), login_throttles::free_at.eq(free_at)))
        .execute(db)
}

/// Forgets what was counted of a subject.
pub fn forget_count(db: &mut Db, subject: &str) -> QueryResult<usize> {
    diesel::delete(login_throttles::table.find(subject)).execute(db)
}

/// Moves the end of a session, and notes that it was used.
pub fn renew(db: &mut Db, id: i64, expires_at: Option<At>, now: At) -> QueryResult<usize> {
    diesel::update(tokens::table.find(id))
        .set((tokens::expires_at.eq(expires_at), tokens::last_used_at.eq(now)))
        .execute(db)
}

/// The tokens that an account made for programs, newest first, before the one with this number.
pub fn tokens(
    db: &mut Db,
    user_id: i64,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<TokenRow>> {
    tokens::table
        .filter(tokens::user_id.eq(user_id))
        .filter(tokens::kind.eq(TokenKind::Api))
        .filter(tokens::revoked_at.is_null())
        .filter(tokens::id.lt(before.unwrap_or(i64::MAX)))
        .order(tokens::id.desc())
        .limit(limit)
        .select(TOKEN)
        .load(db)
}

/// The token that a key made.
pub fn token_by_key(db: &mut Db, user_id: i64, key: &str) -> QueryResult<Option<TokenRow>> {
    tokens::table
        .filter(tokens::user_id.eq(user_id))
        .filter(tokens::idempotency_key.eq(key))
        .select(TOKEN)
        .first(db)
        .optional()
}

/// The secrets of the instance: the one that signs, the one that names calendar events.
pub fn secrets(db: &mut Db) -> QueryResult<Option<(String, String)>> {
    instance::table
        .find(1)
        .select((instance::secret, instance::calendar_uid_key))
        .first(db)
        .optional()
}

/// Whether the instance has had its first admin.
pub fn is_claimed(db: &mut Db) -> QueryResult<bool> {
    let claimed: Option<Option<At>> =
        instance::table.find(1).select(instance::admin_claimed_at).first(db).optional()?;
    Ok(claimed.flatten().is_some())
}

/// Keeps a link for a new password.
pub fn add_reset(
    db: &mut Db,
    user_id: i64,
    token_hash: &str,
    now: At,
    expires_at: At,
) -> QueryResult<usize> {
    diesel::insert_into(password_resets::table)
        .values((
            password_resets::user_id.eq(user_id),
            password_resets::token_hash.eq(token_hash),
            password_resets::created_at.eq(now),
            password_resets::expires_at.eq(expires_at),
        ))
        .execute(db)
}

/// Whose link for a new password it is, where it is good at `now`.
pub fn reset_user(db: &mut Db, token_hash: &str, now: At) -> QueryResult<Option<i64>> {
    password_resets::table
        .filter(password_resets::token_hash.eq(token_hash))
        .filter(password_resets::expires_at.gt(now))
        .select(password_resets::user_id)
        .first(db)
        .optional()
}

/// Clears away the links of an account.
pub fn forget_resets(db: &mut Db, user_id: i64) -> QueryResult<usize> {
    diesel::delete(password_resets::table.filter(password_resets::user_id.eq(user_id))).execute(db)
}

/// As [`purge_sessions`], for links that were good until `now` at the latest.
pub fn purge_resets(db: &mut Db, now: At) -> QueryResult<usize> {
    let old = password_resets::table
        .filter(password_resets::expires_at.le(now))
        .order(password_resets::expires_at)
        .limit(PURGED)
        .select(password_resets::id);
    let ids: Vec<i64> = match db {
        Db::Postgres(conn) => old.for_update().skip_locked().load(conn)?,
        Db::Sqlite(conn) => old.load(conn)?,
    };
    if ids.is_empty() {
        return Ok(0);
    }
    diesel::delete(password_resets::table.filter(password_resets::id.eq_any(ids))).execute(db)
}
