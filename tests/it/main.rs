//! One binary for all integration tests: it links once.
#![cfg(test)]

mod calendar;
mod crash;
mod days;
mod harness;
mod openapi;
mod problems;
mod process;
mod races;
mod races_http;
mod random;
mod revisions;
mod routes;
