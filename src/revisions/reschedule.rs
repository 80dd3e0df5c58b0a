//! Planning everything that is pending again, under the settings in force.
//!
//! A change of settings counts from the next review on. Whoever wants it at once asks for it, and
//! may look at what would change first. It works through the solves a few at a time, each solve
//! whole; a call that ends halfway can be made again.

use super::journal::{Detail, Journal};
use super::log::Kind;
use super::model::{Note, State};
use super::{Learner, store};
use crate::days::days_later;
use crate::db::Db;
use crate::db::instant::At;
use chrono::NaiveDate;
use diesel::QueryResult;
use serde::Serialize;
use utoipa::ToSchema;

/// Solves that one transaction works through.
pub const BATCH: i64 = 50;

/// A date that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Change {
    /// The revision.
    pub revision_id: i64,
    /// Its solve.
    pub solve_id: i64,
    /// Which schedule.
    pub kind: Kind,
    /// When it is due as it is.
    pub due_on: NaiveDate,
    /// When it would be due.
    pub new_due_on: NaiveDate,
    /// The interval as it would be planned, in days.
    pub interval_days: u32,
}

/// What was done with some solves.
#[derive(Clone, Debug, Default)]
pub struct Pass {
    /// The dates that change.
    pub changes: Vec<Change>,
    /// The last solve that was looked at; none when there are no more.
    pub last: Option<i64>,
    /// How many solves were looked at.
    pub solves: usize,
}

/// Works through the solves after `after`. With `preview` nothing is written. What would be overdue
/// is spread over the next `spread_days` days.
///
/// # Errors
/// When the database fails.
pub fn pass(
    db: &mut Db,
    learner: &Learner,
    after: i64,
    preview: bool,
    spread_days: u32,
    now: At,
) -> QueryResult<Pass> {
    let mut pass = Pass::default();
    for solve_id in store::solves_with_pending(db, learner.user_id, after, BATCH)? {
        pass.last = Some(solve_id);
        pass.solves += 1;
        let journal = if preview {
            Journal::read(db, learner, solve_id, now)?
        } else {
            Journal::open(db, learner, solve_id, now)?
        };
        // A solve that is gone by now has nothing to plan.
        if let Some(mut journal) = journal {
            let changes = plan(&journal, learner, spread_days, now)?;
            if !preview {
                for change in &changes {
                    let detail = Detail { due_on: Some(change.new_due_on), ..Detail::default() };
                    journal.note(db, learner, change.kind, Note::Rescheduled, detail)?;
                }
                journal.settle_all(db)?;
            }
            pass.changes.extend(changes);
        }
    }
    Ok(pass)
}

fn plan(
    journal: &Journal,
    learner: &Learner,
    spread_days: u32,
    now: At,
) -> QueryResult<Vec<Change>> {
    let today = learner.days.local_day(*now);
    let mut changes = Vec::new();
    for kind in journal.kinds() {
        let Some(current) = journal.current(kind).filter(|row| row.state == State::Pending) else {
            continue;
        };
        let planned = journal.log(kind)?.reschedule(&learner.settings);
        let new_due_on = if planned.due_on < today && spread_days > 0 {
            days_later(today, journal.start.id.rem_euclid(i64::from(spread_days)))
        } else {
            planned.due_on
        };
        if new_due_on != current.due_on || learner.settings.id() != current.settings_id {
            changes.push(Change {
                revision_id: current.id,
                solve_id: current.solve_id,
                kind,
                due_on: current.due_on,
                new_due_on,
                interval_days: planned.interval_days,
            });
        }
    }
    Ok(changes)
}
