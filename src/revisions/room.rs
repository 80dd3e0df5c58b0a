//! The days that revisions are spread over, by an import and after a pause alike.

use super::fuzz::LAST_DAY;
use super::spread::Spread;
use super::{Learner, store};
use crate::db::Db;
use crate::pauses;
use chrono::NaiveDate;
use diesel::QueryResult;

/// What a user has pending, of what is due from `since` on. A paused day has no room.
///
/// # Errors
/// When the database fails.
pub fn room(
    db: &mut Db,
    learner: &Learner,
    since: NaiveDate,
    today: NaiveDate,
) -> QueryResult<Spread> {
    let cap = u32::try_from(learner.daily_cap).unwrap_or(1);
    let load = store::load_between(db, learner.user_id, since, LAST_DAY)?;
    let load = load.into_iter().map(|(day, due)| (day, u32::try_from(due).unwrap_or(u32::MAX)));
    let paused = pauses::days_between(db, learner.user_id, today, LAST_DAY)?;
    Ok(Spread::new(today, cap, load.chain(paused.into_iter().map(|day| (day, cap)))))
}
