//! What a pause hides. On a paused day nothing is due: neither what was planned for that day, nor what
//! has waited since an earlier one. The dates stay as they are until the pause is over.
//!
//! Whoever shows what is due, or how much of it, leaves out all of it where the present day is paused,
//! and of the days to come what [`IS_SHOWN`] leaves out.

/// That the day on which a revision falls due is not paused. It is a condition of a statement on
/// `revisions`, about those that are due today or later: a pause that is over hides nothing.
pub const IS_SHOWN: &str = "not exists (select 1 from paused_days as paused \
     where paused.user_id = revisions.user_id and paused.day = revisions.due_on)";
