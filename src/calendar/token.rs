//! The secret in a feed's address and the names of its events, both keyed hashes (HMAC-SHA256, RFC
//! 2104), under two keys: a new address renames no event.

use crate::revisions::log::Kind;
use crate::secret::Secrets;
use hmac::digest::Key;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// How many hexadecimal digits of a hash are in an address: 128 bits, which nobody guesses.
const SECRET: usize = 32;

/// How many are in the name of an event: 96 bits, by which no two events of anybody meet. Each
/// digit is in the feed some two thousand times.
const NAME: usize = 24;

/// The block of SHA-256, in bytes.
const BLOCK: usize = 64;

/// The token of a feed with this nonce: 32 lower-case hexadecimal digits.
#[must_use]
pub fn of_feed(secrets: &Secrets, feed_id: i64, nonce: &str) -> String {
    digits(SECRET, &secrets.signing, &[b"calendar", &feed_id.to_be_bytes(), nonce.as_bytes()])
}

/// The `UID` of the event of a revision: 24 lower-case hexadecimal digits that tell nothing of it.
#[must_use]
pub fn of_event(secrets: &Secrets, solve_id: i64, kind: Kind, number: i32) -> String {
    let parts: [&[u8]; 4] =
        [b"event", &solve_id.to_be_bytes(), kind.as_str().as_bytes(), &number.to_be_bytes()];
    digits(NAME, &secrets.calendar_uids, &parts)
}

/// Compares two tokens in a time that does not depend on where they differ.
#[must_use]
pub fn is_equal(expected: &str, given: &str) -> bool {
    expected.as_bytes().ct_eq(given.as_bytes()).into()
}

/// Each part goes in behind its length, so that no two lists of parts are the same bytes.
fn digits(many: usize, key: &[u8], parts: &[&[u8]]) -> String {
    let mut mac = Hmac::<Sha256>::new(&block(key));
    for part in parts {
        mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        mac.update(part);
    }
    let mut text = hex::encode(mac.finalize().into_bytes());
    text.truncate(many);
    text
}

/// A key of any length as HMAC makes it a block: hashed if it is longer, then filled up with zeros.
fn block(key: &[u8]) -> Key<Hmac<Sha256>> {
    let mut block = Key::<Hmac<Sha256>>::default();
    let hashed = Sha256::digest(key);
    let bytes: &[u8] = if key.len() > BLOCK { &hashed } else { key };
    for (place, byte) in block.iter_mut().zip(bytes) {
        *place = *byte;
    }
    block
}
