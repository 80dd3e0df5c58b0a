//! The submission that is sent over and over: accepted, as the extension of a browser reports it.

use super::seed;

/// A `POST /submissions` of a user for a problem, under a key.
pub fn request(user: usize, problem: usize, key: &str) -> Vec<u8> {
    let slug = seed::slug(problem);
    let body = format!(
        "{{\"problem\":{{\"url\":\"https://leetcode.com/problems/{slug}/\"}},\
         \"verdict\":\"accepted\",\"language\":\"rust\",\"runtime_ms\":12,\"memory_kb\":2048,\
         \"attempts\":1,\"minutes\":14.5,\"source\":\"extension\"}}"
    );
    format!(
        "POST /api/v1/submissions HTTP/1.1\r\nHost: traverse\r\nAuthorization: Bearer {}\r\n\
         Idempotency-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n\
         {body}",
        seed::token(user),
        body.len()
    )
    .into_bytes()
}

/// A key that no other request of this run has, as long as the reference's.
pub fn key(round: usize, connection: usize, number: usize) -> String {
    format!("{round:08}-{connection:08}-{number:014}")
}

/// A user and a problem by chance. The same numbers give the same pair.
pub fn pair(round: usize, connection: usize, number: usize) -> (usize, usize) {
    // SplitMix64, which scatters neighbours.
    let mut state = (round << 40 ^ connection << 32 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^= state >> 31;
    (1 + state % seed::USERS, 1 + (state >> 32) % seed::PROBLEMS)
}

/// A new submission by chance.
pub fn new(round: usize, connection: usize, number: usize) -> Vec<u8> {
    let (user, problem) = pair(round, connection, number);
    request(user, problem, &key(round, connection, number))
}
