//! What every answer tells a browser: take nothing on trust. A handler that has set one of these
//! headers itself keeps its own.

use actix_web::http::header::{
    self, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

const ALWAYS: [(HeaderName, &str); 6] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (PERMISSIONS_POLICY, "camera=(), display-capture=(), geolocation=(), microphone=(), usb=()"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (CACHE_CONTROL, "no-store"),
];

/// Adds what is missing. Only where others reach the server by `https` may a browser be told to
/// use nothing else.
pub fn add(headers: &mut HeaderMap, is_https: bool) {
    for (name, value) in ALWAYS {
        add_one(headers, name, value);
    }
    if is_https {
        add_one(headers, STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
}

fn add_one(headers: &mut HeaderMap, name: header::HeaderName, value: &'static str) {
    if !headers.contains_key(&name) {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
