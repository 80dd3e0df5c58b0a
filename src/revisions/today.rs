//! Today: everything that is due, overdue first, in a stable order. On a paused day that is nothing.

use super::listing::{self, Item};
use super::{Learner, store};
use crate::days::days_later;
use crate::db::Db;
use crate::db::instant::At;
use crate::pauses;
use crate::pauses::model::Pause;
use crate::xp;
use chrono::NaiveDate;
use diesel::QueryResult;
use serde::Serialize;
use utoipa::ToSchema;

/// Days ahead that are counted.
const AHEAD: i64 = 7;

/// A local day of a user.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Today {
    /// The local day.
    pub day: NaiveDate,
    /// Everything that is due, overdue first; the first 5,000 of it.
    pub due: Vec<DueItem>,
    /// How many are due, listed or not.
    pub due_count: i64,
    /// Whether more is due than is listed; `GET /revisions?state=due` lists all of it, by pages.
    pub truncated: bool,
    /// How many of what is due were due on an earlier day.
    pub overdue: i64,
    /// What falls due on each of the next seven days, days without anything too; on a paused one
    /// nothing does.
    pub upcoming: Vec<DueOn>,
    /// The pause that the day is in, else null: then nothing is due, whatever was planned.
    #[schema(required = true)]
    pub pause: Option<Pause>,
    /// XP.
    pub xp: XpToday,
}

/// A revision that is due.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DueItem {
    /// The revision itself.
    #[serde(flatten)]
    #[schema(inline)]
    pub item: Item,
    /// Whether it was due on an earlier day.
    pub overdue: bool,
    /// Whether it is beyond the daily cap: still due, but nobody expects it today.
    pub over_cap: bool,
}

/// How many revisions fall due on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DueOn {
    /// The local day.
    pub day: NaiveDate,
    /// How many.
    pub due: i64,
}

/// XP, in all and of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct XpToday {
    /// In all.
    pub total: i64,
    /// Of the day.
    pub today: i64,
}

/// The day that it is for a user, with at most so many of the revisions that are due.
///
/// # Errors
/// When the database fails.
pub fn today(db: &mut Db, learner: &Learner, most: i64, now: At) -> QueryResult<Today> {
    let day = learner.days.local_day(*now);
    let cap = usize::try_from(learner.daily_cap).unwrap_or(usize::MAX);
    let pause = pauses::on(db, learner.user_id, day)?;
    let listed = match pause {
        Some(_) => Vec::new(),
        None => listing::due(db, learner.user_id, day, most)?,
    };
    let due: Vec<DueItem> = listed
        .into_iter()
        .enumerate()
        .map(|(place, item)| DueItem {
            overdue: item.revision.due_on < day,
            over_cap: place >= cap,
            item,
        })
        .collect();
    let (next, last) = (days_later(day, 1), days_later(day, AHEAD));
    let ahead = store::load_between(db, learner.user_id, next, last)?;
    let paused = pauses::days_between(db, learner.user_id, next, last)?;
    let upcoming = (1..=AHEAD)
        .map(|days| {
            let day = days_later(day, days);
            let load = ahead.iter().find(|(on, _)| *on == day && !paused.contains(on));
            let due = load.map_or(0, |(_, due)| *due);
            DueOn { day, due }
        })
        .collect();
    let listed = i64::try_from(due.len()).unwrap_or(i64::MAX);
    let (due_count, overdue) = if listed < most {
        let overdue = due.iter().filter(|item| item.overdue).count();
        (listed, i64::try_from(overdue).unwrap_or(i64::MAX))
    } else {
        store::due_counts(db, learner.user_id, day)?
    };
    let (total, today) = xp::total_and_on_day(db, learner.user_id, day)?;
    Ok(Today {
        day,
        due_count,
        truncated: due_count > listed,
        overdue,
        due,
        upcoming,
        pause,
        xp: XpToday { total, today },
    })
}

/// How many revisions of a user are due on a local day, and how many of them were due before.
///
/// # Errors
/// When the database fails.
pub fn due_counts(db: &mut Db, user_id: i64, today: NaiveDate) -> QueryResult<(i64, i64)> {
    store::due_counts(db, user_id, today)
}
