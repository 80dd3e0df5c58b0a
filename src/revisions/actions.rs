//! What a user does to a schedule beside reviewing: postpone, skip, suspend, resume, reset.

use super::complete::{find, open};
use super::journal::{Detail, Journal};
use super::model::{Note, RevisionRow, State};
use super::{Learner, Refusal, guards, store};
use crate::days::days_later;
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use chrono::NaiveDate;
use diesel::result::Error;

/// Where a revision is postponed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Postponement {
    /// So many days after its date; after today, where that is past.
    Days {
        /// How many.
        days: i64,
        /// The date that it had when the user looked, so that the same again is known for that.
        from: Option<NaiveDate>,
    },
    /// To this date.
    Until(NaiveDate),
}

/// Puts a pending revision off.
///
/// # Errors
/// [`Refusal`]; then nothing is changed.
pub fn postpone(
    db: &mut Db,
    learner: &Learner,
    id: i64,
    to: Postponement,
    now: At,
) -> Work<RevisionRow, Refusal> {
    let mut journal = open(db, learner, id, now)?;
    let revision = find(&journal, id)?;
    if revision.state != State::Pending {
        return Err(Stopped::Because(Refusal::State(revision.state)));
    }
    let today = learner.days.local_day(*now);
    let due_on = match to {
        Postponement::Until(day) => day,
        Postponement::Days { days, from } => {
            if let Some(from) = from.filter(|from| *from != revision.due_on) {
                let done = journal.postponements(revision.kind)?;
                if done.iter().any(|(on, due_on)| days_later(from.max(*on), days) == *due_on) {
                    return Ok(revision);
                }
                return Err(Stopped::Because(Refusal::Moved(revision.due_on)));
            }
            days_later(revision.due_on.max(today), days)
        }
    };
    if due_on < revision.due_on {
        let detail = format!("{due_on} is before {}, when it is due", revision.due_on);
        return Err(Stopped::Because(Refusal::Invalid("/due_on", detail)));
    }
    if due_on > days_later(today, 36_500) {
        let detail = "more than 36500 days from now".to_owned();
        return Err(Stopped::Because(Refusal::Invalid("/due_on", detail)));
    }
    if due_on != revision.due_on {
        let detail = Detail { due_on: Some(due_on), ..Detail::default() };
        journal.note(db, learner, revision.kind, Note::Postponed, detail)?;
        journal.settle_all(db)?;
    }
    find(&journal, id)
}

/// Leaves a pending revision out: returns it, and the one that is to come. The same again changes
/// nothing.
///
/// # Errors
/// [`Refusal`]; then nothing is changed.
pub fn skip(
    db: &mut Db,
    learner: &Learner,
    id: i64,
    now: At,
) -> Work<(RevisionRow, RevisionRow), Refusal> {
    let mut journal = open(db, learner, id, now)?;
    let revision = find(&journal, id)?;
    match guards::move_revision(db, id, State::Pending, State::Skipped, now)? {
        Some(skipped) => {
            if let Some(place) = journal.revisions.iter_mut().find(|other| other.id == id) {
                *place = skipped;
            }
            journal.note(db, learner, revision.kind, Note::Skipped, Detail::default())?;
            journal.settle_all(db)?;
        }
        None if revision.state == State::Skipped => {}
        None => return Err(Stopped::Because(Refusal::State(revision.state))),
    }
    let next = journal
        .live(revision.kind)
        .find(|other| other.revision_number > revision.revision_number)
        .cloned()
        .ok_or(Error::NotFound)?;
    Ok((find(&journal, id)?, next))
}

/// Lets nothing of a solve fall due, or everything again. The same again changes nothing.
///
/// # Errors
/// [`Refusal`]; then nothing is changed.
pub fn suspend(
    db: &mut Db,
    learner: &Learner,
    solve_id: i64,
    suspended: bool,
    now: At,
) -> Work<Vec<RevisionRow>, Refusal> {
    let mut journal = of_solve(db, learner, solve_id, now)?;
    if journal.start.suspended != suspended {
        store::suspend(db, solve_id, suspended)?;
        journal.start.suspended = suspended;
        let note = if suspended { Note::Suspended } else { Note::Resumed };
        for kind in journal.kinds() {
            journal.note(db, learner, kind, note, Detail::default())?;
        }
        journal.settle_all(db)?;
    }
    Ok(to_come(&journal))
}

/// Forgets the memory of a problem, as if it had been solved for the first time today. The same
/// again on that day changes nothing, unless something was done since.
///
/// # Errors
/// [`Refusal`]; then nothing is changed.
pub fn reset(
    db: &mut Db,
    learner: &Learner,
    solve_id: i64,
    now: At,
) -> Work<Vec<RevisionRow>, Refusal> {
    let mut journal = of_solve(db, learner, solve_id, now)?;
    let today = learner.days.local_day(*journal.instant());
    for kind in journal.kinds() {
        let Some(current) = journal.current(kind).cloned() else {
            continue;
        };
        let is_done = journal.last_entry(kind).is_some_and(|last| {
            last.event == Note::Reset
                && last.local_day == today
                && last.settings_id == learner.settings.id()
        });
        if is_done {
            continue;
        }
        let moved = guards::move_revision(db, current.id, current.state, State::Withdrawn, now)?;
        let moved = moved.ok_or(Error::NotFound)?;
        if let Some(place) = journal.revisions.iter_mut().find(|other| other.id == moved.id) {
            *place = moved;
        }
        journal.note(db, learner, kind, Note::Reset, Detail::default())?;
    }
    journal.settle_all(db)?;
    Ok(to_come(&journal))
}

fn of_solve(db: &mut Db, learner: &Learner, solve_id: i64, now: At) -> Work<Journal, Refusal> {
    Journal::open(db, learner, solve_id, now)?.ok_or(Stopped::Because(Refusal::NotFound))
}

fn to_come(journal: &Journal) -> Vec<RevisionRow> {
    journal.kinds().into_iter().filter_map(|kind| journal.current(kind).cloned()).collect()
}
