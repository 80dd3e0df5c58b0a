//! The figures, as the API shows them.

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;

/// Figures of a user.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Stats {
    /// The local day.
    pub day: NaiveDate,
    /// How many there are.
    pub counts: Counts,
    /// What was done on each day of the span; days without anything are left out, and so are
    /// solves of which nobody knows the time.
    pub heat_map: Vec<Heat>,
    /// Solves by topic, the most first.
    pub by_topic: Vec<Share>,
    /// Solves by difficulty, the user's own word first.
    pub by_difficulty: Vec<Share>,
    /// Solves by platform.
    pub by_platform: Vec<Share>,
    /// How much was recalled in all reviews.
    pub true_retention: Retention,
    /// How much was recalled in the reviews of the last 30 days.
    pub recent_retention: Retention,
    /// What falls due on each day from today on; on a paused one nothing does.
    pub forecast: Vec<DayCount>,
}

/// How many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Counts {
    /// Problems solved.
    pub solves: i64,
    /// Submissions.
    pub submissions: i64,
    /// Submissions that wait for triage.
    pub untriaged: i64,
    /// Reviews that moved a schedule.
    pub reviews: i64,
    /// Revisions that are due, overdue ones too; 0 on a paused day.
    pub due: i64,
    /// Revisions that were due on an earlier day; 0 on a paused day.
    pub overdue: i64,
    /// Revisions that are to come, on days that are not paused.
    pub upcoming: i64,
    /// Problems that keep being forgotten.
    pub leeches: i64,
    /// Solves of which nothing falls due.
    pub suspended: i64,
}

/// What was done on a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Heat {
    /// The local day.
    pub day: NaiveDate,
    /// Problems solved for the first time.
    pub solves: i64,
    /// Reviews that moved a schedule.
    pub reviews: i64,
    /// Submissions, accepted or not.
    pub submissions: i64,
}

/// Solves of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Share {
    /// Its name; null for what has none.
    #[schema(required = true)]
    pub name: Option<String>,
    /// How many.
    pub solves: i64,
}

/// How much was recalled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Retention {
    /// Reviews that moved an adaptive schedule.
    pub reviews: i64,
    /// Those not rated `again`.
    pub recalled: i64,
    /// Their share, 0 to 1; null without reviews.
    #[schema(required = true, minimum = 0, maximum = 1)]
    pub rate: Option<f64>,
}

/// What falls due on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DayCount {
    /// The local day.
    pub day: NaiveDate,
    /// How many revisions; today with all that is overdue.
    pub due: i64,
}

/// The share of a part, where there is a whole.
#[must_use]
pub fn ratio(part: i64, whole: i64) -> Option<f64> {
    let number = |count: i64| i32::try_from(count).map_or(f64::from(i32::MAX), f64::from);
    (whole > 0).then(|| number(part) / number(whole))
}
