//! What holds for every request and every answer, whichever route it is.
//!
//! A request has a name, a limit of size and of time, a place in the figures, and one line in the
//! log. That line has the pattern of the route and never the path, since a path may hold a secret;
//! no query, no header and no body is ever logged. An answer has the name and the security
//! headers, and every error is a problem detail, also what the framework refuses and what panics.

use super::error::ApiError;
use super::metrics::UNROUTED;
use super::{limits, request_id, security_headers, stalling};
use crate::app::App;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, ResponseError, web};
use futures_util::FutureExt;
use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::time::timeout;
use tracing::{Instrument, info_span};

/// Where whoever learns it leaves the number of the account that a request comes from.
#[derive(Clone, Debug, Default)]
pub struct Known(Rc<Cell<Option<i64>>>);

impl Known {
    /// Notes who asks, for the line in the log.
    pub fn is(&self, user_id: i64) {
        self.0.set(Some(user_id));
    }
}

/// Handles a request with all of the above. It is the outermost middleware.
///
/// # Errors
/// None that is not a finished answer.
pub async fn keep(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let began = Instant::now();
    let app = request.app_data::<web::Data<App>>().cloned();
    let app = app.ok_or_else(ApiError::internal)?;
    let in_flight = app.metrics.begin();
    let id = request_id::choose(request.headers());
    let method = request.method().clone();
    let route = request.match_pattern().unwrap_or_else(|| UNROUTED.to_owned());
    let known = Known::default();
    request.extensions_mut().insert(known.clone());
    if method == Method::HEAD {
        // The library leaves the body out, since it remembers what was asked.
        request.head_mut().method = Method::GET;
    }

    let span = info_span!("request", request_id = %id);
    let answer =
        answer(request, next, &method, &route, app.config.request).instrument(span.clone()).await;
    let _entered = span.enter();
    let answer = finish(answer, |headers| {
        // Each character was checked, or is a hyphen or a hexadecimal digit.
        if let Ok(id) = HeaderValue::from_str(&id) {
            headers.insert(HeaderName::from_static("x-request-id"), id);
        }
        security_headers::add(headers, app.config.is_https());
    });
    let status = match &answer {
        Ok(response) => response.status(),
        Err(error) => error.as_response_error().status_code(),
    };
    drop(in_flight);
    let elapsed = began.elapsed();
    app.metrics.answered(&method, &route, status, elapsed);
    tracing::info!(
        method = method.as_str(),
        route,
        status = status.as_u16(),
        ms = elapsed.as_secs_f64() * 1000.0,
        user_id = known.0.get(),
        "answered"
    );
    answer
}

/// Calls the route, within the limits.
async fn answer(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    method: &Method,
    route: &str,
    bound: Duration,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if let Some(error) = too_long(&request) {
        return Ok(request.into_response(error.error_response()));
    }
    let body = stalling::watch(&mut request);
    let call = AssertUnwindSafe(next.call(request)).catch_unwind();
    let called = if limits::is_bounded(method, route) {
        match timeout(bound, call).await {
            Ok(called) => called,
            Err(_) if body.is_awaited() => return Err(ApiError::too_slow().into()),
            Err(_) => {
                tracing::warn!(route, "the answer was not ready in time");
                return Err(ApiError::timed_out().into());
            }
        }
    } else {
        call.await
    };
    match called {
        Ok(answer) => answer.map(ServiceResponse::map_into_boxed_body),
        Err(_) => {
            tracing::error!(route, "the handler panicked");
            Err(ApiError::internal().into())
        }
    }
}

fn too_long(request: &ServiceRequest) -> Option<ApiError> {
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    if target > limits::TARGET {
        return Some(ApiError::target_too_long(limits::TARGET));
    }
    let headers = request.headers().iter();
    let headers: usize = headers.map(|(name, value)| name.as_str().len() + value.len()).sum();
    (headers > limits::HEADERS).then(|| ApiError::headers_too_large(limits::HEADERS))
}

/// Makes an error of the framework a problem detail, and adds to the headers of every answer.
fn finish(
    answer: Result<ServiceResponse<BoxBody>, Error>,
    add: impl Fn(&mut HeaderMap),
) -> Result<ServiceResponse<BoxBody>, Error> {
    match answer {
        Ok(mut answer) => {
            if is_bare_error(answer.response()) {
                let problem = problem_for(answer.response());
                answer = answer.into_response(problem);
            }
            add(answer.headers_mut());
            Ok(answer)
        }
        // The request is gone, so the answer travels as an error that holds it.
        Err(error) => {
            let mut response = error.error_response();
            if is_bare_error(&response) {
                response = problem_for(&response);
            }
            add(response.headers_mut());
            Err(InternalError::from_response(error, response).into())
        }
    }
}

fn is_bare_error(response: &HttpResponse) -> bool {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE);
    (status.is_client_error() || status.is_server_error())
        && kind.is_none_or(|kind| kind != ApiError::MEDIA_TYPE)
}

/// The problem detail for an error that says nothing but its status.
fn problem_for(response: &HttpResponse) -> HttpResponse {
    let mut problem = ApiError::of_status(response.status()).error_response();
    for name in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = response.headers().get(&name) {
            problem.headers_mut().insert(name, value.clone());
        }
    }
    problem
}
