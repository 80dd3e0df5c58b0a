//! The races of accounts. One race class is one [`Guard`] or one conditional update, one function,
//! and one test of the same name in `tests/it/races/`.

use super::model::{NewToken, NewUser, TOKEN, TokenKind, TokenRow};
use crate::db::instant::{At, Instant};
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::{instance, login_throttles, password_resets, tokens, users};
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::Integer;

/// An address has at most one account.
pub const ACCOUNT_EMAIL: Guard = Guard {
    name: "users_email",
    table: "users",
    columns: &["email"],
    target: "(email)",
    predicate: None,
};

/// A handle has at most one account.
pub const ACCOUNT_HANDLE: Guard = Guard {
    name: "users_handle",
    table: "users",
    columns: &["handle"],
    target: "(handle)",
    predicate: None,
};

/// A key makes at most one token of a user.
pub const TOKEN_KEY: Guard = Guard {
    name: "tokens_user_id_idempotency_key",
    table: "tokens",
    columns: &["user_id", "idempotency_key"],
    target: "(user_id, idempotency_key) where idempotency_key is not null",
    predicate: Some(("idempotency_key is not null", "(idempotency_key IS NOT NULL)")),
};

/// A subject is counted in one place.
pub const LINE_SUBJECT: Guard = Guard {
    name: "login_throttles_subject",
    table: "login_throttles",
    columns: &["subject"],
    target: "(subject)",
    predicate: None,
};

/// The guards of this module.
pub const GUARDS: &[Guard] = &[ACCOUNT_EMAIL, ACCOUNT_HANDLE, TOKEN_KEY, LINE_SUBJECT];

/// Creates an account, unless its email or its handle is taken: then `None`.
pub fn create_account(db: &mut Db, account: &NewUser<'_>) -> QueryResult<Option<i64>> {
    diesel::insert_into(users::table)
        .values(account)
        .on_conflict_do_nothing()
        .returning(users::id)
        .get_result_on(db)
        .optional()
}

/// Stores a token. Of simultaneous calls with one key one wins, and the others get `None`.
pub fn create_token(db: &mut Db, token: &NewToken<'_>) -> QueryResult<Option<TokenRow>> {
    diesel::insert_into(tokens::table)
        .values(token)
        .on_conflict(TOKEN_KEY.target())
        .do_nothing()
        .returning(TOKEN)
        .get_result_on(db)
        .optional()
}

/// Ends a token of an account; its row stays, so that its key makes no other token. One caller ends
/// it, the others find nothing to end.
pub fn revoke_token(
    db: &mut Db,
    user_id: i64,
    id: i64,
    kind: TokenKind,
    now: At,
) -> QueryResult<bool> {
    let revoked = diesel::update(
        tokens::table
            .find(id)
            .filter(tokens::user_id.eq(user_id))
            .filter(tokens::kind.eq(kind))
            .filter(tokens::revoked_at.is_null()),
    )
    .set(tokens::revoked_at.eq(now))
    .execute(db)?;
    Ok(revoked == 1)
}

/// Adds `more` to what is counted of a subject, from zero where it was not counted since `forgotten`.
/// Returns the count, and when the next place in its line is free. Whoever else counts it waits until
/// the transaction ends.
pub fn count_subject(
    db: &mut Db,
    subject: &str,
    more: i32,
    forgotten: At,
    now: At,
) -> QueryResult<(i32, At)> {
    let is_old = || login_throttles::updated_at.lt(forgotten);
    diesel::insert_into(login_throttles::table)
        .values((
            login_throttles::subject.eq(subject),
            login_throttles::failures.eq(more),
            login_throttles::free_at.eq(now),
            login_throttles::updated_at.eq(now),
        ))
        .on_conflict(LINE_SUBJECT.target())
        .do_update()
        .set((
            login_throttles::failures.eq(case_when(is_old(), more.into_sql::<Integer>())
                .otherwise(login_throttles::failures + more)),
            login_throttles::free_at
                .eq(case_when(is_old(), now.into_sql::<Instant>())
                    .otherwise(login_throttles::free_at)),
            login_throttles::updated_at.eq(now),
        ))
        .returning((login_throttles::failures, login_throttles::free_at))
        .get_result_on(db)
}

/// Takes one from what is counted of a subject; never below zero.
pub fn discount_subject(db: &mut Db, subject: &str) -> QueryResult<bool> {
    let discounted = diesel::update(
        login_throttles::table.find(subject).filter(login_throttles::failures.gt(0)),
    )
    .set(login_throttles::failures.eq(login_throttles::failures - 1))
    .execute(db)?;
    Ok(discounted == 1)
}

/// Whether `hash` is still the hash of the account's password. If so, nobody changes it until the
/// transaction ends: comparing a password takes long, and it may be changed meanwhile.
pub fn confirm_password(db: &mut Db, user_id: i64, hash: &str) -> QueryResult<bool> {
    // A write that changes nothing takes the lock on both databases.
    let confirmed =
        diesel::update(users::table.find(user_id).filter(users::password_hash.eq(hash)))
            .set(users::password_hash.eq(hash))
            .execute(db)?;
    Ok(confirmed == 1)
}

/// Uses up a link for a new password that is good at `now`: one caller does, the others find none.
pub fn use_reset(db: &mut Db, token_hash: &str, now: At) -> QueryResult<bool> {
    let used = diesel::delete(
        password_resets::table
            .filter(password_resets::token_hash.eq(token_hash))
            .filter(password_resets::expires_at.gt(now)),
    )
    .execute(db)?;
    Ok(used == 1)
}

/// Claims the instance for its first admin: once for ever, whatever becomes of that account.
pub fn claim_instance(db: &mut Db, now: At) -> QueryResult<bool> {
    let claimed = diesel::update(instance::table.filter(instance::admin_claimed_at.is_null()))
        .set(instance::admin_claimed_at.eq(now))
        .execute(db)?;
    Ok(claimed == 1)
}

/// Stores the secrets of the instance, unless it has some. The caller reads them back.
pub fn keep_secrets(db: &mut Db, secret: &str, calendar_uid_key: &str) -> QueryResult<bool> {
    let kept = diesel::insert_into(instance::table)
        .values((
            instance::id.eq(1),
            instance::secret.eq(secret),
            instance::calendar_uid_key.eq(calendar_uid_key),
        ))
        .on_conflict(instance::id)
        .do_nothing()
        .execute_on(db)?;
    Ok(kept == 1)
}
