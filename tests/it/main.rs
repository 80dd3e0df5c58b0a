//! One binary for all integration tests: it links once.
#![cfg(test)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod architecture;
mod calendar;
mod crash;
mod days;
mod guards;
mod harness;
mod import;
mod migrations;
mod openapi;
mod problems;
mod process;
mod races;
mod races_http;
mod random;
mod revisions;
mod routes;
mod schema;
mod turns;
