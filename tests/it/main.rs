//! One binary for all integration tests: it links once.
#![cfg(test)]

mod calendar;
mod days;
mod harness;
mod openapi;
mod problems;
mod process;
mod races;
mod random;
mod revisions;
mod routes;
