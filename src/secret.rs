//! Secrets: those of the instance, and those of its users, which are made of the system's
//! randomness, shown once, and stored as a hash.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};

/// What every token begins with, so that a leaked one can be recognised.
const PREFIX: &str = "trv_";

/// The secrets of the instance, made at its first start.
#[derive(Clone)]
pub struct Secrets {
    /// Signs the tokens of calendar feeds and the setup token.
    pub signing: Vec<u8>,
    /// Names calendar events; another one, so that they keep their names when tokens change.
    pub calendar_uids: Vec<u8>,
}

/// The system gave no randomness.
#[derive(Debug, thiserror::Error)]
#[error("the system gave no randomness")]
pub struct NoRandomness;

/// 256 random bits.
///
/// # Errors
/// When the system has none to give.
pub fn random() -> Result<[u8; 32], NoRandomness> {
    let mut bytes = [0; 32];
    SysRng.try_fill_bytes(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes)
}

/// A new token: `trv_` and 256 random bits in base64url.
///
/// # Errors
/// As [`random`].
pub fn token() -> Result<String, NoRandomness> {
    Ok(format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(random()?)))
}

/// The SHA-256 of a text, in hexadecimal. A token has so much randomness that nothing slower is
/// needed.
#[must_use]
pub fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
