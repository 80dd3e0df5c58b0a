//! Problem details (RFC 9457): the one error body of the API.

use crate::db::pool::PoolError;
use crate::db::tx::Stopped;
use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, ResponseError};
use diesel::result::{DatabaseErrorKind, Error};
use serde::Serialize;
use std::convert::Infallible;
use std::fmt;
use utoipa::ToSchema;

/// The body of every error response. A code may bring members of its own.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ApiError {
    /// `urn:traverse:error:` and the code.
    #[serde(rename = "type")]
    #[schema(pattern = "^urn:traverse:error:[a-z0-9-]+$", example = "urn:traverse:error:invalid")]
    pub kind: String,
    /// Stable and machine-readable, in kebab-case.
    #[schema(value_type = String, pattern = "^[a-z0-9-]+$", example = "invalid")]
    pub code: &'static str,
    /// What the code means, the same each time.
    #[schema(value_type = String, example = "A value is not acceptable")]
    pub title: &'static str,
    /// The HTTP status of the response.
    #[schema(minimum = 400, maximum = 599, example = 422)]
    pub status: u16,
    /// What happened here; may change.
    #[schema(example = "/email: an address such as ada@example.org is expected")]
    pub detail: String,
    /// The values that were refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub errors: Vec<FieldError>,
    /// More members that the code defines, such as the stored topic of `topic-already-set`.
    #[serde(flatten, skip_serializing_if = "serde_json::Map::is_empty")]
    #[schema(ignore)]
    pub members: serde_json::Map<String, serde_json::Value>,
    /// Seconds after which to try again, sent as `Retry-After`.
    #[serde(skip)]
    pub retry_after: Option<u64>,
    /// The methods that the path knows, sent as `Allow`.
    #[serde(skip)]
    pub allow: Option<String>,
}

/// One value that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// Where, as a JSON pointer into the body (RFC 6901), or the name of a parameter.
    #[schema(example = "/email")]
    pub pointer: String,
    /// What is wrong with it, and what was expected.
    #[schema(example = "an address such as ada@example.org is expected")]
    pub detail: String,
}

impl FieldError {
    /// A value at `pointer` that was refused.
    pub fn new(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), detail: detail.into() }
    }
}

impl ApiError {
    /// The media type of every error (RFC 9457, section 3).
    pub const MEDIA_TYPE: &str = "application/problem+json";

    /// An error of its own code. The other constructors are for what many routes share.
    pub fn new(
        status: StatusCode,
        code: &'static str,
        title: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            kind: format!("urn:traverse:error:{code}"),
            code,
            title,
            status: status.as_u16(),
            detail: detail.into(),
            errors: Vec::new(),
            members: serde_json::Map::new(),
            retry_after: None,
            allow: None,
        }
    }

    /// 400: the request cannot be read.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", "The request cannot be read", detail)
    }

    /// 401: who asks is not known.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", "A valid token is needed", detail)
    }

    /// 403: who asks is known, and may not.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", "The token does not allow this", detail)
    }

    /// 404: absent, or somebody else's, which looks the same.
    #[must_use]
    pub fn not_found() -> Self {
        let detail = "there is nothing here that you can see";
        Self::new(StatusCode::NOT_FOUND, "not-found", "Not found", detail)
    }

    /// 408: the client was still sending when its time was over.
    #[must_use]
    pub fn too_slow() -> Self {
        let detail = "the body did not come in time";
        Self::new(StatusCode::REQUEST_TIMEOUT, "too-slow", "The request took too long", detail)
    }

    /// 409: the state does not allow it.
    pub fn conflict(code: &'static str, title: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, title, detail)
    }

    /// 410: it was there once.
    pub fn gone(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::GONE, "gone", "It was deleted", detail)
    }

    /// 414: the path and the query have more than `limit` bytes.
    #[must_use]
    pub fn target_too_long(limit: usize) -> Self {
        let status = StatusCode::URI_TOO_LONG;
        let detail = format!("path and query: at most {limit} bytes are read");
        Self::new(status, "target-too-long", "The address is too long", detail)
    }

    /// 431: the headers together have more than `limit` bytes.
    #[must_use]
    pub fn headers_too_large(limit: usize) -> Self {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        let detail = format!("all headers together: at most {limit} bytes are read");
        Self::new(status, "headers-too-large", "The headers are too large", detail)
    }

    /// 422: read, and refused for the values at these places.
    #[must_use]
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let detail = errors
            .iter()
            .map(|error| format!("{}: {}", error.pointer, error.detail))
            .collect::<Vec<_>>()
            .join("; ");
        let title = "A value is not acceptable";
        Self { errors, ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", title, detail) }
    }

    /// 422 for one value.
    pub fn invalid_at(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::invalid(vec![FieldError::new(pointer, detail)])
    }

    /// 500: a fault of the server; the log has more than the answer.
    #[must_use]
    pub fn internal() -> Self {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self::new(status, "internal", "Something went wrong", "the server's log has more")
    }

    /// 503: the server was not done when the time of the request was over. What it was doing may
    /// still take effect, so the same request, with its key, is safe to send again.
    #[must_use]
    pub fn timed_out() -> Self {
        let detail = "the answer was not ready in time; it may still take effect";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let error = Self::new(status, "timed-out", "The server took too long", detail);
        Self { retry_after: Some(5), ..error }
    }

    /// An error of which nothing is known but its status.
    #[must_use]
    pub fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Self::not_found(),
            StatusCode::PAYLOAD_TOO_LARGE => {
                Self::new(status, "too-large", "The body is too large", "send less")
            }
            _ if status.is_server_error() => Self { status: status.as_u16(), ..Self::internal() },
            _ => Self { status: status.as_u16(), ..Self::malformed("the request is refused") },
        }
    }

    /// 503: not now.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let error = Self::new(status, "unavailable", "Not available now", detail);
        Self { retry_after: Some(1), ..error }
    }

    /// Adds a member that the code defines.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<serde_json::Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        if let Some(seconds) = self.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds));
        }
        if let Some(methods) = &self.allow {
            response.insert_header((header::ALLOW, methods.as_str()));
        }
        if self.status_code() == StatusCode::UNAUTHORIZED {
            response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
        }
        response.content_type(Self::MEDIA_TYPE).json(self)
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        if let Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _) = error {
            // What a row refers to beside its account is locked or stays for ever.
            return Self::unauthorized("the account was deleted meanwhile");
        }
        if is_locked(&error) {
            tracing::warn!(%error, "another program holds the database");
            return Self::unavailable("the database does not answer in time");
        }
        tracing::error!(%error, "a statement failed");
        Self::internal()
    }
}

/// Whether another program has had SQLite's write lock for longer than we wait for it.
fn is_locked(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(_, info) if info.message() == "database is locked")
}

impl From<PoolError> for ApiError {
    fn from(error: PoolError) -> Self {
        if error == PoolError::Cancelled {
            tracing::error!("a unit of work ended without a result");
            return Self::internal();
        }
        // What the server said may name hosts; the caller learns only that it is not there.
        tracing::warn!(%error, "the database is not available");
        Self::unavailable(match error {
            PoolError::Busy => "too many requests wait",
            _ => "the database does not answer in time",
        })
    }
}

impl<Reason: Into<Self>> From<Stopped<Reason>> for ApiError {
    fn from(stopped: Stopped<Reason>) -> Self {
        match stopped {
            Stopped::Because(reason) => reason.into(),
            Stopped::Database(error) => error.into(),
            Stopped::Pool(error) => error.into(),
        }
    }
}

impl From<Infallible> for ApiError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
