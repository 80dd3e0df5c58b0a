//! What people have already solved: the formats of their files, and what becomes of the rows.

mod dump;
mod formats;
mod history;
mod upload;
