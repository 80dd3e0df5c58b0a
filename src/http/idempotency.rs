//! The header `Idempotency-Key`: 1 to 255 visible ASCII characters, quotes around them optional.
//!
//! A key is good for as long as the row that it made exists. It belongs to the user, not to the
//! token. A key that is random for each attempt recognises nothing.

use super::error::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::future::{Ready, ready};
use utoipa::IntoParams;

/// The name of the header.
pub const HEADER: &str = "Idempotency-Key";

/// The header of an answer that an earlier call had got already.
pub const REPLAYED: &str = "Idempotency-Replayed";

/// The header, as the documentation of a route names it.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct Header {
    /// Names this request for ever: sent again with the same body, it changes nothing and is
    /// answered as before. Derive it from what is sent; a random one recognises nothing.
    #[param(
        rename = "Idempotency-Key",
        required = false,
        min_length = 1,
        max_length = 255,
        pattern = "^[!-~]+$",
        example = "token-browser-extension"
    )]
    #[expect(dead_code, reason = "read by `Key`; this is for the documentation")]
    key: String,
}

/// The key of a request, if it has one.
#[derive(Clone, Debug)]
pub struct Key(pub Option<String>);

impl FromRequest for Key {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let mut values = request.headers().get_all(HEADER);
        let key = match (values.next(), values.next()) {
            (None, _) => Ok(Self(None)),
            (Some(_), Some(_)) => Err(ApiError::malformed(format!("send one header {HEADER}"))),
            (Some(value), None) => read(value.as_bytes()).map(|key| Self(Some(key))),
        };
        ready(key)
    }
}

fn read(value: &[u8]) -> Result<String, ApiError> {
    let bare = value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value);
    let visible = bare.iter().all(u8::is_ascii_graphic);
    if !visible || !(1..=255).contains(&bare.len()) {
        let detail = format!("{HEADER}: 1 to 255 visible ASCII characters are expected");
        return Err(ApiError::malformed(detail));
    }
    Ok(String::from_utf8_lossy(bare).into_owned())
}

/// The SHA-256 of what a request asks for, in hexadecimal. Absent fields are left out by the
/// serialization of `content`, so that the order of fields and white space do not matter.
///
/// # Errors
/// When `content` has no JSON form, which for the bodies of this API does not happen.
pub fn fingerprint(content: &impl Serialize) -> Result<String, ApiError> {
    let text = serde_json::to_vec(content)
        .map_err(|error| ApiError::malformed(format!("the body has no JSON form: {error}")))?;
    Ok(hex::encode(Sha256::digest(text)))
}

/// 422: the key has been used for something else.
#[must_use]
pub fn reused() -> ApiError {
    ApiError::new(
        actix_web::http::StatusCode::UNPROCESSABLE_ENTITY,
        "idempotency-key-reused",
        "The key was used for another request",
        "a key names one request for ever; nothing was changed",
    )
}
