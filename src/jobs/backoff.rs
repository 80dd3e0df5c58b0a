//! How long a failed attempt waits for the next one. Pure.

/// The longest wait, in seconds, before the jitter.
const LONGEST: f64 = 3600.0;

/// Seconds: min(60 s · 2^(n−1), 1 h) after the `n`-th failed attempt, and up to `spread` of that more;
/// `jitter` in 0..1 says how much of it.
#[must_use]
pub fn backoff(attempt: i32, spread: f64, jitter: f64) -> f64 {
    let doublings = (attempt - 1).clamp(0, 6);
    (60.0 * 2.0_f64.powi(doublings)).min(LONGEST) * (1.0 + spread * jitter)
}
