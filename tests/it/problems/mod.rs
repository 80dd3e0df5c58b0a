//! What a problem is.

mod identity;
mod pages;
