//! x
pub mod guards;
use crate::db::{Db, instant::At, tx::Work};
/// x
pub fn begin(_db: &mut Db, _user_id: i64, _now: At) -> Work<(), crate::auth::secret::NoRandomness> {
    Ok(())
}
