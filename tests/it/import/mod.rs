//! What people have already solved: the formats of their files, and what becomes of the rows.

mod again;
mod at_once;
mod background;
mod background_kills;
mod dump;
mod failing;
mod files;
mod formats;
mod history;
mod keys;
mod killed;
mod random;
mod reviews;
mod room;
mod rules;
mod upload;
