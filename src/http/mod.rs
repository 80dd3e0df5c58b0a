//! HTTP in, domain calls, HTTP out.

pub mod error;
pub mod idempotency;
pub mod json;
pub mod openapi;
pub mod page;
pub mod params;
pub mod peer;
pub mod router;
pub mod server;
