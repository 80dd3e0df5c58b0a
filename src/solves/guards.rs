//! x
use crate::db::guard::Guard;
/// The guards of this module.
pub const GUARDS: &[Guard] = &[];
