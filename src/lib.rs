//! Traverse remembers what you have solved and tells you when to solve it again.
//!
//! Read `docs/architecture.md` first: imports point one way, a race is settled by a named
//! constraint or a conditional update, and a lost race is an outcome.

#![deny(clippy::print_stdout, clippy::print_stderr, reason = "they panic where nobody reads")]

pub mod app;
pub mod auth;
pub mod broadcasts;
pub mod calendar;
pub mod cli;
pub mod clock;
pub mod config;
pub mod days;
pub mod db;
pub mod digest;
pub mod http;
pub mod import;
pub mod jobs;
pub mod log;
pub mod mail;
pub mod notifications;
pub mod outgoing;
pub mod pauses;
pub mod preferences;
pub mod problems;
pub mod revisions;
pub mod rings;
pub mod schema;
pub mod secret;
pub mod social;
pub mod solves;
pub mod stats;
pub mod submissions;
pub mod turns;
pub mod worker;
pub mod xp;
