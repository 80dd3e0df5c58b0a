//! A user's notes, of a solve or of a submission.

/// The most characters of notes.
pub const LONGEST_NOTE: usize = 10_000;

/// What is wrong with notes, if anything. PostgreSQL cannot keep NUL.
#[must_use]
pub fn fault_of(text: &str) -> Option<String> {
    // Bytes are never fewer than characters, so counting is for the rare long ones.
    if text.len() > LONGEST_NOTE && text.chars().count() > LONGEST_NOTE {
        return Some(format!("at most {LONGEST_NOTE} characters"));
    }
    text.contains('\0').then(|| "no NUL character".to_owned())
}

/// Notes as they are kept.
///
/// # Errors
/// What is wrong with them: see [`fault_of`].
pub fn note(text: &str) -> Result<String, String> {
    fault_of(text).map_or_else(|| Ok(text.to_owned()), Err)
}
