//! What a problem is, and what it is about.

mod classifying;
mod completions;
mod fast_path;
mod identity;
mod pages;
mod topics;
