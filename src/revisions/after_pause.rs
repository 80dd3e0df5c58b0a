//! Spreading what fell due in a pause, once it is over: everything overdue goes to the first days,
//! from today on, that have room below the daily cap, what was due first going first.
//!
//! Each date is an entry of its log, so that the schedule stays a function of that; the days that
//! really went by count when it is reviewed. It works through the revisions a few at a time, each time
//! under the row of the pause, so that of two who do it one waits for the other. A batch leaves
//! nothing of itself overdue: whoever goes on after one that was interrupted finds the rest.

use super::journal::{Detail, Journal};
use super::log::Kind;
use super::model::{Note, State};
use super::room::room;
use super::{Learner, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::pauses;
use chrono::NaiveDate;
use diesel::QueryResult;
use std::collections::{BTreeSet, HashMap};

/// Revisions that one transaction works through.
pub const BATCH: i64 = 50;

/// Where the last batch ended: when its last revision was due, and its number.
pub type Place = (NaiveDate, i64);

/// Before all revisions.
#[must_use]
pub fn beginning() -> Place {
    (NaiveDate::default(), 0)
}

/// Spreads some of what is overdue after `place`, and says where to go on. `None`: there is nothing
/// to do, or nothing yet, since the pause is not over or another one goes on.
///
/// # Errors
/// When the database fails.
pub fn pass(
    db: &mut Db,
    learner: &Learner,
    pause_id: i64,
    place: Place,
    now: At,
) -> QueryResult<Option<Place>> {
    let (user_id, today) = (learner.user_id, learner.days.local_day(*now));
    if pauses::is_paused(db, user_id, today)? || !pauses::take_over(db, user_id, pause_id, today)? {
        return Ok(None);
    }
    let overdue = store::overdue(db, user_id, today, place, BATCH)?;
    let mut spread = room(db, learner, today, today)?;
    let placed: HashMap<i64, NaiveDate> =
        overdue.iter().map(|(id, _, due_on)| (*id, spread.place(*due_on))).collect();
    // In one order everywhere, so that two who lock several solves do not wait in a circle.
    let solves: BTreeSet<i64> = overdue.iter().map(|(_, solve_id, _)| *solve_id).collect();
    for solve_id in solves {
        // A solve that is gone by now has nothing to place.
        if let Some(mut journal) = Journal::open(db, learner, solve_id, now)? {
            place_all(db, learner, &mut journal, &placed, today)?;
        }
    }
    let last = overdue.last().map(|(id, _, due_on)| (*due_on, *id));
    if i64::try_from(overdue.len()).is_ok_and(|found| found < BATCH) {
        pauses::spread(db, pause_id, now)?;
        return Ok(None);
    }
    Ok(last)
}

/// Places what of a solve is still overdue.
fn place_all(
    db: &mut Db,
    learner: &Learner,
    journal: &mut Journal,
    placed: &HashMap<i64, NaiveDate>,
    today: NaiveDate,
) -> QueryResult<()> {
    let overdue: Vec<(Kind, NaiveDate)> = journal
        .kinds()
        .into_iter()
        .filter_map(|kind| {
            let current = journal.current(kind)?;
            let is_overdue = current.state == State::Pending && current.due_on < today;
            let day = placed.get(&current.id).filter(|_| is_overdue)?;
            Some((kind, *day))
        })
        .collect();
    for (kind, day) in &overdue {
        let detail = Detail { due_on: Some(*day), ..Detail::default() };
        journal.note(db, learner, *kind, Note::PauseSpread, detail)?;
    }
    if overdue.is_empty() { Ok(()) } else { journal.settle_all(db) }
}
