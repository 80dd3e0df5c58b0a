//! The calendar feed: its bytes, and what readers make of them.

mod document;
mod editions;
mod feed;
pub mod judges;
pub mod lint;
mod lint_rules;
pub mod nasty;
mod properties;
mod token;
mod validators;
