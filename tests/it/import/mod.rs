//! What people have already solved: the formats of their files, and what becomes of the rows.

mod at_once;
mod dump;
mod files;
mod formats;
mod history;
mod keys;
mod reviews;
mod rules;
mod upload;
