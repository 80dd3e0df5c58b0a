//! x
pub mod guards;
