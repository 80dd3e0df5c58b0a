//! Lists of revisions with their problems.

use super::hidden::IS_SHOWN;
use super::log::Kind;
use super::model::{RevisionRow, State};
use super::store::PENDING;
use crate::db::Db;
use crate::db::instant::At;
use crate::pauses;
use crate::problems::model::{PROBLEM, Problem, ProblemRow};
use crate::schema::{problems, revisions, solves};
use chrono::NaiveDate;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which revisions a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// Pending, due today or overdue; none on a paused day.
    Due,
    /// Pending, due later, on a day that is not paused.
    Upcoming,
    /// Pending, also what a pause hides.
    Pending,
    /// Completed.
    Completed,
    /// Left out.
    Skipped,
    /// Suspended.
    Suspended,
    /// Taken back.
    Undone,
    /// Replaced by another.
    Withdrawn,
    /// All of them.
    All,
}

/// What a list of revisions is narrowed to.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    /// Which.
    pub shown: Shown,
    /// The day that decides what is due.
    pub today: NaiveDate,
    /// Of this schedule.
    pub kind: Option<Kind>,
    /// Due on this day or later.
    pub from: Option<NaiveDate>,
    /// Due on this day or earlier.
    pub to: Option<NaiveDate>,
    /// Changed at or after this instant.
    pub updated_since: Option<At>,
}

/// A revision with its problem.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = RevisionItem)]
pub struct Item {
    /// The revision itself.
    #[serde(flatten)]
    #[schema(inline)]
    pub revision: RevisionRow,
    /// What is to be solved again.
    pub problem: Problem,
    /// What the user calls it.
    #[schema(required = true)]
    pub title: Option<String>,
}

impl From<(RevisionRow, ProblemRow, Option<String>)> for Item {
    fn from((revision, problem, title): (RevisionRow, ProblemRow, Option<String>)) -> Self {
        Self { revision, problem: problem.into(), title }
    }
}

/// The revisions of a user by due date, after the one with this date and number.
///
/// # Errors
/// When the database fails.
pub fn list(
    db: &mut Db,
    user_id: i64,
    filter: &Filter,
    after: Option<(NaiveDate, i64)>,
    limit: i64,
) -> QueryResult<Vec<Item>> {
    if filter.shown == Shown::Due && pauses::is_paused(db, user_id, filter.today)? {
        return Ok(Vec::new());
    }
    load(db, user_id, filter, after, limit)
}

fn load(
    db: &mut Db,
    user_id: i64,
    filter: &Filter,
    after: Option<(NaiveDate, i64)>,
    limit: i64,
) -> QueryResult<Vec<Item>> {
    let mut query = revisions::table
        .inner_join(solves::table.inner_join(problems::table))
        .filter(revisions::user_id.eq(user_id))
        .order((revisions::due_on, revisions::id))
        .limit(limit)
        .select((revisions::all_columns, PROBLEM, solves::title))
        .into_boxed();
    let state = match filter.shown {
        Shown::Due | Shown::Upcoming | Shown::Pending => {
            query = query.filter(sql::<Bool>(PENDING));
            None
        }
        Shown::Completed => Some(State::Completed),
        Shown::Skipped => Some(State::Skipped),
        Shown::Suspended => Some(State::Suspended),
        Shown::Undone => Some(State::Undone),
        Shown::Withdrawn => Some(State::Withdrawn),
        Shown::All => None,
    };
    if let Some(state) = state {
        query = query.filter(revisions::state.eq(state));
    }
    if filter.shown == Shown::Due {
        query = query.filter(revisions::due_on.le(filter.today));
    }
    if filter.shown == Shown::Upcoming {
        query = query.filter(revisions::due_on.gt(filter.today)).filter(sql::<Bool>(IS_SHOWN));
    }
    if let Some((due_on, id)) = after {
        // The first condition alone is where a database begins to read its index.
        query = query
            .filter(revisions::due_on.ge(due_on))
            .filter(revisions::due_on.gt(due_on).or(revisions::id.gt(id)));
    }
    if let Some(kind) = filter.kind {
        query = query.filter(revisions::kind.eq(kind));
    }
    if let Some(from) = filter.from {
        query = query.filter(revisions::due_on.ge(from));
    }
    if let Some(to) = filter.to {
        query = query.filter(revisions::due_on.le(to));
    }
    if let Some(since) = filter.updated_since {
        // A list shows the problem as well.
        query = query.filter(revisions::updated_at.ge(since).or(problems::updated_at.ge(since)));
    }
    let rows: Vec<(RevisionRow, ProblemRow, Option<String>)> = query.load(db)?;
    Ok(rows.into_iter().map(Item::from).collect())
}

/// What of a user is due on `today`, overdue first, if that day is not paused.
///
/// # Errors
/// When the database fails.
pub fn due(db: &mut Db, user_id: i64, today: NaiveDate, most: i64) -> QueryResult<Vec<Item>> {
    let filter =
        Filter { shown: Shown::Due, today, kind: None, from: None, to: None, updated_since: None };
    load(db, user_id, &filter, None, most)
}
