//! HTTP for calendar feeds: [`subscription`] for their owners, [`document`] for calendar programs.

pub mod document;
pub mod subscription;
