//! The name of a request, by which its answer and its log lines are found again.

use actix_web::http::header::HeaderMap;
use uuid::Uuid;

/// The name of the header, in requests and in answers.
pub const HEADER: &str = "X-Request-Id";

/// The name that the client gave, when it is 1 to 128 of `A-Z a-z 0-9 . _ -`; else a new one, a
/// UUID v7. Anything else is not kept, since it goes into headers and logs.
#[must_use]
pub fn choose(headers: &HeaderMap) -> String {
    let given = headers.get(HEADER).and_then(|value| value.to_str().ok());
    match given {
        Some(id) if is_id(id) => id.to_owned(),
        _ => Uuid::now_v7().to_string(),
    }
}

fn is_id(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}
