//! HTTP for accounts, sessions and tokens.

pub mod accounts;
mod pace;
pub mod sessions;
pub mod tokens;
