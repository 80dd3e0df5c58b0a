//! Passwords: Argon2id (RFC 9106) with the parameters that OWASP names first, 19 MiB and two
//! passes. Hashing takes a core for tens of milliseconds, so only so many run at once.

use crate::db::pool::PoolError;
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;

/// The fewest characters of a password.
pub const SHORTEST: usize = 10;

/// The most bytes of a password.
pub const LONGEST: usize = 1024;

/// Requests that may wait for their turn at hashing.
const WAITING: usize = 256;

/// Hashes and checks passwords, a few at a time.
#[derive(Clone, Debug)]
pub struct Passwords {
    turns: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

impl Passwords {
    /// As many at once as there are cores.
    #[must_use]
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { turns: Arc::new(Semaphore::new(cores)), waiting: Arc::default() }
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
                matches(&password, nobody());
                false
            }
        })
        .await
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolError> {
        let turn = match self.turns.try_acquire() {
            Ok(turn) => turn,
            Err(_) => {
                if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
                    self.waiting.fetch_sub(1, Ordering::Relaxed);
                    return Err(PoolError::Busy);
                }
                let turn = self.turns.acquire().await;
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                turn.map_err(|_| PoolError::Cancelled)?
            }
        };
        let result = actix_web::web::block(work).await.map_err(|_| PoolError::Cancelled);
        drop(turn);
        result
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

/// The hash of a password that nobody has.
fn nobody() -> &'static str {
    static NOBODY: OnceLock<String> = OnceLock::new();
    NOBODY.get_or_init(|| hash("a password that nobody has").unwrap_or_default())
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
