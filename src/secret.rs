//! Secrets: those of the instance, and those of its users, which are made of the system's
//! randomness, shown once, and stored as a hash.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::digest::Key;
use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};

/// What every token begins with, so that a leaked one can be recognised.
const PREFIX: &str = "trv_";

/// The secrets of the instance, made at its first start.
#[derive(Clone)]
pub struct Secrets {
    /// Signs the tokens of calendar feeds, the way out of mail and the setup token.
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

/// The first `digits` hexadecimal digits of a keyed hash (HMAC-SHA256, RFC 2104), under a key of any
/// length. Each part goes in behind its length, so that no two lists of parts are the same bytes; the
/// first says what the hash is for.
#[must_use]
pub fn keyed(digits: usize, key: &[u8], parts: &[&[u8]]) -> String {
    let mut mac = Hmac::<Sha256>::new(&block(key));
    for part in parts {
        mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        mac.update(part);
    }
    let mut text = hex::encode(mac.finalize().into_bytes());
    text.truncate(digits);
    text
}

/// A key as HMAC makes it a block: hashed if it is longer, then filled up with zeros.
fn block(key: &[u8]) -> Key<Hmac<Sha256>> {
    let mut block = Key::<Hmac<Sha256>>::default();
    let hashed = Sha256::digest(key);
    let bytes: &[u8] = if key.len() > block.len() { &hashed } else { key };
    for (place, byte) in block.iter_mut().zip(bytes) {
        *place = *byte;
    }
    block
}
