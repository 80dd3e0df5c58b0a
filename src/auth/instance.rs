//! What an instance has once: its secrets, and its first admin.

use super::{guards, store};
use crate::db::Db;
use crate::db::tx::{Stopped, Work};
use crate::secret::{self, Secrets};
use diesel::QueryResult;
use subtle::ConstantTimeEq;

/// Makes the secrets of the instance where it has none, and reads them. All processes agree.
///
/// # Errors
/// When the system gives no randomness.
pub fn secrets(db: &mut Db, configured: Option<&str>) -> Work<Secrets, secret::NoRandomness> {
    let found = store::secrets(db)?;
    let (stored, uid_key) = match found {
        Some(secrets) => secrets,
        None => {
            let fresh = hex::encode(secret::random().map_err(Stopped::Because)?);
            let uid_key = hex::encode(secret::random().map_err(Stopped::Because)?);
            guards::keep_secrets(db, &fresh, &uid_key)?;
            store::secrets(db)?.ok_or(diesel::NotFound)?
        }
    };
    let signing = configured.map_or(stored, str::to_owned).into_bytes();
    Ok(Secrets { signing, calendar_uids: uid_key.into_bytes() })
}

/// Whether the instance still waits for its first admin.
///
/// # Errors
/// When the database fails.
pub fn awaits_admin(db: &mut Db) -> QueryResult<bool> {
    store::is_claimed(db).map(|claimed| !claimed)
}

/// The token that lets somebody claim the instance from elsewhere; the log shows it until then.
#[must_use]
pub fn setup_token(secrets: &Secrets) -> String {
    let text = format!("setup {}", hex::encode(&secrets.signing));
    secret::hash(&text).chars().take(32).collect()
}

/// Whether somebody gave the setup token.
#[must_use]
pub fn is_setup_token(secrets: &Secrets, given: &str) -> bool {
    given.as_bytes().ct_eq(setup_token(secrets).as_bytes()).into()
}
