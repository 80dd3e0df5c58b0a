//! The races of accounts. One race class is one [`Guard`] or one conditional update, one function,
//! and one test of the same name in `tests/it/races/`.

use super::model::{NewToken, NewUser, TOKEN, TokenRow};
use crate::db::instant::At;
use crate::db::{Db, either::OnEither, guard::Guard};
use crate::schema::{instance, tokens, users};
use diesel::prelude::*;

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

/// The guards of this module.
pub const GUARDS: &[Guard] = &[ACCOUNT_EMAIL, ACCOUNT_HANDLE, TOKEN_KEY];

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
