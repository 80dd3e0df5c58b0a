//! One binary for all integration tests: it links once.
#![cfg(test)]

mod architecture;
mod broadcasts;
mod calendar;
mod cli;
mod crash;
mod days;
mod digest;
mod faults;
mod guards;
mod harness;
mod import;
mod jobs;
mod lock_order;
mod mail;
mod migrations;
mod notifications;
mod openapi;
mod patience;
mod pause_over;
mod problems;
mod process;
mod races;
mod races_http;
mod random;
mod revisions;
mod routes;
mod schema;
mod streaks;
mod turns;
