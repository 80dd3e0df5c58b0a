//! Accounts, tokens, and who is calling.
//!
//! A token is 256 random bits of which only the hash is stored, so that each can be revoked on its
//! own and at once: every request looks its token up. Nothing here tells a stranger whether an
//! account exists, in words or in time.

pub mod caller;
pub mod guards;
pub mod model;
pub mod password;
pub mod routes;
pub mod secret;
pub mod store;
pub mod throttle;

use crate::calendar;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::preferences;
use chrono::TimeDelta;
use diesel::QueryResult;
use model::{NewToken, NewUser, Role, Scope, Scopes, TokenKind, TokenRow, User};

/// How long a session lasts after its last use.
pub const SESSION: TimeDelta = TimeDelta::days(30);

/// What a new account is made of. The password is hashed already.
#[derive(Clone, Debug)]
pub struct Registration {
    /// In lower case.
    pub email: String,
    /// In lower case; made from the address where none was chosen.
    pub handle: Handle,
    /// What is shown instead of the handle.
    pub display_name: Option<String>,
    /// Argon2id, as a PHC string.
    pub password_hash: String,
    /// An IANA name.
    pub time_zone: String,
    /// Whether this registration may claim the instance.
    pub may_claim: bool,
    /// Whether anybody may register; the one who claims the instance always may.
    pub open: bool,
}

/// A handle, and whether somebody wants just this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handle {
    /// The user asked for it: taken is taken.
    Chosen(String),
    /// Made up, so another does as well: a stem and endings to try.
    Suggested(String, Vec<String>),
}

/// Why an account was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unregistered {
    /// The address has an account.
    EmailTaken,
    /// The handle has an account.
    HandleTaken,
    /// The instance takes no more accounts.
    Closed,
    /// The system gave no randomness.
    NoRandomness,
}

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

/// Makes an account with its preferences, its calendar feed and a session. The first that may
/// claims the instance.
///
/// # Errors
/// [`Unregistered`]; then nothing is stored.
pub fn register(db: &mut Db, new: &Registration, now: At) -> Work<Session, Unregistered> {
    let id = create(db, new, now)?;
    preferences::begin(db, id, now)?;
    calendar::begin(db, id, now).map_err(no_randomness)?;
    if new.may_claim && guards::claim_instance(db, now)? {
        store::set_role(db, id, Role::Admin, now)?;
    } else if !new.open {
        return Err(Stopped::Because(Unregistered::Closed));
    }
    let user = store::user(db, id)?.ok_or(diesel::NotFound)?;
    open_session(db, user, now).map_err(no_randomness)
}

fn no_randomness<T>(stopped: Stopped<T>) -> Stopped<Unregistered> {
    match stopped {
        Stopped::Because(_) => Stopped::Because(Unregistered::NoRandomness),
        Stopped::Database(error) => Stopped::Database(error),
        Stopped::Pool(error) => Stopped::Pool(error),
    }
}

fn create(db: &mut Db, new: &Registration, now: At) -> Work<i64, Unregistered> {
    let handles = match &new.handle {
        Handle::Chosen(handle) => vec![handle.clone()],
        Handle::Suggested(stem, endings) => std::iter::once(stem.clone())
            .chain(endings.iter().map(|ending| format!("{stem}-{ending}")))
            .collect(),
    };
    for handle in handles {
        let account = NewUser {
            email: &new.email,
            handle: &handle,
            display_name: new.display_name.as_deref(),
            password_hash: &new.password_hash,
            role: Role::User,
            time_zone: &new.time_zone,
            day_starts_at: preferences::DAY_STARTS_AT,
            scheduler: preferences::SCHEDULER.as_str(),
            goal_solves: preferences::GOAL_SOLVES,
            goal_revisions: preferences::GOAL_REVISIONS,
            daily_cap: preferences::DAILY_CAP,
            digest_hour: preferences::DIGEST_HOUR,
            created_at: now,
            updated_at: now,
        };
        if let Some(id) = guards::create_account(db, &account)? {
            return Ok(id);
        }
        if store::has_email(db, &new.email)? {
            return Err(Stopped::Because(Unregistered::EmailTaken));
        }
    }
    Err(Stopped::Because(Unregistered::HandleTaken))
}

/// Opens a session with the scopes of the account's role.
///
/// # Errors
/// When the system gives no randomness.
pub fn open_session(db: &mut Db, user: User, now: At) -> Work<Session, secret::NoRandomness> {
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
    Ok(Session { user, token, expires_at })
}

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

/// Changes a password, which ends every session, and opens a new one.
///
/// # Errors
/// When the system gives no randomness.
pub fn change_password(
    db: &mut Db,
    user: User,
    hash: &str,
    now: At,
) -> Work<Session, secret::NoRandomness> {
    store::set_password(db, user.id, hash, now)?;
    store::end_sessions(db, user.id)?;
    open_session(db, user, now)
}

/// The secrets of the instance, made at its first start.
#[derive(Clone)]
pub struct Secrets {
    /// Signs the tokens of calendar feeds and the setup token.
    pub signing: Vec<u8>,
    /// Names calendar events; another one, so that they keep their names when tokens change.
    pub calendar_uids: Vec<u8>,
}

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

/// The scopes that a new token may not have, since its maker has not got them.
#[must_use]
pub fn excess(wanted: &Scopes, maker: &Scopes) -> Vec<Scope> {
    wanted.beyond(maker)
}

/// The shape of an address. Whether mail arrives there, only mail can tell.
#[must_use]
pub fn is_address(email: &str) -> bool {
    let Some((local, domain)) = email.rsplit_once('@') else {
        return false;
    };
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '@';
    email.len() <= 254
        && (1..=64).contains(&local.len())
        && !domain.is_empty()
        && !domain.starts_with('.')
        && !domain.ends_with('.')
        && local.chars().all(plain)
        && domain.chars().all(plain)
}

/// Whether this is a handle: `[a-z0-9_-]{2,39}`.
#[must_use]
pub fn is_handle(handle: &str) -> bool {
    (2..=39).contains(&handle.len())
        && handle
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
}
