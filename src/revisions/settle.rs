//! Writing what a log means: what is stored of its schedules, where it differs.
//!
//! Revisions keep their places: the first that lives is the first step, and so on. An accepted
//! submission completes what the log says now, so that it may begin to count, or cease to, and the
//! ledger of XP follows it.

use super::guards;
use super::journal::{Journal, award, new_revision};
use super::log::Kind;
use super::model::{Cause, Derived, RevisionRow, State};
use super::schedule::{Memory, Schedule, Step, StepState};
use super::store;
use crate::db::Db;
use crate::xp;
use diesel::QueryResult;
use diesel::result::Error;

impl Journal {
    /// Derives a schedule from the log and writes what differs from what is stored.
    ///
    /// # Errors
    /// When the database fails.
    pub fn settle(&mut self, db: &mut Db, kind: Kind) -> QueryResult<Schedule> {
        let schedule = self.log(kind)?.derive();
        self.release(db, kind, &schedule)?;
        let live: Vec<usize> = self
            .revisions
            .iter()
            .enumerate()
            .filter(|(_, revision)| revision.kind == kind && revision.state.is_live())
            .map(|(place, _)| place)
            .collect();
        let mut places = live.into_iter();
        for step in schedule.steps() {
            let derived = derived(step);
            let row = match places.next() {
                None => self.append(db, kind, derived)?,
                Some(place) => self.rewrite(db, place, &derived)?,
            };
            if let StepState::Completed { review_id, .. } = step.state {
                self.tie(db, review_id, row)?;
            }
        }
        for place in places {
            if let Some(revision) = self.revisions.get_mut(place) {
                let moved = guards::move_revision(
                    db,
                    revision.id,
                    revision.state,
                    State::Withdrawn,
                    self.now,
                )?;
                *revision = moved.ok_or(Error::NotFound)?;
            }
        }
        Ok(schedule)
    }

    fn append(&mut self, db: &mut Db, kind: Kind, derived: Derived) -> QueryResult<i64> {
        let last = self
            .revisions
            .iter()
            .filter(|revision| revision.kind == kind)
            .map(|revision| revision.revision_number)
            .max();
        let new = new_revision(&self.start, kind, last.unwrap_or(0) + 1, derived, self.now);
        // Nobody else can have taken the number while this one holds the lock.
        let row = guards::schedule_revision(db, &new)?.ok_or(Error::NotFound)?;
        let id = row.id;
        self.revisions.push(row);
        Ok(id)
    }

    fn rewrite(&mut self, db: &mut Db, place: usize, derived: &Derived) -> QueryResult<i64> {
        let now = self.now;
        let revision = self.revisions.get_mut(place).ok_or(Error::NotFound)?;
        if !agrees(revision, derived) {
            *revision = store::rewrite(db, revision.id, derived, now)?;
        }
        Ok(revision.id)
    }

    /// Lets go of what the accepted submissions that complete nothing any more had completed, before
    /// others of their days take their places.
    fn release(&mut self, db: &mut Db, kind: Kind, schedule: &Schedule) -> QueryResult<()> {
        let (user_id, now) = (self.start.user_id, self.now);
        for review in self.reviews.iter_mut().filter(|review| {
            review.kind == kind && review.cause == Cause::Solved && review.counts()
        }) {
            let completes = schedule.closed.iter().any(|step| {
                matches!(step.state, StepState::Completed { review_id, .. } if review_id == review.id)
            });
            if !completes {
                store::move_nothing(db, review.id, now)?;
                review.moves_schedule = false;
                review.revision_id = None;
                self.xp += xp::follow(db, &award(user_id, review), false, now)?;
            }
        }
        Ok(())
    }

    /// Ties a review to the revision that it completes; that of an accepted submission counts from
    /// now on.
    fn tie(&mut self, db: &mut Db, review_id: i64, revision_id: i64) -> QueryResult<()> {
        let (user_id, now) = (self.start.user_id, self.now);
        let Some(review) = self.reviews.iter_mut().find(|review| review.id == review_id) else {
            return Ok(());
        };
        let begins = !review.moves_schedule;
        if begins || review.revision_id != Some(revision_id) {
            store::tie(db, review.id, revision_id, now)?;
            review.revision_id = Some(revision_id);
            review.moves_schedule = true;
        }
        if begins {
            let award = award(user_id, review);
            self.xp += if self.recorded.contains(&review_id) {
                xp::award(db, &award, now)?
            } else {
                xp::follow(db, &award, true, now)?
            };
        }
        Ok(())
    }

    /// Settles every schedule of the solve, and marks it where it is a leech.
    ///
    /// # Errors
    /// When the database fails.
    pub fn settle_all(&mut self, db: &mut Db) -> QueryResult<()> {
        let (mut lapses, mut leech) = (0, false);
        for kind in self.kinds() {
            let schedule = self.settle(db, kind)?;
            lapses = lapses.max(schedule.lapses);
            leech |= schedule.is_leech();
        }
        let counted = i32::try_from(lapses).unwrap_or(i32::MAX);
        if counted != self.start.lapses {
            store::mark(db, self.start.id, counted, leech)?;
            self.start.lapses = counted;
        }
        Ok(())
    }
}

pub(super) fn derived(step: &Step) -> Derived {
    let (state, rating, completed_on) = match step.state {
        StepState::Pending => (State::Pending, None, None),
        StepState::Suspended => (State::Suspended, None, None),
        StepState::Completed { rating, day, .. } => (State::Completed, Some(rating), Some(day)),
        StepState::Skipped { day, .. } => (State::Skipped, None, Some(day)),
    };
    let (ladder_step, stability, difficulty) = match step.memory {
        Memory::Ladder { step } => (Some(i32::try_from(step).unwrap_or(i32::MAX)), None, None),
        Memory::Adaptive { stability, difficulty } => {
            (None, Some(f64::from(stability)), Some(f64::from(difficulty)))
        }
    };
    Derived {
        state,
        scheduled_on: step.scheduled_on,
        due_on: step.due_on,
        interval_days: i32::try_from(step.interval_days).unwrap_or(i32::MAX),
        ladder_step,
        stability,
        difficulty,
        settings_id: step.settings_id,
        rating,
        completed_on,
    }
}

fn agrees(row: &RevisionRow, derived: &Derived) -> bool {
    *derived
        == Derived {
            state: row.state,
            scheduled_on: row.scheduled_on,
            due_on: row.due_on,
            interval_days: row.interval_days,
            ladder_step: row.ladder_step,
            stability: row.stability,
            difficulty: row.difficulty,
            settings_id: row.settings_id,
            rating: row.rating,
            completed_on: row.completed_on,
        }
}
