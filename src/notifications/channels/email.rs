//! Mail. Nothing sends it yet, so that nobody can turn it on.

use super::End;

/// Whether the instance can send mail.
pub(super) const IS_SET_UP: bool = false;

/// Says so.
pub(super) fn send() -> End {
    End::Nowhere("the instance sends no mail")
}
