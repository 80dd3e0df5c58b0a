//! x
pub mod guards;
pub mod identity;
