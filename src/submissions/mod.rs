//! The front door: one submission, all that it causes, in one transaction.
//!
//! A request is recognised by its key, or by the judge and its number, never by time or likeness. A
//! key that comes with a known number becomes a further key of that submission: whatever submission a
//! key was answered with, it never means another one. Where that number's submission is deleted, the
//! key is answered 410 and named nothing; it may still come with something else.
//! The row of the submission is written last and is the claim: whoever loses it has done nothing,
//! since its transaction is rolled back, and then answers with what the winner did.

pub mod content;
pub mod guards;
pub mod imported;
pub mod limits;
pub mod model;
pub mod routes;
pub mod store;
pub mod triage;

pub use store::Filter;

use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::problems;
use crate::problems::identity::Platform;
use crate::problems::model::ProblemRow;
use crate::revisions::solved::{Again, Solved};
use crate::revisions::{self, Learner};
use crate::rings::{self, Deed};
use crate::solves::model::{SolveAndProblem, SolveRow};
use crate::solves::{self, Recorded, Said};
use chrono::NaiveDate;
use content::Order;
use diesel::QueryResult;
use diesel::result::Error;
use model::{Advance, Effects, NewKey, NewSubmission, SubmissionRow, Verdict};
use std::ops::ControlFlow;
use store::Likeness;

/// A submission with all that its receipt shows.
#[derive(Clone, Debug)]
pub struct Received {
    /// The submission as it is now.
    pub submission: SubmissionRow,
    /// What it was for.
    pub problem: ProblemRow,
    /// The solve as it is now.
    pub solve: Option<SolveAndProblem>,
    /// What it caused.
    pub effects: Effects,
}

/// What is known of a request before anything is done.
#[derive(Clone, Debug)]
pub enum Known {
    /// Nothing: it is new.
    New,
    /// Its submission is here.
    Replayed(Box<Received>),
    /// Its submission is here by the judge's number, and does not know its key.
    Unnamed(Box<SubmissionRow>),
    /// Its submission is here, without the verdict that it brings.
    Pending(Box<SubmissionRow>),
    /// Its key was used for something else.
    KeyReused,
    /// Its submission was deleted.
    Deleted,
}

/// What became of a request.
#[derive(Clone, Debug)]
pub enum Taken {
    /// It was new, and is taken in.
    In(Box<Received>),
    /// It brought the verdict of a pending submission.
    Advanced(Box<Received>),
    /// Its submission was here.
    Replayed(Box<Received>),
    /// Its key was used for something else.
    KeyReused,
    /// Its submission was deleted.
    Deleted,
}

/// What a request that is not answered yet has to do.
#[derive(Clone, Debug)]
pub enum Task {
    /// Be taken in, for this problem, where it is known.
    Accept(Option<Box<ProblemRow>>),
    /// Give this submission its key.
    Name(Box<SubmissionRow>),
    /// Give this submission its verdict, and its key.
    Advance(Box<SubmissionRow>),
}

/// Looks a request up. One that was answered before is answered so again; else it tells what is to
/// be done. Only reads.
///
/// # Errors
/// When the database fails.
pub fn recognise(
    db: &mut Db,
    user_id: i64,
    order: &Order,
) -> QueryResult<ControlFlow<Taken, Task>> {
    let (known, problem) = lookup_with_problem(db, user_id, order)?;
    Ok(match known {
        Known::New => ControlFlow::Continue(Task::Accept(problem.map(Box::new))),
        Known::Unnamed(row) => ControlFlow::Continue(Task::Name(row)),
        Known::Pending(pending) => ControlFlow::Continue(Task::Advance(pending)),
        Known::Replayed(received) => ControlFlow::Break(Taken::Replayed(received)),
        Known::KeyReused => ControlFlow::Break(Taken::KeyReused),
        Known::Deleted => ControlFlow::Break(Taken::Deleted),
    })
}

/// As [`lookup`], with the problem of the request where the same statement could tell it.
fn lookup_with_problem(
    db: &mut Db,
    user_id: i64,
    order: &Order,
) -> QueryResult<(Known, Option<ProblemRow>)> {
    let identity = &order.problem.named.identity;
    if let Some(key) = &order.key
        && identity.platform != Platform::Custom
        && let Some((problem, row)) = store::by_key_with_problem(db, user_id, key, identity)?
    {
        let known = match row {
            Some(row) => of_key(db, user_id, row, order)?,
            None => by_number(db, user_id, order)?,
        };
        return Ok((known, Some(problem)));
    }
    Ok((lookup(db, user_id, order)?, None))
}

/// Does what [`recognise`] found is to be done.
///
/// # Errors
/// [`Lost`] when another call was faster; then nothing of this one is stored.
pub fn carry_out(
    db: &mut Db,
    learner: &Learner,
    task: &Task,
    order: &Order,
    now: At,
) -> Work<Taken, Lost> {
    Ok(match task {
        Task::Accept(None) => Taken::In(Box::new(accept(db, learner, order, now)?)),
        Task::Accept(Some(problem)) => {
            let problem = Some(problem.as_ref().clone());
            Taken::In(Box::new(take_in(db, learner, order, problem, now)?))
        }
        Task::Name(row) => Taken::Replayed(Box::new(name(db, learner.user_id, row, order, now)?)),
        Task::Advance(pending) => {
            Taken::Advanced(Box::new(advance(db, learner, pending, order, now)?))
        }
    })
}

/// Looks a request up, by its key first, then by its judge's number. Only reads.
///
/// # Errors
/// When the database fails.
pub fn lookup(db: &mut Db, user_id: i64, order: &Order) -> QueryResult<Known> {
    if let Some(key) = &order.key
        && let Some(row) = store::by_key(db, user_id, key)?
    {
        return of_key(db, user_id, row, order);
    }
    by_number(db, user_id, order)
}

/// What is known by the submission of the request's key.
fn of_key(db: &mut Db, user_id: i64, row: SubmissionRow, order: &Order) -> QueryResult<Known> {
    if row.fingerprint != order.fingerprint {
        return Ok(Known::KeyReused);
    }
    let named = match row.key_of {
        None => Some(row),
        Some(id) => store::get(db, user_id, id)?,
    };
    // It goes only with its user, and its further keys with it.
    named.map_or(Ok(Known::New), |row| found(db, user_id, row))
}

/// What is known by the judge's number alone.
fn by_number(db: &mut Db, user_id: i64, order: &Order) -> QueryResult<Known> {
    let Some(external_id) = &order.external_id else {
        return Ok(Known::New);
    };
    match store::by_number(db, user_id, order.problem.judge, external_id)? {
        None => Ok(Known::New),
        Some(row) if row.verdict == Some(Verdict::Pending) && order.verdict != Verdict::Pending => {
            Ok(Known::Pending(Box::new(row)))
        }
        Some(row) if order.key.is_some() && row.deleted_at.is_none() => {
            Ok(Known::Unnamed(Box::new(row)))
        }
        Some(row) => found(db, user_id, row),
    }
}

/// Gives a submission that was recognised by its judge's number the key of the request, so that
/// this key means nothing else from now on.
fn name(
    db: &mut Db,
    user_id: i64,
    row: &SubmissionRow,
    order: &Order,
    now: At,
) -> Work<Received, Lost> {
    remember_key(db, row, order, now)?;
    // As it is by now; it may have been deleted.
    match store::get(db, user_id, row.id)? {
        Some(row) if row.deleted_at.is_none() => {
            let effects = row.effects()?;
            receipt(db, user_id, row, effects)?.ok_or(Stopped::Because(Lost))
        }
        _ => Err(Stopped::Because(Lost)),
    }
}

/// Remembers the key of a request that was recognised by its judge's number, where it has one.
fn remember_key(db: &mut Db, row: &SubmissionRow, order: &Order, now: At) -> Work<(), Lost> {
    let Some(key) = &order.key else {
        return Ok(());
    };
    let key = NewKey {
        user_id: row.user_id,
        key_of: row.id,
        judge: &row.judge,
        idempotency_key: key,
        fingerprint: &order.fingerprint,
        received_at: now,
        updated_at: now,
        deleted_at: now,
    };
    if guards::remember_key(db, &key)? { Ok(()) } else { Err(Stopped::Because(Lost)) }
}

fn found(db: &mut Db, user_id: i64, row: SubmissionRow) -> QueryResult<Known> {
    if row.deleted_at.is_some() {
        return Ok(Known::Deleted);
    }
    let effects = row.effects()?;
    let received = receipt(db, user_id, row, effects)?;
    // Its problem goes only with its user, and then the submission is gone as well by now.
    Ok(received.map_or(Known::New, |received| Known::Replayed(Box::new(received))))
}

fn receipt(
    db: &mut Db,
    user_id: i64,
    submission: SubmissionRow,
    effects: Effects,
) -> QueryResult<Option<Received>> {
    let problem_id = submission.problem_id.ok_or(Error::NotFound)?;
    let Some(problem) = problems::get(db, user_id, problem_id)? else {
        return Ok(None);
    };
    let solve = match submission.solve_id {
        Some(id) => solves::find(db, user_id, id)?,
        None => None,
    };
    Ok(Some(Received { submission, problem, solve, effects }))
}

/// Another call with the same key or number was faster. Look the request up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost;

/// Takes in a submission that is new: finds or makes its problem, does what an accepted one does,
/// and records it.
///
/// # Errors
/// [`Lost`] when another call was faster; then nothing of this one is stored.
pub fn accept(db: &mut Db, learner: &Learner, order: &Order, now: At) -> Work<Received, Lost> {
    let problem = problems::find(db, learner.user_id, &order.problem.named)?;
    take_in(db, learner, order, problem, now)
}

/// As [`accept`], by a caller who has looked the problem up.
fn take_in(
    db: &mut Db,
    learner: &Learner,
    order: &Order,
    problem: Option<ProblemRow>,
    now: At,
) -> Work<Received, Lost> {
    let named = &order.problem.named;
    let found = problems::find_or_create_from(db, learner.user_id, named, problem, now)?;
    let problem = found.problem;
    let done = match order.verdict {
        Verdict::Accepted => solve(db, learner, &problem, order, order.happened_at, now)?,
        _ => Done::default(),
    };
    // The first accepted submission of a problem is like no other one.
    let possible_duplicate_of = if done.effects.first_solve {
        None
    } else {
        store::likely_duplicate(db, likeness(learner, &problem, order))?
    };
    let new = NewSubmission {
        user_id: learner.user_id,
        problem_id: Some(problem.id),
        solve_id: done.solve_id,
        judge: order.problem.judge,
        external_id: order.external_id.as_deref(),
        idempotency_key: order.key.as_deref(),
        fingerprint: &order.fingerprint,
        verdict: Some(order.verdict),
        language: order.language.as_deref(),
        runtime_ms: order.runtime_ms,
        memory_kb: order.memory_kb,
        happened_at: Some(order.happened_at),
        local_day: Some(learner.days.local_day(*order.happened_at)),
        time_precision: Some("exact"),
        rating: order.rating,
        attempts: order.attempts,
        minutes: order.minutes,
        hint_used: order.hint_used,
        solution_viewed: order.solution_viewed,
        source: order.source.as_deref(),
        notes: order.notes.as_deref(),
        possible_duplicate_of,
        effects: Some(stored(&done.effects)?),
        received_at: now,
        updated_at: now,
    };
    let submission = guards::record_submission(db, &new)?.ok_or(Stopped::Because(Lost))?;
    tie(db, &done, submission.id)?;
    // Behind the claim: whoever has lost that waits for no ring.
    let day = learner.days.local_day(*order.happened_at);
    rings::count(db, learner, day, done.deed, now)?;
    Ok(Received {
        submission,
        solve: done.solve.map(|row| (row, problem.clone())),
        problem,
        effects: done.effects,
    })
}

/// Gives a pending submission the verdict that a later request brings, once, with all that an
/// accepted one causes.
///
/// # Errors
/// [`Lost`] when another call was faster; then nothing of this one is stored.
pub fn advance(
    db: &mut Db,
    learner: &Learner,
    pending: &SubmissionRow,
    order: &Order,
    now: At,
) -> Work<Received, Lost> {
    let problem_id = pending.problem_id.ok_or(Stopped::Because(Lost))?;
    let problem = problems::get(db, learner.user_id, problem_id)?.ok_or(Error::NotFound)?;
    let happened_at = pending.happened_at.unwrap_or(order.happened_at);
    let mut order = order.clone().after(pending);
    let named = problems::find(db, learner.user_id, &order.problem.named)?;
    if named.is_none_or(|named| named.id != problem.id) {
        // The number names the submission. What is said of another problem is not said of this one.
        order.problem.named.title = None;
        order.problem.named.difficulty = None;
        order.problem.tags = None;
    }
    let order = &order;
    let done = match order.verdict {
        Verdict::Accepted => solve(db, learner, &problem, order, happened_at, now)?,
        _ => Done::default(),
    };
    let advance = Advance {
        verdict: order.verdict,
        solve_id: done.solve_id,
        language: order.language.as_deref(),
        runtime_ms: order.runtime_ms,
        memory_kb: order.memory_kb,
        rating: order.rating,
        attempts: order.attempts,
        minutes: order.minutes,
        hint_used: order.hint_used,
        solution_viewed: order.solution_viewed,
        source: order.source.as_deref(),
        notes: order.notes.as_deref(),
        effects: Some(stored(&done.effects)?),
        updated_at: now,
    };
    let submission = guards::advance_verdict(db, pending.id, pending.triaged_at, &advance)?
        .ok_or(Stopped::Because(Lost))?;
    remember_key(db, &submission, order, now)?;
    tie(db, &done, submission.id)?;
    rings::count(db, learner, learner.days.local_day(*happened_at), done.deed, now)?;
    let effects = done.effects;
    let received = receipt(db, learner.user_id, submission, effects)?;
    Ok(received.ok_or(Error::NotFound)?)
}

/// What an accepted submission did.
#[derive(Default)]
struct Done {
    solve_id: Option<i64>,
    solve: Option<SolveRow>,
    reviews: Vec<i64>,
    /// When the submission was handed in that the reviews came with, if that is another one.
    of_another: Option<At>,
    /// What it is to the rings of its day.
    deed: Deed,
    effects: Effects,
}

/// Ties reviews to the submission that they came with: this one, or the one that the solve began
/// with until now.
fn tie(db: &mut Db, done: &Done, submission_id: i64) -> QueryResult<()> {
    let came_with = match (done.of_another, done.solve_id) {
        (Some(at), Some(solve_id)) => store::accepted_at(db, solve_id, at)?,
        _ => Some(submission_id),
    };
    match came_with {
        Some(id) => revisions::came_with(db, &done.reviews, id),
        None => Ok(()),
    }
}

fn solve(
    db: &mut Db,
    learner: &Learner,
    problem: &ProblemRow,
    order: &Order,
    happened_at: At,
    now: At,
) -> QueryResult<Done> {
    let named = &order.problem.named;
    let (rating, rating_source) = order.rating(named.difficulty.or(problem.difficulty));
    let solved = Solved {
        at: happened_at,
        day: learner.days.local_day(*happened_at),
        rating,
        rating_source,
    };
    let said = Said {
        title: named.title.clone(),
        difficulty: named.difficulty,
        tags: order.problem.tags.clone(),
    };
    Ok(match solves::record(db, learner, problem, &said, &solved, now)? {
        Recorded::First { solve, xp, next } => Done {
            deed: first_deed(db, problem, &solve, xp)?,
            solve_id: Some(solve.id),
            solve: Some(solve),
            reviews: Vec::new(),
            of_another: None,
            effects: Effects {
                first_solve: true,
                xp_awarded: xp,
                next_revisions: next,
                ..Effects::default()
            },
        },
        Recorded::Again { solve, again } => Done {
            deed: further_deed(&again, solved.day),
            solve_id: Some(solve.id),
            solve: solves::of_problem(db, learner.user_id, problem.id)?.or(Some(solve)),
            reviews: again.reviews,
            of_another: again.began,
            effects: Effects {
                first_solve: false,
                became_first: again.became_first,
                xp_awarded: again.xp,
                revisions_completed: again.completed,
                next_revisions: again.next,
            },
        },
    })
}

/// What a first solve is to the rings of its day: one more problem, unless its solve was deleted and
/// the problem was solved on that day before.
fn first_deed(db: &mut Db, problem: &ProblemRow, solve: &SolveRow, xp: i32) -> QueryResult<Deed> {
    // Whoever gets XP for it has not had a solve of it before.
    let is_again = xp == 0 && store::accepted_on(db, solve.user_id, problem.id, solve.first_day)?;
    Ok(Deed { solves: i32::from(!is_again), ..Deed::default() })
}

/// What a further accepted submission is to the rings of its day: the revisions that it completes,
/// else one more problem, if it is the first of that problem on the day.
fn further_deed(again: &Again, day: NaiveDate) -> Deed {
    let completed = || again.completed.iter().filter(|_| !again.became_first);
    let counted = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    match counted(completed().count()) {
        0 => Deed { solves: i32::from(again.is_first_of_day), ..Deed::default() },
        revisions => {
            let of_due = counted(completed().filter(|row| row.due_on <= day).count());
            Deed { solves: 0, revisions, of_due }
        }
    }
}

fn likeness<'a>(learner: &Learner, problem: &ProblemRow, order: &'a Order) -> Likeness<'a> {
    Likeness {
        user_id: learner.user_id,
        problem_id: problem.id,
        verdict: order.verdict,
        language: order.language.as_deref(),
        happened_at: order.happened_at,
        numbered_by: order.external_id.as_ref().map(|_| order.problem.judge),
    }
}

fn stored(effects: &Effects) -> QueryResult<String> {
    serde_json::to_string(effects).map_err(|error| Error::SerializationError(Box::new(error)))
}

/// What of a submission can be shown.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// All of it.
    Here(Box<Received>),
    /// Nothing: it was deleted.
    Deleted,
    /// There is no such submission of the user's.
    Absent,
}

/// A submission of a user, with what it caused.
///
/// # Errors
/// When the database fails.
pub fn get(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Lookup> {
    Ok(match store::get(db, user_id, id)? {
        None => Lookup::Absent,
        Some(row) => match found(db, user_id, row)? {
            Known::Replayed(received) => Lookup::Here(received),
            Known::New => Lookup::Absent,
            _ => Lookup::Deleted,
        },
    })
}

/// The submissions of a user, newest first.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    user_id: i64,
    filter: Filter,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<(SubmissionRow, ProblemRow)>> {
    store::list(db, user_id, filter, before, limit)
}

/// Deletes a submission; what it caused stays, and so does what recognises it. Tells what was there
/// before.
///
/// # Errors
/// When the database fails.
pub fn delete(db: &mut Db, user_id: i64, id: i64, now: At) -> QueryResult<Lookup> {
    let before = get(db, user_id, id)?;
    if !guards::bury_once(db, user_id, id, now)? && matches!(before, Lookup::Here(_)) {
        // Somebody else was faster.
        return Ok(Lookup::Deleted);
    }
    Ok(before)
}
