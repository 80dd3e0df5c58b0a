//! x
pub mod formats;
pub mod guards;
