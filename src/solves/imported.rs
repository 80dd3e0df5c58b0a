//! Solves by the hundred: what an import brings.

use super::guards::{self, Made};
use super::model::{NewSolve, stored_tags};
use super::{Said, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::problems::model::ProblemRow;
use crate::revisions::imported::{self, Begun, Retrieval};
use crate::revisions::model::Start;
use crate::revisions::spread::Spread;
use crate::revisions::{FirstSolve, Learner};
use crate::xp::{self, Award, model::Reason};
use chrono::NaiveDate;
use diesel::QueryResult;
use std::collections::{HashMap, HashSet};

/// A first solve, as an import tells it.
#[derive(Clone, Debug)]
pub struct Brought<'a> {
    /// What was solved.
    pub problem: &'a ProblemRow,
    /// What the file says of it.
    pub said: Said,
    /// The user's notes of the solve.
    pub notes: Option<&'a str>,
    /// How it began.
    pub first: FirstSolve,
    /// The reviews since, the oldest first.
    pub reviews: Vec<Retrieval>,
}

/// A first solve that was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The solve.
    pub solve_id: i64,
    /// XP that was awarded.
    pub xp: i32,
}

/// Records first solves with their schedules and their XP, each of a problem of its own, and
/// returns those that no other call had recorded, by problem.
pub fn begin_all(
    db: &mut Db,
    learner: &Learner,
    brought: &[Brought<'_>],
    import_id: i64,
    spread: &mut Spread,
    now: At,
) -> QueryResult<HashMap<i64, Recorded>> {
    // In one order everywhere, so that two who solve the same problems wait for each other at most
    // one way.
    let mut by_problem: Vec<&Brought<'_>> = brought.iter().collect();
    by_problem.sort_by_key(|brought| brought.problem.id);
    let rows = by_problem.iter().map(|brought| row(learner, brought, now)).collect();
    let made = guards::first_solves(db, rows, import_id)?;
    let mut recorded: HashMap<i64, Recorded> =
        made.into_iter().map(|(id, problem)| (problem, Recorded { solve_id: id, xp: 0 })).collect();
    let mut begun = Vec::with_capacity(recorded.len());
    let mut awards = Vec::with_capacity(recorded.len());
    for brought in by_problem {
        if let Some(Recorded { solve_id, .. }) = recorded.get(&brought.problem.id) {
            let made: Made = (*solve_id, brought.problem.id);
            begun.push(start(learner, brought, made, import_id));
            awards.push(award(learner, brought, made));
        }
    }
    imported::begin_all(db, learner, &begun, spread, now)?;
    let awarded: HashSet<i64> = xp::award_all(db, &awards, now)?.into_iter().collect();
    for award in awards.iter().filter(|award| awarded.contains(&award.subject_id)) {
        if let Some(recorded) = recorded.get_mut(&award.subject_id) {
            recorded.xp = award.amount;
        }
    }
    Ok(recorded)
}

fn row<'a>(learner: &Learner, brought: &'a Brought<'_>, now: At) -> NewSolve<'a> {
    NewSolve {
        user_id: learner.user_id,
        problem_id: brought.problem.id,
        first_solved_at: brought.first.at,
        first_day: brought.first.day,
        time_precision: &brought.first.precision,
        rating: brought.first.rating,
        rating_source: &brought.first.rating_source,
        settings_id: learner.settings.id(),
        title: brought.said.title.as_deref(),
        difficulty: brought.said.difficulty,
        tags: brought.said.tags.as_deref().map(stored_tags),
        notes: brought.notes,
        created_at: now,
        updated_at: now,
    }
}

fn start(learner: &Learner, brought: &Brought<'_>, (id, _): Made, import_id: i64) -> Begun {
    let start = Start {
        id,
        user_id: learner.user_id,
        first_solved_at: brought.first.at,
        first_day: brought.first.day,
        rating: brought.first.rating,
        rating_source: brought.first.rating_source.clone(),
        settings_id: learner.settings.id(),
        lapses: 0,
        suspended: false,
        version: 0,
        import_id: Some(import_id),
    };
    Begun { start, reviews: brought.reviews.clone() }
}

fn award(learner: &Learner, brought: &Brought<'_>, (solve_id, problem_id): Made) -> Award {
    Award {
        user_id: learner.user_id,
        reason: Reason::FirstSolve,
        subject_id: problem_id,
        amount: xp::first_solve(brought.problem.difficulty.or(brought.said.difficulty)),
        solve_id: Some(solve_id),
        local_day: brought.first.day,
    }
}

/// Whether a user has solved anything.
pub fn has_any(db: &mut Db, user_id: i64) -> QueryResult<bool> {
    store::has_any(db, user_id)
}

/// A solve, as far as an import needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its number.
    pub id: i64,
    /// When it was solved first, where that is known.
    pub first_solved_at: Option<At>,
    /// On which local day.
    pub first_day: NaiveDate,
    /// The import that the first solve is from.
    pub import_id: Option<i64>,
    /// What nobody has said of it.
    pub lacks: Lacks,
}

/// What the user has not said of the problem of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lacks {
    /// What it is called.
    pub title: bool,
    /// How hard it is.
    pub difficulty: bool,
    /// What it is about.
    pub tags: bool,
}

impl Lacks {
    /// What is lacking once this was said.
    #[must_use]
    pub const fn after(said: &Said) -> Self {
        Self {
            title: said.title.is_none(),
            difficulty: said.difficulty.is_none(),
            tags: said.tags.is_none(),
        }
    }

    /// Whether nothing is.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// What of this is lacking.
    #[must_use]
    pub fn news(self, said: Said) -> Said {
        Said {
            title: said.title.filter(|_| self.title),
            difficulty: said.difficulty.filter(|_| self.difficulty),
            tags: said.tags.filter(|_| self.tags),
        }
    }

    /// What is lacking yet when this was said, too.
    #[must_use]
    pub const fn less(self, said: &Said) -> Self {
        let Self { title, difficulty, tags } = Self::after(said);
        Self {
            title: self.title && title,
            difficulty: self.difficulty && difficulty,
            tags: self.tags && tags,
        }
    }
}

/// Keeps with a solve what it lacks of what a file says of its problem.
pub fn say(db: &mut Db, solve_id: i64, said: &Said, now: At) -> QueryResult<()> {
    let Said { title, difficulty, tags } = said.clone();
    let shown = Said { title, difficulty, tags: None };
    // Who is heard holds the solve from then on, and nobody else has anything to tell a calendar.
    if guards::say_once(db, solve_id, &shown, now)? > 0 {
        crate::revisions::solve_changed(db, solve_id, now)?;
    }
    // Nobody else sees tags, and neither does a calendar.
    guards::say_once(db, solve_id, &Said { tags, ..Said::default() }, now)?;
    Ok(())
}

/// The solves of a user and these problems, by problem.
pub fn of_problems(
    db: &mut Db,
    user_id: i64,
    problem_ids: Vec<i64>,
) -> QueryResult<HashMap<i64, Standing>> {
    if problem_ids.is_empty() {
        return Ok(HashMap::new());
    }
    let solves = store::of_problems(db, user_id, problem_ids)?.into_iter();
    Ok(solves
        .map(|(problem_id, id, first_solved_at, first_day, import_id, lacks)| {
            let (title, difficulty, tags) = lacks;
            let lacks = Lacks { title, difficulty, tags };
            (problem_id, Standing { id, first_solved_at, first_day, import_id, lacks })
        })
        .collect())
}
