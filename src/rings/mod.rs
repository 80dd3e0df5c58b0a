//! Rings: what a user sets out to do on a local day, and the streak of days on which they did it.
//!
//! A day's row is made by the first thing done on it, with the goals of that moment. Whoever does
//! something first counts it there, which locks the row, so that of all who are at it at once exactly
//! one finds the goals reached and closes the day. A closed day stays closed, and all that closing
//! it causes is done once, in the transaction of what closed it. Imports never come here.

pub mod freezes;
pub mod guards;
pub mod model;
pub mod pause_over;
pub mod revised;
pub mod routes;
pub mod store;
pub mod streak;

use crate::days::days_later;
use crate::db::Db;
use crate::db::instant::At;
use crate::notifications::model::Kind;
use crate::notifications::{self, Notice};
use crate::pauses;
use crate::revisions::Learner;
use crate::social::streaks;
use crate::xp::model::Reason;
use crate::xp::{self, Award};
use chrono::NaiveDate;
use diesel::QueryResult;
use model::{Count, Goals, NewDeed, RingRow, Rings, StreakNow};
use std::collections::BTreeSet;
use streak::Days;

/// What arrives so many days late still counts for its day.
pub const LOOKED_AT_AGAIN: i64 = 7;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deed {
    /// Problems that were solved.
    pub solves: i32,
    /// Revisions that were completed.
    pub revisions: i32,
    /// How many of those were due by the day.
    pub of_due: i32,
}

/// Counts what was done on a local day, and closes the day where that reaches its goals. Nothing of
/// the day's may be written after it in the transaction: others of the user's wait for the row.
///
/// # Errors
/// When the database fails.
pub fn count(
    db: &mut Db,
    learner: &Learner,
    day: NaiveDate,
    deed: Deed,
    now: At,
) -> QueryResult<()> {
    if deed == Deed::default() || !is_looked_at(learner.days.local_day(*now), day) {
        return Ok(());
    }
    let user_id = learner.user_id;
    let Learner { goal_solves, goal_revisions, .. } = *learner;
    let ring =
        guards::count_deed(db, &NewDeed { user_id, day, goal_solves, goal_revisions, deed })?;
    if ring.closed_at.is_none() && ring.is_reached() && guards::close_day(db, ring.id, now)? {
        closed(db, &ring, now)?;
    }
    Ok(())
}

/// Whether what arrives on `today` still counts for a day.
fn is_looked_at(today: NaiveDate, day: NaiveDate) -> bool {
    day >= days_later(today, -LOOKED_AT_AGAIN)
}

/// What closing a day causes.
fn closed(db: &mut Db, ring: &RingRow, now: At) -> QueryResult<()> {
    let award = Award {
        user_id: ring.user_id,
        reason: Reason::RingClosed,
        subject_id: ring.id,
        amount: xp::RINGS_CLOSED,
        solve_id: None,
        local_day: ring.day,
    };
    xp::award(db, &award, now)?;
    streaks::day_closed(db, ring.user_id, ring.day, now)?;
    let cause = ring.day.to_string();
    let notice = Notice {
        user_id: ring.user_id,
        kind: Kind::RingsClosed,
        cause: &cause,
        title: "Rings closed",
        body: &format!("You did what you had set out to do on {cause}: {} XP.", xp::RINGS_CLOSED),
        link: Some(&format!("/rings/{cause}")),
    };
    // Behind the pairs: a notification that is to be sent holds the run that sends it.
    notifications::notify(db, &notice, now).map(drop)
}

/// The rings of a local day. One on which nothing was done yet has the goals that it would begin with
/// now.
///
/// # Errors
/// When the database fails.
pub fn of_day(db: &mut Db, learner: &Learner, day: NaiveDate) -> QueryResult<Rings> {
    let user_id = learner.user_id;
    let (paused, frozen) =
        (pauses::is_paused(db, user_id, day)?, store::is_frozen(db, user_id, day)?);
    if let Some(row) = store::ring(db, user_id, day)? {
        return Ok(Rings::of(&row, frozen, paused));
    }
    let revisions = if paused { 0 } else { store::due(db, user_id, day, learner.goal_revisions)? };
    let least = i32::from(revisions == 0);
    let goals = Goals { solves: learner.goal_solves.max(least), revisions };
    let progress = Count { solves: 0, revisions: 0 };
    Ok(Rings { day, goals, progress, closed_at: None, frozen, paused })
}

/// The rings of the days from `from` to `until` on which something was done, in order, after a day.
///
/// # Errors
/// When the database fails.
pub fn between(
    db: &mut Db,
    user_id: i64,
    (from, until): (NaiveDate, NaiveDate),
    after: Option<NaiveDate>,
    limit: i64,
) -> QueryResult<Vec<Rings>> {
    let from = after.map_or(from, |after| from.max(days_later(after, 1)));
    let rows = store::between(db, user_id, from, until, limit)?;
    let frozen = store::frozen_between(db, user_id, from, until)?;
    let paused = pauses::days_between(db, user_id, from, until)?;
    let rings = rows.iter().map(|row| {
        let is_frozen = frozen.binary_search(&row.day).is_ok();
        Rings::of(row, is_frozen, paused.binary_search(&row.day).is_ok())
    });
    Ok(rings.collect())
}

/// The streak of a user as it is now.
///
/// # Errors
/// When the database fails.
pub fn streak(db: &mut Db, learner: &Learner, now: At) -> QueryResult<StreakNow> {
    let (user_id, today) = (learner.user_id, learner.days.local_day(*now));
    let (first, last) = (NaiveDate::default(), today);
    let closed: BTreeSet<NaiveDate> = store::closed_until(db, user_id, last)?.into_iter().collect();
    let month = freezes::month_of(today);
    let frozen = store::frozen_between(db, user_id, first, freezes::last_of_month(today))?;
    let of_month: Vec<NaiveDate> = frozen.iter().copied().filter(|day| *day >= month).collect();
    let paused = pauses::days_between(db, user_id, first, last)?;
    let days = Days {
        closed: &closed,
        frozen: &frozen.into_iter().collect(),
        paused: &paused.into_iter().collect(),
    };
    // A date that a change of zone skips has no instant.
    let is_skipped = |day| learner.days.starts_at(day) >= learner.days.ends_at(day);
    let streak = streak::streak(&days, is_skipped, today);
    let left = freezes::A_MONTH.saturating_sub(of_month.len());
    Ok(StreakNow {
        day: today,
        current: streak.current,
        longest: streak.longest,
        since: streak.since,
        closed_today: closed.contains(&today),
        frozen_days: of_month,
        freezes_left: u32::try_from(left).unwrap_or(0),
    })
}
