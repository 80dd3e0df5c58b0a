//! The user, as far as their schedules depend on them.

use super::log::Kind;
use super::settings::Interned;
use crate::days::DayHistory;
use std::sync::Arc;

/// Whose schedules they are, and what they depend on.
#[derive(Clone, Debug)]
pub struct Learner {
    /// The account.
    pub user_id: i64,
    /// How their days are cut.
    pub days: DayHistory,
    /// Whether a new solve gets an adaptive schedule.
    pub adaptive: bool,
    /// Whether a new solve gets a ladder.
    pub ladder: bool,
    /// The settings in force.
    pub settings: Arc<Interned>,
    /// Revisions a day that the spread of an import, or after a pause, keeps to.
    pub daily_cap: i32,
    /// Solves that close the ring of a day.
    pub goal_solves: i32,
    /// Revisions that close the ring of a day, where so many are due.
    pub goal_revisions: i32,
}

impl Learner {
    /// The schedules that a new solve gets.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        [(self.ladder, Kind::Ladder), (self.adaptive, Kind::Adaptive)]
            .into_iter()
            .filter_map(|(wanted, kind)| wanted.then_some(kind))
    }
}
