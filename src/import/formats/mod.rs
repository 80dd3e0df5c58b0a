//! What people have already solved, read from the files that other tools give them.
//!
//! [`read`] turns a file into [`Row`]s, one for each row of the file and in its order, and says in
//! [`Taken`] what it took the file for. What is always true here:
//!
//! - Reading is pure: no database, no clock ([`Options::now`]), the same bytes give the same rows.
//! - Memory is bounded whatever the bytes are: a row above [`ROW_LIMIT`] is rejected, not held.
//! - One bad row blocks no other; a file that breaks off or that is something else is
//!   [`Unreadable`] as a whole, possibly after rows were given. Whoever must create nothing from
//!   such a file reads it once with a sink that only counts.
//! - An [`Item`] is an accepted solve of a problem that is identified, or named by a title alone.
//!   What is not known is absent, never made up.
//!
//! A format is a file of its own with one `SOURCE`, listed in `format.rs`.

mod codeforces;
mod csv;
pub mod dates;
mod encoding;
mod format;
mod head;
mod item;
mod json;
mod lines;
mod place;
mod quote;
mod read;
mod rows;
mod shown;
mod sketch;
mod traverse;
mod unreadable;
mod window;

pub use self::dates::{DateOrder, UnknownDateOrder};
pub use self::format::{Format, UnknownFormat};
pub use self::item::{Item, Precision, ProblemRef, Review};
pub use self::read::{Options, Taken, read};
pub use self::rows::{Outcome, Reason, Row};
pub use self::unreadable::Unreadable;
pub use self::window::ROW_LIMIT;
