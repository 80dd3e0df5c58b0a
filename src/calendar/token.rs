//! The secret in a feed's address and the names of its events, both keyed hashes (HMAC-SHA256, RFC
//! 2104), under two keys: a new address renames no event.

use crate::revisions::log::Kind;
use crate::secret::{Secrets, keyed};
use subtle::ConstantTimeEq;

/// How many hexadecimal digits of a hash are in an address: 128 bits, which nobody guesses.
const SECRET: usize = 32;

/// How many are in the name of an event: 96 bits, by which no two events of anybody meet. Each
/// digit is in the feed some two thousand times.
const NAME: usize = 24;

/// The token of a feed with this nonce: 32 lower-case hexadecimal digits.
#[must_use]
pub fn of_feed(secrets: &Secrets, feed_id: i64, nonce: &str) -> String {
    keyed(SECRET, &secrets.signing, &[b"calendar", &feed_id.to_be_bytes(), nonce.as_bytes()])
}

/// The `UID` of the event of a revision: 24 lower-case hexadecimal digits that tell nothing of it.
#[must_use]
pub fn of_event(secrets: &Secrets, solve_id: i64, kind: Kind, number: i32) -> String {
    let parts: [&[u8]; 4] =
        [b"event", &solve_id.to_be_bytes(), kind.as_str().as_bytes(), &number.to_be_bytes()];
    keyed(NAME, &secrets.calendar_uids, &parts)
}

/// Compares two tokens in a time that does not depend on where they differ.
#[must_use]
pub fn is_equal(expected: &str, given: &str) -> bool {
    expected.as_bytes().ct_eq(given.as_bytes()).into()
}
