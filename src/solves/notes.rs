//! A user's notes, of a solve or of a submission.

/// The most characters of notes.
pub const LONGEST_NOTE: usize = 10_000;

/// Notes as they are kept. PostgreSQL cannot keep NUL.
///
/// # Errors
/// What is wrong with them.
pub fn note(text: &str) -> Result<String, String> {
    if text.chars().count() > LONGEST_NOTE {
        return Err(format!("at most {LONGEST_NOTE} characters"));
    }
    if text.contains('\0') {
        return Err("no NUL character".to_owned());
    }
    Ok(text.to_owned())
}
