//! HTTP for accounts, sessions and tokens.

pub mod accounts;
mod pace;
pub mod reset;
pub mod reset_page;
pub mod sessions;
pub mod tokens;
