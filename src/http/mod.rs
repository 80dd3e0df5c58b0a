//! HTTP in, domain calls, HTTP out.

pub mod docs;
pub mod error;
pub mod health;
pub mod idempotency;
pub mod json;
pub mod limits;
pub mod manners;
pub mod metrics;
pub mod misread;
pub mod openapi;
pub mod page;
pub mod params;
pub mod peer;
pub mod request_id;
pub mod router;
pub mod security_headers;
pub mod server;
pub mod stalling;
pub mod unrouted;
