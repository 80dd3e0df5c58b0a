//! Local days.

mod properties;
mod rules;
