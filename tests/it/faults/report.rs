//! The lines of the table in `docs/reliability.md`.

use super::worker::{LEASE, SWEEP};
use crate::harness::Backend;
use std::time::Duration;

/// The longest that a repair may take: the lease, and the sweep behind it.
pub const REPAIR: Duration = LEASE.saturating_add(SWEEP);

/// What a machine with other things to do may add.
pub const SLACK: Duration = Duration::from_secs(8);

/// What came of a fault.
#[derive(Debug, Default)]
pub struct Report {
    pub times: usize,
    pub in_flight: usize,
    pub lost: usize,
    pub doubled: usize,
    /// How long each repair took.
    pub repairs: Vec<Duration>,
}

impl Report {
    /// Prints it as a line of the table; nothing may be lost or doubled.
    #[track_caller]
    pub fn print(mut self, fault: &str, backend: Backend, bound: Duration) {
        self.repairs.sort();
        let median = self.repairs.get(self.repairs.len() / 2).copied().unwrap_or_default();
        let longest = self.repairs.last().copied().unwrap_or_default();
        let repair = match self.repairs[..] {
            [] => "–".to_owned(),
            _ => format!(
                "{:.1} s, at most {:.1} s, of {:.1} s",
                median.as_secs_f64(),
                longest.as_secs_f64(),
                bound.as_secs_f64()
            ),
        };
        let Self { times, in_flight, lost, doubled, .. } = self;
        eprintln!(
            "| {fault} | {backend:?} | {times} | {in_flight} | {lost} | {doubled} | {repair} |"
        );
        assert!(self.times > 0 && self.in_flight >= self.times, "nothing was in flight");
        assert_eq!((self.lost, self.doubled), (0, 0));
        assert!(longest <= bound + SLACK, "{longest:?}");
    }
}
