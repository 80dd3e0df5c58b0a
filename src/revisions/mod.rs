//! When to solve a problem again. Everything here is pure: the same log gives the same schedule
//! on every machine and at any time, so it can be derived again whenever in doubt.

pub mod adaptive;
pub mod fuzz;
pub mod guards;
pub mod ladder;
pub mod learner;
pub mod log;
pub mod rating;
mod replay;
pub mod schedule;
pub mod settings;
pub use learner::Learner;
