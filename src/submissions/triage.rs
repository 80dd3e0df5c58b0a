//! Triage: the solver looks at a submission that came in by itself, once.

use super::model::{SubmissionRow, Verdict};
use super::{guards, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::revisions::complete::rate_submission;
use crate::revisions::rating::Rating;
use crate::revisions::{self, Learner, Refusal};
use crate::solves;
use diesel::NotFound;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use utoipa::ToSchema;

/// What the solver says of a submission; at least one field.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Triage {
    /// How well it went. It counts as if the submission had brought it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// Notes, to 10,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 10_000)]
    pub notes: Option<String>,
    /// Not worth a word.
    #[serde(default)]
    pub dismiss: bool,
}

/// Why a submission was not triaged.
#[derive(Clone, Debug, PartialEq)]
pub enum Untriaged {
    /// There is no such submission of the user's.
    Absent,
    /// It was deleted.
    Deleted,
    /// It was triaged, and otherwise.
    Otherwise,
    /// Its rating cannot count any more.
    Refused(Refusal),
}

/// Triages a submission. The same again is answered the same.
///
/// # Errors
/// [`Untriaged`]; then nothing is changed.
pub fn triage(
    db: &mut Db,
    learner: &Learner,
    id: i64,
    triage: &Triage,
    now: At,
) -> Work<SubmissionRow, Untriaged> {
    let stored = serde_json::json!(triage).to_string();
    let seen = match look(db, learner, id, &stored)? {
        ControlFlow::Break(row) => return Ok(row),
        ControlFlow::Continue(row) => row,
    };
    // The solve before its submission, as whoever deletes the solve locks them.
    if let (Some(_), Some(solve_id)) = (triage.rating, seen.solve_id) {
        revisions::hold(db, learner.user_id, solve_id, now)?;
    }
    let Some(row) = guards::triage_once(db, learner.user_id, id, &stored, now)? else {
        return match look(db, learner, id, &stored)? {
            ControlFlow::Break(row) => Ok(row),
            ControlFlow::Continue(_) => Err(Stopped::Database(NotFound)),
        };
    };
    if let (Some(rating), Some(Verdict::Accepted), Some(solve_id)) =
        (triage.rating, row.verdict, row.solve_id)
    {
        let was_first = is_first(db, learner, &row, solve_id)?;
        rate_submission(db, learner, solve_id, id, was_first, rating, now).map_err(refused)?;
    }
    if triage.rating.is_none() && triage.notes.is_none() {
        return Ok(row);
    }
    Ok(store::describe(db, id, triage.rating, triage.notes.as_deref())?)
}

/// The submission, if it is to be triaged; else how it was triaged the same.
fn look(
    db: &mut Db,
    learner: &Learner,
    id: i64,
    stored: &str,
) -> Work<ControlFlow<SubmissionRow, SubmissionRow>, Untriaged> {
    match store::get(db, learner.user_id, id)? {
        None => Err(Stopped::Because(Untriaged::Absent)),
        Some(row) if row.deleted_at.is_some() => Err(Stopped::Because(Untriaged::Deleted)),
        Some(row) if row.triaged_at.is_none() => Ok(ControlFlow::Continue(row)),
        Some(row) if row.triage.as_deref() == Some(stored) => Ok(ControlFlow::Break(row)),
        Some(_) => Err(Stopped::Because(Untriaged::Otherwise)),
    }
}

/// Whether a submission is the one that its solve begins with.
fn is_first(
    db: &mut Db,
    learner: &Learner,
    row: &SubmissionRow,
    solve_id: i64,
) -> Work<bool, Untriaged> {
    let effects = row.effects()?;
    if !effects.first_solve && !effects.became_first {
        return Ok(false);
    }
    let solve = solves::find(db, learner.user_id, solve_id)?;
    Ok(solve.is_some_and(|(solve, _)| solve.first_solved_at == row.happened_at))
}

fn refused(stopped: Stopped<Refusal>) -> Stopped<Untriaged> {
    match stopped {
        Stopped::Because(refusal) => Stopped::Because(Untriaged::Refused(refusal)),
        Stopped::Database(error) => Stopped::Database(error),
        Stopped::Pool(error) => Stopped::Pool(error),
    }
}
