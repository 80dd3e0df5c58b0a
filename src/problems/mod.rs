//! Problems: what there is to solve.
//!
//! A problem is its platform and its slug there, nothing else. One that a platform publishes is
//! shared by all users; a custom one is its user's own. A name that was given up is a problem with
//! `alias_of`, so that each name means one problem. Topic, and the title and difficulty of a
//! shared problem, are set once: nobody can deface what others see. `changes` counts what was set, so
//! that calendars tell by it whether a problem is shown otherwise; no row of anybody's is touched.

pub mod classify;
pub mod difficulty;
pub mod guards;
pub mod identity;
pub mod many;
pub mod model;
pub mod naming;
pub mod routes;
pub mod store;
pub mod topic;

pub use store::Filter;

use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::jobs;
use crate::problems::difficulty::Difficulty;
use classify::ClassifyProblem;
use diesel::QueryResult;
use identity::{Identity, Platform};
use model::{NewKey, NewProblem, ProblemRow};
use topic::Topic;

/// How a client names a problem, and what it says of it.
#[derive(Clone, Debug)]
pub struct Named {
    /// Which problem.
    pub identity: Identity,
    /// What it is called there.
    pub title: Option<String>,
    /// How hard it is said to be.
    pub difficulty: Option<Difficulty>,
    /// What its tags say that it is about.
    pub topic: Option<Topic>,
}

/// A problem, and whether this call made it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The problem, aliases followed.
    pub problem: ProblemRow,
    /// Whether this call made it.
    pub created: bool,
}

/// Finds the problem, or makes it, and follows its alias. Never answers with a row that is not
/// committed or ours.
///
/// # Errors
/// When the database fails.
pub fn find_or_create(db: &mut Db, user_id: i64, named: &Named, now: At) -> QueryResult<Found> {
    let found = find(db, user_id, named)?;
    find_or_create_from(db, user_id, named, found, now)
}

/// The problem that this is a name of, if there is one; aliases are not followed.
///
/// # Errors
/// When the database fails.
pub fn find(db: &mut Db, user_id: i64, named: &Named) -> QueryResult<Option<ProblemRow>> {
    store::find(db, &named.identity, owner(named, user_id))
}

/// As [`find_or_create`], by a caller who has looked the problem up.
///
/// # Errors
/// When the database fails.
pub fn find_or_create_from(
    db: &mut Db,
    user_id: i64,
    named: &Named,
    found: Option<ProblemRow>,
    now: At,
) -> QueryResult<Found> {
    let (problem, created) = match found {
        Some(problem) => (problem, false),
        None => create(db, owner(named, user_id), named, now)?,
    };
    let problem = follow(db, problem)?;
    let problem = describe(db, problem, named, now)?;
    Ok(Found { problem, created })
}

/// A custom problem is its user's own; all others are shared.
fn owner(named: &Named, user_id: i64) -> Option<i64> {
    (named.identity.platform == Platform::Custom).then_some(user_id)
}

fn create(
    db: &mut Db,
    owner_id: Option<i64>,
    named: &Named,
    now: At,
) -> QueryResult<(ProblemRow, bool)> {
    let new = NewProblem {
        owner_id,
        platform: named.identity.platform,
        slug: &named.identity.slug,
        title: named.title.as_deref(),
        difficulty: named.difficulty,
        topic: named.topic.map(Topic::as_str),
        created_at: now,
        updated_at: now,
    };
    let made = match owner_id {
        Some(_) => guards::create_custom_problem(db, &new)?,
        None => guards::create_problem(db, &new)?,
    };
    match made {
        Some(problem) => {
            if problem.topic.is_none() {
                jobs::enqueue(db, &ClassifyProblem { problem_id: problem.id })?;
            }
            Ok((problem, true))
        }
        // Lost the race: the winner has committed, so a second statement sees its row.
        None => {
            let winner = store::find(db, &named.identity, owner_id)?;
            Ok((winner.ok_or(diesel::NotFound)?, false))
        }
    }
}

fn follow(db: &mut Db, problem: ProblemRow) -> QueryResult<ProblemRow> {
    match problem.alias_of {
        None => Ok(problem),
        // An alias names a problem, never another alias.
        Some(id) => store::by_id(db, id)?.ok_or(diesel::NotFound),
    }
}

/// Gives the problem what it lacks of what the client says.
fn describe(
    db: &mut Db,
    mut problem: ProblemRow,
    named: &Named,
    now: At,
) -> QueryResult<ProblemRow> {
    if let (None, Some(title)) = (&problem.title, &named.title) {
        let won = guards::set_title_once(db, problem.id, title, now)?;
        if won.is_some() && problem.topic.is_none() && named.topic.is_none() {
            // Its title may say what its name did not.
            jobs::enqueue(db, &ClassifyProblem { problem_id: problem.id })?;
        }
        problem = reread(db, problem, won)?;
    }
    if let (None, Some(difficulty)) = (problem.difficulty, named.difficulty) {
        let won = guards::set_difficulty_once(db, problem.id, difficulty, now)?;
        problem = reread(db, problem, won)?;
    }
    if let (None, Some(topic)) = (&problem.topic, named.topic) {
        let won = guards::set_topic_once(db, problem.id, topic.as_str(), now)?;
        problem = reread(db, problem, won)?;
    }
    Ok(problem)
}

fn reread(db: &mut Db, old: ProblemRow, won: Option<ProblemRow>) -> QueryResult<ProblemRow> {
    match won {
        Some(problem) => Ok(problem),
        None => Ok(store::by_id(db, old.id)?.unwrap_or(old)),
    }
}

/// What became of a request to make a problem.
#[derive(Clone, Debug)]
pub enum Made {
    /// Made by this call.
    New(ProblemRow),
    /// It was there.
    Found(ProblemRow),
    /// The key made or found it before.
    Replayed(ProblemRow),
}

/// The key was used for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyReused;

/// Makes a problem by hand, unless it is there. A key counts for a problem of one's own; of a
/// shared problem its identity is the key.
///
/// # Errors
/// [`KeyReused`]; then nothing of this call is stored.
pub fn make(
    db: &mut Db,
    user_id: i64,
    named: &Named,
    key: Option<(&str, &str)>,
    now: At,
) -> Work<Made, KeyReused> {
    let key = owner(named, user_id).and(key);
    if let Some((key, fingerprint)) = key
        && let Some(made) = replay(db, user_id, key, fingerprint)?
    {
        return Ok(made);
    }
    let found = find_or_create(db, user_id, named, now)?;
    if let Some((key, fingerprint)) = key {
        let new = NewKey {
            owner_id: user_id,
            idempotency_key: key,
            problem_id: found.problem.id,
            fingerprint,
        };
        // The claim comes last: whoever loses it has made nothing, unless it was for something else.
        if !guards::keep_problem_key(db, &new)?
            && let Some(made) = replay(db, user_id, key, fingerprint)?
        {
            return Ok(made);
        }
    }
    Ok(if found.created { Made::New(found.problem) } else { Made::Found(found.problem) })
}

fn replay(
    db: &mut Db,
    owner_id: i64,
    key: &str,
    fingerprint: &str,
) -> Work<Option<Made>, KeyReused> {
    match store::by_key(db, owner_id, key)? {
        None => Ok(None),
        Some((problem, of_key)) if of_key == fingerprint => Ok(Some(Made::Replayed(problem))),
        Some(_) => Err(Stopped::Because(KeyReused)),
    }
}

/// What happened to an attempt to set a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicOutcome {
    /// This call set it, or it already had this value.
    Is(ProblemRow),
    /// Another value was there first, and stays.
    AlreadySet(ProblemRow),
    /// There is no such problem that the user can see.
    NoSuchProblem,
}

/// Gives a problem its topic, unless it has one.
///
/// # Errors
/// When the database fails.
pub fn set_topic(
    db: &mut Db,
    user_id: i64,
    id: i64,
    topic: Topic,
    now: At,
) -> QueryResult<TopicOutcome> {
    let Some(problem) = store::visible(db, id, user_id)? else {
        return Ok(TopicOutcome::NoSuchProblem);
    };
    let problem = follow(db, problem)?;
    if let Some(problem) = guards::set_topic_once(db, problem.id, topic.as_str(), now)? {
        return Ok(TopicOutcome::Is(problem));
    }
    Ok(match store::by_id(db, problem.id)? {
        None => TopicOutcome::NoSuchProblem,
        Some(problem) if problem.topic.as_deref() == Some(topic.as_str()) => {
            TopicOutcome::Is(problem)
        }
        Some(problem) => TopicOutcome::AlreadySet(problem),
    })
}

/// A problem that the user can see.
///
/// # Errors
/// When the database fails.
pub fn get(db: &mut Db, user_id: i64, id: i64) -> QueryResult<Option<ProblemRow>> {
    store::visible(db, id, user_id)
}

/// The problems that a user can see, newest first.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    user_id: i64,
    filter: &Filter,
    before: Option<i64>,
    limit: i64,
) -> QueryResult<Vec<ProblemRow>> {
    store::list(db, user_id, filter, before, limit)
}
