//! Accounts, tokens, and who is calling.
//!
//! A token is 256 random bits of which only the hash is stored, so that each can be revoked on its
//! own and at once: every request looks its token up. Logging in tells a stranger nothing of whether
//! an account exists, in words or in time; registering does, since an address is registered once.

pub mod caller;
pub mod cookie;
pub mod guards;
mod instance;
pub mod model;
mod names;
pub mod password;
pub mod reset;
pub mod routes;
mod sessions;
pub mod store;
pub mod throttle;
mod tokens;

pub use crate::secret::Secrets;
pub use instance::{awaits_admin, is_setup_token, secrets, setup_token};
pub use names::{address, is_handle, suggest};
pub use sessions::{
    Proven, SESSION, Session, change_password, end_all, log_in, log_out, present, set_password,
    slide, slides_to,
};
pub use tokens::{Issued, TOKEN_NAME, TokenOrder, excess, issue, revoke, token_name, tokens};

use crate::calendar;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{self, Stopped, Work};
use crate::preferences;
use crate::secret;
use crate::social;
use crate::solves;
use diesel::QueryResult;
use model::{NewUser, Role, User};

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

/// Makes an account with its preferences, its calendar feed and a session. The first that may
/// claims the instance.
///
/// # Errors
/// [`Unregistered`]; then nothing is stored.
pub fn register(db: &mut Db, new: &Registration, now: At) -> Work<Session, Unregistered> {
    // Before anything else, so that a closed instance tells nothing of its accounts.
    if !admits(db, new.open, new.may_claim)? {
        return Err(Stopped::Because(Unregistered::Closed));
    }
    let id = create(db, new, now)?;
    preferences::begin(db, id, now)?;
    calendar::begin(db, id, now).map_err(no_randomness)?;
    if new.may_claim && guards::claim_instance(db, now)? {
        store::set_role(db, id, Role::Admin, now)?;
    } else if !new.open {
        return Err(Stopped::Because(Unregistered::Closed));
    }
    let user = store::user(db, id)?.ok_or(diesel::NotFound)?;
    sessions::open(db, user, now).map_err(no_randomness)
}

/// Whether somebody may register at all: anybody where the instance is open, else only who may
/// claim it, as long as nobody has.
///
/// # Errors
/// When the database fails.
pub fn admits(db: &mut Db, open: bool, may_claim: bool) -> QueryResult<bool> {
    Ok(open || (may_claim && awaits_admin(db)?))
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

/// The account of an address, with the hash of its password.
///
/// # Errors
/// When the database fails.
pub fn by_address(db: &mut Db, email: &str) -> QueryResult<Option<Proven>> {
    let found = store::by_email(db, email)?;
    Ok(found.map(|(user, password_hash)| Proven { user, password_hash }))
}

/// An account.
///
/// # Errors
/// When the database fails.
pub fn user(db: &mut Db, id: i64) -> QueryResult<Option<User>> {
    store::user(db, id)
}

/// Every account, the oldest first.
///
/// # Errors
/// When the database fails.
pub fn users(db: &mut Db) -> QueryResult<Vec<User>> {
    store::users(db)
}

/// Lets an account run the instance, which is claimed by that: from then on the setup token makes
/// no admin.
///
/// # Errors
/// When the database fails.
pub fn make_admin(db: &mut Db, id: i64, now: At) -> QueryResult<()> {
    // Whoever has claimed it before stays an admin too.
    guards::claim_instance(db, now)?;
    store::set_role(db, id, Role::Admin, now).map(drop)
}

/// Deletes an account and all that it has. `false` when its password was changed in the meantime.
///
/// # Errors
/// When the database fails.
pub fn delete(db: &mut Db, proven: &Proven) -> QueryResult<bool> {
    tx::take_your_time(db)?;
    // In the order of everybody else: first a solve, then a pair of people, then, by a foreign key, the
    // account.
    solves::hold_all(db, proven.user.id)?;
    social::hold_all(db, proven.user.id)?;
    if !guards::confirm_password(db, proven.user.id, &proven.password_hash)? {
        return Ok(false);
    }
    store::delete_user(db, proven.user.id).map(|deleted| deleted == 1)
}
