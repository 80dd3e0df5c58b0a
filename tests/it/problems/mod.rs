//! What a problem is.

mod fast_path;
mod identity;
mod pages;
