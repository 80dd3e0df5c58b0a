//! One user on a database of their own, and what they can do to it.

use super::command::Command;
use crate::harness::rows::User;
use crate::harness::{Backend, Database, invariants};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::ops::ControlFlow;
use traverse::clock::Clock;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::db::tx::{Stopped, Work, write};
use traverse::preferences::{self, Changed};
use traverse::revisions::actions::{self, Postponement};
use traverse::revisions::complete;
use traverse::revisions::model::{ReviewRow, RevisionRow, State};
use traverse::revisions::rating::Rating;
use traverse::revisions::{Learner, Refusal, reschedule, solved};
use traverse::rings::revised;
use traverse::schema::{reviews, revisions, solves, submissions, xp_entries};
use traverse::solves::model::Solve;
use traverse::submissions::content::{Order, SubmissionBody};
use traverse::submissions::triage::{Triage, triage};
use traverse::submissions::{self as front_door, Taken, Task};
use traverse::xp::{self, model::Reason};

/// A user, and what they have asked for.
pub struct World {
    pub db: Db,
    user_id: i64,
    clock: Clock,
    requests: Vec<(Option<String>, Value)>,
}

impl World {
    /// A world from which all before it was deleted.
    pub fn new(database: &Database) -> Self {
        let mut db = database.connect();
        if database.backend == Backend::Sqlite {
            // Nothing here survives the test anyway.
            db.batch_execute("pragma synchronous = off").unwrap();
        }
        db.batch_execute("delete from users; delete from problems").unwrap();
        let user_id = User::add(&mut db, "ada").id;
        let start: DateTime<Utc> = "2026-09-01T12:00:00Z".parse().unwrap();
        let clock = Clock::standing_at(start);
        Self { db, user_id, clock, requests: Vec::new() }
    }

    fn now(&self) -> At {
        self.clock.now()
    }

    fn learner(&mut self) -> Learner {
        invariants::learners(&mut self.db).remove(&self.user_id).unwrap()
    }

    fn at(&self, hours: i64) -> At {
        // One microsecond for each request, so that no two are of one instant by chance alone.
        let distinct = TimeDelta::microseconds(i64::try_from(self.requests.len()).unwrap());
        At::from(*self.now() + TimeDelta::hours(hours) - distinct)
    }

    /// Reports an accepted submission of one problem, so many minutes before now, under a key of its
    /// own.
    pub fn solve(&mut self, minutes: i64, rating: Option<Rating>) {
        let at = At::from(*self.now() - TimeDelta::minutes(minutes));
        let mut body = json!({
            "problem": {"platform": "codeforces", "slug": "4/A"},
            "verdict": "accepted", "happened_at": at,
        });
        if let Some(rating) = rating {
            body["rating"] = json!(rating);
        }
        self.requests.push((Some(format!("minutes-{minutes}")), body));
        self.request(self.requests.len() - 1);
    }

    /// All that follows from what was solved, and not from when it was told: the first solve, the
    /// schedule as it is now, the reviews that move it, and XP.
    pub fn derived(&mut self) -> Value {
        let reviews: Vec<ReviewRow> = reviews::table
            .filter(reviews::moves_schedule)
            .filter(reviews::undone_at.is_null())
            .order((reviews::kind, reviews::happened_at))
            .load(&mut self.db)
            .unwrap();
        let reviews: Vec<Value> = reviews
            .iter()
            .map(|row| json!([row.kind, row.happened_at, row.local_day, row.rating]))
            .collect();
        let rows: Vec<RevisionRow> = revisions::table
            .order((revisions::kind, revisions::revision_number))
            .load(&mut self.db)
            .unwrap();
        let live = rows.iter().filter(|row| row.state.is_live());
        let revisions: Vec<Value> = live
            .map(|row| {
                json!([
                    row.kind,
                    row.state,
                    row.scheduled_on,
                    row.due_on,
                    row.interval_days,
                    row.ladder_step,
                    row.stability,
                    row.difficulty,
                    row.rating,
                    row.completed_on,
                ])
            })
            .collect();
        let solves: Vec<(Option<At>, NaiveDate, Rating, i32)> = solves::table
            .select((solves::first_solved_at, solves::first_day, solves::rating, solves::lapses))
            .load(&mut self.db)
            .unwrap();
        let days: Vec<(NaiveDate, Option<i64>)> = xp_entries::table
            .filter(xp_entries::reason.ne_all([Reason::FirstSolve, Reason::RingClosed]))
            .group_by(xp_entries::local_day)
            .select((xp_entries::local_day, diesel::dsl::sum(xp_entries::amount)))
            .order(xp_entries::local_day)
            .load(&mut self.db)
            .unwrap();
        let days: Vec<_> = days.into_iter().filter(|(_, sum)| *sum != Some(0)).collect();
        json!({
            "solves": solves, "revisions": revisions, "reviews": reviews,
            "xp": self.total(), "days": days,
        })
    }

    /// Does it, and checks what belongs to it alone.
    #[expect(clippy::too_many_lines, reason = "one arm for each command")]
    pub fn run(&mut self, command: &Command) {
        match *command {
            Command::Submit { problem, hours, verdict, rating, number } => {
                let at = self.at(hours);
                let mut body = json!({
                    "problem": {"platform": "codeforces", "slug": format!("{}/A", problem + 1)},
                    "verdict": verdict, "happened_at": at,
                });
                if let Some(rating) = rating {
                    body["rating"] = json!(rating);
                }
                if let Some(number) = number {
                    body["external_id"] = json!(number.to_string());
                }
                let key = (number.is_none() || number == Some(0))
                    .then(|| format!("k{}", self.requests.len()));
                self.requests.push((key, body));
                self.request(self.requests.len() - 1);
            }
            Command::Retry { which } => {
                if let Some(which) = choice(self.requests.len(), which) {
                    self.request(which);
                    let before = self.picture();
                    let taken = self.request(which);
                    assert!(!matches!(taken, Taken::In(_) | Taken::Advanced(_)), "{taken:?}");
                    assert_eq!(before, self.picture(), "a retry changed something");
                }
            }
            Command::Complete { which, rating, hours } => {
                let at = hours.map(|hours| self.at(hours));
                if let Some(revision) = self.any_revision(which) {
                    self.complete(revision.id, rating, at);
                }
            }
            Command::CompleteAndUndo { which, rating } => self.complete_and_undo(which, rating),
            Command::Undo { which } => {
                if let Some(revision) = self.any_revision(which) {
                    let done =
                        self.write(|db, learner, now| revised::undo(db, learner, revision.id, now));
                    if let Some(done) = done {
                        let again = self
                            .write(|db, learner, now| revised::undo(db, learner, revision.id, now));
                        let again = again.unwrap();
                        assert_eq!((again.review, again.next), (done.review, done.next));
                    }
                }
            }
            Command::Postpone { which, days } => self.postpone(which, days),
            Command::Skip { which } => {
                if let Some(revision) = self.any_revision(which) {
                    let skip = |db: &mut Db, learner: &Learner, now| {
                        actions::skip(db, learner, revision.id, now)
                    };
                    if let Some(done) = self.write(skip) {
                        assert_eq!(self.write(skip), Some(done), "a second skip changed something");
                    }
                }
            }
            Command::Suspend { which } => self.suspend(which, true),
            Command::Resume { which } => self.suspend(which, false),
            Command::Reset { which } => {
                if let Some(solve) = self.any_solve(which) {
                    let reset = |db: &mut Db, learner: &Learner, now| {
                        actions::reset(db, learner, solve, now)
                    };
                    let done = self.write(reset);
                    assert_eq!(self.write(reset), done, "a second reset changed something");
                }
            }
            Command::StartAdaptive { which } => {
                if let Some(solve) = self.any_solve(which) {
                    let start = |db: &mut Db, learner: &Learner, now| -> Work<_, Refusal> {
                        Ok(solved::start_adaptive(db, learner, solve, now)?)
                    };
                    let (revision, _) = self.write(start).unwrap().unwrap();
                    let (again, is_new) = self.write(start).unwrap().unwrap();
                    assert_eq!((again, is_new), (revision, false));
                }
            }
            Command::Correct { which, rating } => {
                let mut reviews: Vec<ReviewRow> =
                    reviews::table.order(reviews::id).load(&mut self.db).unwrap();
                reviews.retain(|review| !review.is_idle());
                let ids: Vec<i64> = reviews.iter().map(|review| review.id).collect();
                if let Some(place) = choice(ids.len(), which) {
                    self.write(|db, learner, now| {
                        complete::correct(db, learner, ids[place], rating, now)
                    });
                }
            }
            Command::Triage { which, rating } => self.triage(which, rating),
            Command::DeleteSubmission { which } => {
                if let Some(id) = self.any_submission(which) {
                    self.write(|db, learner, now| -> Work<_, Refusal> {
                        Ok(front_door::delete(db, learner.user_id, id, now)?)
                    });
                }
            }
            Command::DeleteSolve { which } => {
                if let Some(solve) = self.any_solve(which) {
                    self.write(|db, learner, now| {
                        traverse::solves::delete(db, learner, solve, now)
                    });
                }
            }
            Command::Prefer(ref patch) => {
                let patch: preferences::change::Patch =
                    serde_json::from_value(patch.clone()).unwrap();
                let changed = self.write(|db, learner, now| -> Work<_, Refusal> {
                    preferences::change(db, learner.user_id, patch.clone(), now).map_err(
                        |stopped: Stopped<std::convert::Infallible>| match stopped {
                            Stopped::Because(never) => match never {},
                            Stopped::Database(error) => Stopped::Database(error),
                            Stopped::Pool(error) => Stopped::Pool(error),
                        },
                    )
                });
                assert!(matches!(changed, Some(Changed::To(_))), "{changed:?}");
            }
            Command::Reschedule { spread_days } => self.reschedule(spread_days),
            Command::Advance { hours } => self.clock.advance(TimeDelta::hours(hours)),
        }
    }

    /// Runs a verb in a transaction of its own; a refusal is no fault, an error is.
    fn write<T, Reason: Debug>(
        &mut self,
        mut verb: impl FnMut(&mut Db, &Learner, At) -> Work<T, Reason>,
    ) -> Option<T> {
        let (learner, now) = (self.learner(), self.now());
        match write(&mut self.db, |db| verb(db, &learner, now)) {
            Ok(done) => Some(done),
            Err(Stopped::Because(_)) => None,
            Err(error) => panic!("{error:?}"),
        }
    }

    fn order(&self, which: usize) -> Order {
        let (key, body) = &self.requests[which];
        let body: SubmissionBody = serde_json::from_value(body.clone()).unwrap();
        body.read(key.clone(), self.now()).unwrap()
    }

    /// What `POST /submissions` does.
    fn request(&mut self, which: usize) -> Taken {
        let order = self.order(which);
        let taken = match self.recognise(&order) {
            ControlFlow::Break(taken) => return taken,
            ControlFlow::Continue(task) => self
                .write(|db, learner, now| front_door::carry_out(db, learner, &task, &order, now)),
        };
        let taken = taken.expect("nobody else is here to be faster");
        let (Taken::In(received) | Taken::Advanced(received) | Taken::Replayed(received)) = &taken
        else {
            panic!("{taken:?}")
        };
        let ControlFlow::Break(Taken::Replayed(again)) = self.recognise(&order) else {
            panic!("it is not recognised")
        };
        assert_eq!(json!(again.effects), json!(received.effects));
        assert_eq!(again.solve.map(Solve::from), received.solve.clone().map(Solve::from));
        taken
    }

    fn recognise(&mut self, order: &Order) -> ControlFlow<Taken, Task> {
        front_door::recognise(&mut self.db, self.user_id, order).unwrap()
    }

    fn complete(&mut self, id: i64, rating: Rating, at: Option<At>) -> Option<complete::Completed> {
        let mut once =
            || self.write(|db, learner, now| revised::complete(db, learner, id, rating, at, now));
        let done = once()?;
        let again = once().map(|again| complete::Completed { is_new: done.is_new, ..again });
        assert_eq!(again.as_ref(), Some(&done), "a second call was answered otherwise");
        assert_eq!(done.revision.id, id, "another revision was completed");
        assert_eq!(done.revision.state, State::Completed);
        Some(done)
    }

    /// The state that an undo must bring back: all but numbers and times of writing.
    fn restorable(&mut self) -> Value {
        let rows: Vec<RevisionRow> = revisions::table
            .order((revisions::solve_id, revisions::kind, revisions::revision_number))
            .load(&mut self.db)
            .unwrap();
        let live: Vec<Value> = rows
            .into_iter()
            .filter(|row| row.state.is_live())
            .map(|row| {
                let settings = row.settings_id;
                let mut shown = json!(row);
                shown["settings"] = json!(settings);
                for changing in ["id", "revision_number", "created_at", "updated_at"] {
                    shown.as_object_mut().unwrap().remove(changing);
                }
                shown
            })
            .collect();
        let marks: Vec<(i64, i32, bool, bool)> = solves::table
            .order(solves::id)
            .select((solves::id, solves::lapses, solves::leech, solves::suspended))
            .load(&mut self.db)
            .unwrap();
        json!({"revisions": live, "solves": marks, "xp": self.total()})
    }

    fn complete_and_undo(&mut self, which: usize, rating: Rating) {
        let Some(revision) = self.any_revision(which) else { return };
        if revision.state != State::Pending {
            return;
        }
        let before = self.restorable();
        if let Some(done) = self.complete(revision.id, rating, None) {
            let undone =
                self.write(|db, learner, now| revised::undo(db, learner, revision.id, now));
            if undone.is_none() {
                // A submission of a clock that is ahead has completed the next one meanwhile.
                assert_eq!(done.next.state, State::Completed);
                return;
            }
            let undone = undone.unwrap();
            assert_eq!(undone.xp_awarded, -xp::REVIEW);
            assert!(undone.next.revision_number > revision.revision_number);
            assert_eq!(before, self.restorable(), "an undo left something");
        }
    }

    fn postpone(&mut self, which: usize, days: i64) {
        let Some(revision) = self.any_revision(which) else { return };
        let to = Postponement::Days { days, from: Some(revision.due_on) };
        let postpone = |db: &mut Db, learner: &Learner, now| {
            actions::postpone(db, learner, revision.id, to, now)
        };
        if let Some(done) = self.write(postpone) {
            assert_eq!(self.write(postpone).as_ref(), Some(&done), "it went further");
            let until = Postponement::Until(done.due_on);
            let again =
                self.write(|db, learner, now| actions::postpone(db, learner, done.id, until, now));
            assert_eq!(again, Some(done), "it was there");
        }
    }

    fn suspend(&mut self, which: usize, suspended: bool) {
        if let Some(solve) = self.any_solve(which) {
            let verb = |db: &mut Db, learner: &Learner, now| {
                actions::suspend(db, learner, solve, suspended, now)
            };
            let done = self.write(verb).unwrap();
            assert_eq!(self.write(verb), Some(done), "the same again changed something");
        }
    }

    fn triage(&mut self, which: usize, rating: Option<Rating>) {
        let Some(id) = self.any_submission(which) else { return };
        let said = Triage { rating, notes: None, dismiss: rating.is_none() };
        let mut once = || {
            self.write(|db, learner, now| triage(db, learner, id, &said, now)).map(|row| row.rating)
        };
        if let Some(first) = once() {
            assert_eq!(once(), Some(first), "the same triage was answered otherwise");
        }
    }

    fn reschedule(&mut self, spread_days: u32) {
        let pass = |preview| {
            move |db: &mut Db, learner: &Learner, now| -> Work<_, Refusal> {
                Ok(reschedule::pass(db, learner, 0, preview, spread_days, now)?.changes)
            }
        };
        let preview = self.write(pass(true));
        assert_eq!(self.write(pass(false)), preview, "the preview promised something else");
    }

    /// All that a user can see of it.
    fn picture(&mut self) -> (Vec<RevisionRow>, i64, i64) {
        let revisions = revisions::table.order(revisions::id).load(&mut self.db).unwrap();
        let count = submissions::table.count().get_result(&mut self.db).unwrap();
        (revisions, count, self.total())
    }

    /// XP in all, but for closed rings: those depend on what was known when.
    fn total(&mut self) -> i64 {
        let of_rings: Option<i64> = xp_entries::table
            .filter(xp_entries::reason.eq(Reason::RingClosed))
            .select(diesel::dsl::sum(xp_entries::amount))
            .first(&mut self.db)
            .unwrap();
        xp::total(&mut self.db, self.user_id).unwrap() - of_rings.unwrap_or(0)
    }

    /// A pending revision four times of five, else any.
    fn any_revision(&mut self, which: usize) -> Option<RevisionRow> {
        let mut rows: Vec<RevisionRow> =
            revisions::table.order(revisions::id).load(&mut self.db).unwrap();
        if !which.is_multiple_of(5) {
            rows.retain(|row| row.state == State::Pending);
        }
        let place = choice(rows.len(), which / 5)?;
        Some(rows.swap_remove(place))
    }

    fn any_solve(&mut self, which: usize) -> Option<i64> {
        let ids: Vec<i64> =
            solves::table.select(solves::id).order(solves::id).load(&mut self.db).unwrap();
        choice(ids.len(), which).map(|place| ids[place])
    }

    fn any_submission(&mut self, which: usize) -> Option<i64> {
        let ids: Vec<i64> = submissions::table
            .select(submissions::id)
            .order(submissions::id)
            .load(&mut self.db)
            .unwrap();
        choice(ids.len(), which).map(|place| ids[place])
    }
}

fn choice(of: usize, which: usize) -> Option<usize> {
    (of > 0).then(|| which % of)
}
