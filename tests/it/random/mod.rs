//! Commands in any order. After each of them everything that is always true holds, a retry changes
//! nothing, and what is undone is as it was.

mod arrival;
mod command;
mod properties;
mod world;
