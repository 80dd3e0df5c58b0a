//! What an account is called: its address and its handle.

use super::{Handle, secret};

/// An address as it is stored, in lower case; nothing where it is none.
#[must_use]
pub fn address(text: &str) -> Option<String> {
    let email = text.trim().to_lowercase();
    is_address(&email).then_some(email)
}

/// The shape of an address. Whether mail arrives there, only mail can tell.
fn is_address(email: &str) -> bool {
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

/// A handle made of an address, and endings to try where it is taken.
///
/// # Errors
/// When the system gives no randomness.
pub fn suggest(email: &str) -> Result<Handle, secret::NoRandomness> {
    let local = email.split('@').next().unwrap_or_default();
    let mut stem: String = local.chars().filter(|c| is_handle(&format!("a{c}"))).take(28).collect();
    if stem.len() < 2 {
        "learner".clone_into(&mut stem);
    }
    let endings = std::iter::repeat_with(|| {
        secret::random().map(|bytes| hex::encode(bytes).chars().take(8).collect())
    })
    .take(3)
    .collect::<Result<_, _>>()?;
    Ok(Handle::Suggested(stem, endings))
}
