//! Rows of rings, and what the API shows of them.

use super::Deed;
use crate::db::instant::At;
use crate::schema::streak_freezes;
use chrono::NaiveDate;
use diesel::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

/// A row of `ring_days`: a local day of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Queryable)]
pub struct RingRow {
    /// Its number.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// The local day.
    pub day: NaiveDate,
    /// Solves that close it.
    pub goal_solves: i32,
    /// Revisions that close it.
    pub goal_revisions: i32,
    /// Solves that are counted.
    pub solves: i32,
    /// Revisions that are counted.
    pub revisions: i32,
    /// When it closed.
    pub closed_at: Option<At>,
}

impl RingRow {
    /// Whether what is counted reaches the goals.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        self.solves >= self.goal_solves && self.revisions >= self.goal_revisions
    }
}

/// Something done, to be counted.
#[derive(Clone, Copy, Debug)]
pub struct NewDeed {
    /// Who did it.
    pub user_id: i64,
    /// On which local day.
    pub day: NaiveDate,
    /// Solves that close the day, if it begins with this; one where that and what is due are none.
    pub goal_solves: i32,
    /// Revisions that close the day, if it begins with this and so many are due.
    pub goal_revisions: i32,
    /// What.
    pub deed: Deed,
}

/// What a day wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RingGoals)]
pub struct Goals {
    /// Problems solved.
    #[schema(minimum = 0)]
    pub solves: i32,
    /// Revisions completed: the user's goal, or what was due when the day began, if that was less.
    #[schema(minimum = 0)]
    pub revisions: i32,
}

/// What was done on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RingProgress)]
pub struct Count {
    /// Problems solved: each once a day, unless that completed a revision.
    #[schema(minimum = 0)]
    pub solves: i32,
    /// Revisions completed, less those that were taken back.
    #[schema(minimum = 0)]
    pub revisions: i32,
}

/// The rings of a local day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rings {
    /// The local day.
    pub day: NaiveDate,
    /// What it wants, as it was when the day began; before anything is done, as it would be now.
    pub goals: Goals,
    /// What was done.
    pub progress: Count,
    /// When the goals were reached, else null. A day that has closed stays closed.
    #[schema(required = true)]
    pub closed_at: Option<At>,
    /// Whether the day counts as kept by a freeze.
    pub frozen: bool,
    /// Whether the day is paused.
    pub paused: bool,
}

impl Rings {
    /// As stored.
    #[must_use]
    pub fn of(row: &RingRow, frozen: bool, paused: bool) -> Self {
        Self {
            day: row.day,
            goals: Goals { solves: row.goal_solves, revisions: row.goal_revisions },
            progress: Count { solves: row.solves, revisions: row.revisions },
            closed_at: row.closed_at,
            frozen,
            paused,
        }
    }
}

/// The streak of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Streak)]
pub struct StreakNow {
    /// The local day that it is.
    pub day: NaiveDate,
    /// Days kept one after the other up to today: closed, or frozen. Paused days, and dates that a
    /// change of zone skipped, neither count nor break it, and today does not break it before it is
    /// over.
    #[schema(minimum = 0)]
    pub current: u32,
    /// The most that `current` ever was.
    #[schema(minimum = 0)]
    pub longest: u32,
    /// The first day of the current streak; null where there is none.
    #[schema(required = true)]
    pub since: Option<NaiveDate>,
    /// Whether today's rings have closed.
    pub closed_today: bool,
    /// The frozen days of this calendar month.
    pub frozen_days: Vec<NaiveDate>,
    /// Days of this calendar month that can still be frozen.
    #[schema(minimum = 0, maximum = 2)]
    pub freezes_left: u32,
}

/// A frozen day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Queryable, Serialize, ToSchema)]
pub struct Freeze {
    /// The local day, which counts as kept.
    pub day: NaiveDate,
    /// When it was frozen.
    pub created_at: At,
}

/// A freeze to be stored.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = streak_freezes)]
pub struct NewFreeze {
    /// Whose it is.
    pub user_id: i64,
    /// The local day.
    pub day: NaiveDate,
    /// The first of its calendar month.
    pub month: NaiveDate,
    /// Which of the month's two: 1 or 2.
    pub slot: i32,
    /// Now.
    pub created_at: At,
}
