//! Passwords: Argon2id (RFC 9106) with the parameters that OWASP names first, 19 MiB and two
//! passes. Hashing takes a core for tens of milliseconds, so only so many run at once.

use crate::db::pool::PoolError;
use crate::turns::Turns;
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use std::time::Duration;

/// The fewest characters of a password.
pub const SHORTEST: usize = 10;

/// The most bytes of a password.
pub const LONGEST: usize = 1024;

/// Requests that may wait for their turn at hashing.
const WAITING: usize = 256;

/// How long they wait for it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A hash that no password has, made with the same parameters as any other.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdC4u$\
                      bm9ib2R5IGhhcyBhIHBhc3N3b3JkIHdpdGggdGhpcyE";

/// Hashes and checks passwords, a few at a time.
#[derive(Clone, Debug)]
pub struct Passwords(Turns);

impl Passwords {
    /// As many at once as there are cores.
    #[must_use]
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Turns::new(cores, WAITING, PATIENCE))
    }

    /// The PHC string of a password.
    ///
    /// # Errors
    /// [`PoolError::Busy`] when too many wait.
    pub async fn hash(&self, password: String) -> Result<String, PoolError> {
        self.in_turn(move || hash(&password)).await?.ok_or(PoolError::Cancelled)
    }

    /// Whether `password` is the one of `stored`. Without an account to compare with it takes as
    /// long and is wrong.
    ///
    /// # Errors
    /// [`PoolError::Busy`] when too many wait.
    pub async fn matches(
        &self,
        password: String,
        stored: Option<String>,
    ) -> Result<bool, PoolError> {
        self.in_turn(move || match stored {
            Some(stored) => matches(&password, &stored),
            None => {
                matches(&password, NOBODY);
                false
            }
        })
        .await
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolError> {
        let turn = self.0.take().await?;
        let done = actix_web::web::block(move || {
            // The core is in use also when whoever asked no longer waits.
            let _turn = turn;
            work()
        });
        done.await.map_err(|_| PoolError::Cancelled)
    }
}

impl Default for Passwords {
    fn default() -> Self {
        Self::new()
    }
}

/// The PHC string of a password, with a random salt.
#[must_use]
pub fn hash(password: &str) -> Option<String> {
    let hash = Argon2::default().hash_password(password.as_bytes()).ok()?;
    Some(hash.to_string())
}

fn matches(password: &str, stored: &str) -> bool {
    PasswordHash::new(stored)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

/// What is wrong with a new password, if anything.
#[must_use]
pub fn fault(password: &str) -> Option<String> {
    if password.chars().count() < SHORTEST {
        Some(format!("at least {SHORTEST} characters are needed"))
    } else if password.len() > LONGEST {
        Some(format!("at most {LONGEST} bytes are allowed"))
    } else {
        None
    }
}
