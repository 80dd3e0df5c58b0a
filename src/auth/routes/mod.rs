//! HTTP for accounts and tokens.

pub mod accounts;
pub mod tokens;
