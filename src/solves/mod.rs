//! Solves: which user has solved which problem.
//!
//! A user has at most one solve for each problem, and the database decides which call was first.
//! What comes later is taken into its log. Whatever a client says of a problem is kept with that
//! user's solve, and shown to nobody else.

pub mod guards;
pub mod imported;
pub mod model;
pub mod notes;
pub mod routes;
pub mod store;

pub use store::{Change, Filter};

use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::problems::difficulty::Difficulty;
use crate::problems::model::ProblemRow;
use crate::revisions::model::{ReviewRow, RevisionRow, Start};
use crate::revisions::solved::{self, Again, Solved};
use crate::revisions::{self, FirstSolve, Learner};
use crate::xp;
use crate::xp::model::Reason;
use diesel::QueryResult;
use diesel::result::Error;
use model::{NewSolve, SolveAndProblem, SolveRow, stored_tags};

/// How often a solve may be deleted under a submission that finds it there.
const TRIES: u32 = 8;

/// What a client says of a problem that was solved.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// What it is called.
    pub title: Option<String>,
    /// How hard it is.
    pub difficulty: Option<Difficulty>,
    /// What it is about.
    pub tags: Option<Vec<String>>,
}

/// What became of an accepted submission.
#[derive(Clone, Debug)]
pub enum Recorded {
    /// The first of this problem.
    First {
        /// The solve.
        solve: SolveRow,
        /// XP that was awarded.
        xp: i32,
        /// The revisions that are to come.
        next: Vec<RevisionRow>,
    },
    /// A further one.
    Again {
        /// The solve.
        solve: SolveRow,
        /// What it did.
        again: Again,
    },
}

/// Records that a problem was solved.
///
/// # Errors
/// When the database fails.
pub fn record(
    db: &mut Db,
    learner: &Learner,
    problem: &ProblemRow,
    said: &Said,
    solved: &Solved,
    now: At,
) -> QueryResult<Recorded> {
    let first = FirstSolve {
        at: Some(solved.at),
        day: solved.day,
        precision: "exact".to_owned(),
        rating: solved.rating,
        rating_source: solved.rating_source.clone(),
        import_id: None,
    };
    for _ in 0..TRIES {
        if let Some(solve) = first_time(db, learner, problem, said, &first, now)? {
            let xp = award(db, &solve, problem, said, now)?;
            let next = solved::begin(db, learner, &start(&solve), now)?;
            return Ok(Recorded::First { solve, xp, next });
        }
        // Lost the race: the winner has committed, so a second statement sees its row, unless the
        // solve was deleted in between: then this one may be the first.
        if let Some(solve) = store::of_problem(db, learner.user_id, problem.id)?
            && let Some(again) = solved::solved_again(db, learner, solve.id, solved, now)?
        {
            return Ok(Recorded::Again { solve, again });
        }
    }
    Err(Error::NotFound)
}

fn first_time(
    db: &mut Db,
    learner: &Learner,
    problem: &ProblemRow,
    said: &Said,
    first: &FirstSolve,
    now: At,
) -> QueryResult<Option<SolveRow>> {
    let new = NewSolve {
        user_id: learner.user_id,
        problem_id: problem.id,
        first_solved_at: first.at,
        first_day: first.day,
        time_precision: &first.precision,
        rating: first.rating,
        rating_source: &first.rating_source,
        settings_id: learner.settings.id(),
        title: said.title.as_deref(),
        difficulty: said.difficulty,
        tags: said.tags.as_deref().map(stored_tags),
        notes: None,
        created_at: now,
        updated_at: now,
    };
    guards::first_solve(db, &new)
}

fn award(
    db: &mut Db,
    solve: &SolveRow,
    problem: &ProblemRow,
    said: &Said,
    now: At,
) -> QueryResult<i32> {
    let award = xp::Award {
        user_id: solve.user_id,
        reason: Reason::FirstSolve,
        subject_id: problem.id,
        amount: xp::first_solve(problem.difficulty.or(said.difficulty)),
        solve_id: Some(solve.id),
        local_day: solve.first_day,
    };
    xp::award(db, &award, now)
}

fn start(solve: &SolveRow) -> Start {
    Start {
        id: solve.id,
        user_id: solve.user_id,
        first_solved_at: solve.first_solved_at,
        first_day: solve.first_day,
        rating: solve.rating,
        rating_source: solve.rating_source.clone(),
        settings_id: solve.settings_id,
        lapses: solve.lapses,
        suspended: solve.suspended,
        version: solve.version,
        import_id: solve.import_id,
    }
}

/// The solve of a user and a problem.
///
/// # Errors
/// When the database fails.
pub fn of_problem(db: &mut Db, user_id: i64, problem_id: i64) -> QueryResult<Option<SolveRow>> {
    store::of_problem(db, user_id, problem_id)
}

/// A solve of a user, with its problem.
///
/// # Errors
/// When the database fails.
pub fn find(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<SolveAndProblem>> {
    store::get(db, user_id, id)
}

/// A solve with its history.
pub type History = (SolveAndProblem, Vec<RevisionRow>, Vec<ReviewRow>);

/// A solve of a user, with its revisions and reviews.
///
/// # Errors
/// When the database fails.
pub fn get(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<History>> {
    let Some(solve) = store::get(db, user_id, id)? else {
        return Ok(None);
    };
    let (revisions, reviews) = revisions::of_solve(db, id)?;
    Ok(Some((solve, revisions, reviews)))
}

/// The solves of a user, newest first.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    user_id: i64,
    filter: &Filter,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<SolveAndProblem>> {
    store::list(db, user_id, filter, before, limit)
}

/// Changes what a user says of a solve. `None` where there is no such solve of theirs.
///
/// # Errors
/// When the database fails.
pub fn change(
    db: &mut Db,
    user_id: i64,
    id: i64,
    change: &Change,
    now: At,
) -> QueryResult<Option<SolveAndProblem>> {
    let Some((before, _)) = store::get(db, user_id, id)? else { return Ok(None) };
    if store::change(db, user_id, id, change, now)? == 0 {
        return Ok(None);
    }
    // Nobody else sees tags and notes, and neither does a calendar.
    let is_shown_otherwise = change.title.as_ref().is_some_and(|title| *title != before.title)
        || change.difficulty.is_some_and(|difficulty| difficulty != before.difficulty);
    if is_shown_otherwise {
        revisions::solve_changed(db, id, now)?;
    }
    store::get(db, user_id, id)
}

/// Keeps the solves of a user as they are until the transaction ends.
///
/// # Errors
/// When the database fails.
pub fn hold_all(db: &mut Db, user_id: i64) -> QueryResult<usize> {
    guards::hold_solves(db, user_id)
}

/// There is no such solve of the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchSolve;

/// Deletes a solve with its schedules, and takes back its XP. Its submissions stay.
///
/// # Errors
/// [`NoSuchSolve`].
pub fn delete(db: &mut Db, learner: &Learner, id: i64, now: At) -> Work<(), NoSuchSolve> {
    let user_id = learner.user_id;
    // The lock first, so that no review slips in between the sum and the deletion.
    if !revisions::hold(db, user_id, id, now)? {
        return Err(Stopped::Because(NoSuchSolve));
    }
    xp::reverse(db, user_id, id, learner.days.local_day(*now), now)?;
    store::delete(db, user_id, id)?;
    Ok(())
}
