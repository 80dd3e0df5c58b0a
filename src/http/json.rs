//! The JSON body of a request.

use super::error::{ApiError, FieldError};
use super::misread::Misread;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::{StatusCode, header};
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};

/// The largest JSON body, in bytes.
pub const LIMIT: usize = 1024 * 1024;

/// How much of a body that is too large is read and thrown away, so that the client, which is
/// still sending, gets to see the answer.
const DRAIN: usize = 64 * LIMIT;

/// A JSON object, as a handler wants it. Unknown fields and wrong values are 422, anything that is
/// not JSON 400, another media type or a compressed body 415, more than [`LIMIT`] 413.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Json<T> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let envelope = Envelope::of(request);
        let payload = payload.take();
        Box::pin(async move {
            let body = read(payload, LIMIT).await?;
            envelope.open(&body).map(Json)
        })
    }
}

/// As [`Json`], of an operation that needs no body: without one, the default.
#[derive(Debug)]
pub struct OptionalJson<T>(pub T);

impl<T: DeserializeOwned + Default + 'static> FromRequest for OptionalJson<T> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let envelope = Envelope::of(request);
        let payload = payload.take();
        Box::pin(async move {
            let body = read(payload, LIMIT).await?;
            if body.is_empty() {
                return Ok(Self(T::default()));
            }
            envelope.open(&body).map(Self)
        })
    }
}

/// What the headers say of a body.
#[derive(Clone, Copy)]
struct Envelope {
    is_json: bool,
    is_plain: bool,
}

impl Envelope {
    fn of(request: &HttpRequest) -> Self {
        let is_json = request.content_type().eq_ignore_ascii_case("application/json");
        Self { is_json, is_plain: is_plain(request) }
    }

    fn open<T: DeserializeOwned>(self, body: &[u8]) -> Result<T, ApiError> {
        if !self.is_json {
            return Err(unsupported("send `Content-Type: application/json`"));
        }
        if !self.is_plain {
            return Err(unsupported("send the body without `Content-Encoding`"));
        }
        parse(body)
    }
}

/// Tells null, which is given, from absence: for a field of type `Option<Option<T>>`.
///
/// # Errors
/// When it is no `T`.
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    input: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(input).map(Some)
}

fn is_plain(request: &HttpRequest) -> bool {
    request
        .headers()
        .get_all(header::CONTENT_ENCODING)
        .all(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// 415: the body is of a kind that is not read here.
pub fn unsupported(detail: impl Into<String>) -> ApiError {
    ApiError::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported-media-type",
        "Another media type is needed",
        detail,
    )
}

/// Reads a whole body of at most `limit` bytes.
///
/// # Errors
/// 413 when it is larger, after the rest was drained; 400 when it ends early; 408 when it stalls.
pub async fn read(mut payload: Payload, limit: usize) -> Result<Vec<u8>, ApiError> {
    let mut body = Vec::new();
    let mut drained = 0;
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(broken)?;
        if drained > 0 || body.len() + chunk.len() > limit {
            drained += chunk.len();
            if drained > DRAIN {
                break;
            }
        } else {
            body.extend_from_slice(&chunk);
        }
    }
    if drained > 0 {
        return Err(too_large(limit));
    }
    Ok(body)
}

/// 413: the body is larger than `limit` bytes.
#[must_use]
pub fn too_large(limit: usize) -> ApiError {
    ApiError::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "too-large",
        "The body is too large",
        format!("at most {limit} bytes are read"),
    )
}

/// A body that stalled, ended early or is framed wrongly.
#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` wants")]
pub(crate) fn broken(error: PayloadError) -> ApiError {
    if matches!(&error, PayloadError::Io(error) if error.kind() == std::io::ErrorKind::TimedOut) {
        return ApiError::too_slow();
    }
    ApiError::malformed(format!("the body cannot be read: {error}"))
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    let mut input = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut input).map_err(|error| {
        let pointer = pointer(error.path());
        let inner = error.into_inner();
        // A wrong value is told only of what is JSON to its end.
        match serde_json::from_slice::<IgnoredAny>(body) {
            Ok(_) => ApiError::invalid(vec![misread(pointer, &inner)]),
            Err(error) => not_json(&error),
        }
    })?;
    input.end().map_err(|error| not_json(&error))?;
    // Serde reads the fields of a struct from a list, too.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(ApiError::invalid_at("", "an object is expected"));
    }
    Ok(value)
}

/// 400, with the place.
fn not_json(error: &serde_json::Error) -> ApiError {
    let place = format!("line {}, column {}", error.line(), error.column());
    ApiError::malformed(if error.is_eof() {
        format!("the body is not JSON: it ends too early, at {place}")
    } else {
        format!("the body is not JSON, at {place}")
    })
}

fn misread(mut pointer: String, error: &serde_json::Error) -> FieldError {
    let Misread { member, detail } = Misread::of(&error.to_string());
    if let Some(member) = member {
        let member = format!("/{}", escaped(&member));
        if !pointer.ends_with(&member) {
            pointer.push_str(&member);
        }
    }
    FieldError::new(pointer, detail)
}

/// A name as a part of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The path that serde took, as a JSON pointer.
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |mut pointer, segment| {
        match segment {
            Segment::Seq { index } => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Segment::Map { key } | Segment::Enum { variant: key } => {
                pointer.push('/');
                pointer.push_str(&escaped(key));
            }
            Segment::Unknown => pointer.push_str("/?"),
        }
        pointer
    })
}
