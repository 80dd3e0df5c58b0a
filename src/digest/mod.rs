//! The digest: what is due today, told once a local day at the user's hour.
//!
//! What is always true: of a user and a local day there is one digest at most, whatever clocks do,
//! since its notification is named by the day. A user has an instant at which the next one is looked
//! at, so that a look at the clock reads only whose turn it is.

pub mod guards;
pub mod job;
pub mod plan;
pub mod store;

use crate::db::Db;
use crate::db::instant::At;
use crate::notifications::model::Kind;
use crate::notifications::{Notice, notify};
use crate::preferences;
use crate::revisions::today::due_counts;
use chrono::TimeDelta;
use diesel::QueryResult;

/// Looks at the digest of a user whose turn was `seen`, tells them where it is time, and says when the
/// next is looked at. Returns whether it told them. Somebody else may have done so: then nothing.
///
/// # Errors
/// When the database fails.
pub fn look(db: &mut Db, user_id: i64, seen: Option<At>, now: At) -> QueryResult<bool> {
    // The user's hour and zone stay as they are from here on. Should there be none, it is looked at
    // again in an hour.
    let later = At::from(*now + TimeDelta::hours(1));
    if !guards::claim_digest(db, user_id, seen, later)? {
        return Ok(false);
    }
    let Some(preferences) = preferences::of_user(db, user_id)? else { return Ok(false) };
    let plan = plan::plan(&preferences.days, preferences.digest_hour, *now);
    store::set_next(db, user_id, At::from(plan.next))?;
    let Some(day) = plan.today else { return Ok(false) };
    if preferences::is_paused(db, user_id, now)? {
        return Ok(false);
    }
    let (due, overdue) = due_counts(db, user_id, day)?;
    if due == 0 {
        return Ok(false);
    }
    let title = match due {
        1 => "1 revision is due today".to_owned(),
        due => format!("{due} revisions are due today"),
    };
    let body = match overdue {
        0 => String::from("None of them is overdue."),
        1 => String::from("1 of them is overdue."),
        overdue => format!("{overdue} of them are overdue."),
    };
    let notice = Notice {
        user_id,
        kind: Kind::Digest,
        cause: &day.to_string(),
        title: &title,
        body: &body,
        link: Some("/today"),
    };
    notify(db, &notice, now)
}
