//! What the worker of this process has done, and what waits in the queue, as Prometheus wants it.

use super::model::State;
use super::store::Depth;
use crate::db::instant::At;
use prometheus::core::Collector;
use prometheus::{Gauge, GaugeVec, IntCounter, IntCounterVec, IntGaugeVec, Opts};

/// The figures of the queue.
#[derive(Clone, Debug)]
pub struct Tally {
    attempts: IntCounterVec,
    depth: IntGaugeVec,
    lag: GaugeVec,
    /// Attempts that had their effect.
    pub done: IntCounter,
    /// Attempts that failed and will be repeated.
    pub failed: IntCounter,
    /// Attempts that failed for the last time.
    pub dead: IntCounter,
    /// Acknowledgements that changed nothing, because the lease was another's.
    pub stale: IntCounter,
    /// Jobs that were claimed, not started and given back.
    pub released: IntCounter,
    /// Jobs whose lease had run out.
    pub rescued: IntCounter,
}

impl Tally {
    /// Figures that begin at zero.
    ///
    /// # Errors
    /// Where a name cannot be used, which no test would let pass.
    pub fn new() -> Result<Self, prometheus::Error> {
        let attempts = IntCounterVec::new(
            Opts::new("traverse_job_attempts_total", "Attempts at jobs that ended."),
            &["outcome"],
        )?;
        let count = |outcome| attempts.with_label_values(&[outcome]);
        Ok(Self {
            done: count("done"),
            failed: count("failed"),
            dead: count("dead"),
            stale: count("stale"),
            attempts: attempts.clone(),
            released: IntCounter::new(
                "traverse_jobs_released_total",
                "Jobs claimed, not started, and given back.",
            )?,
            rescued: IntCounter::new(
                "traverse_jobs_rescued_total",
                "Jobs taken from a worker that was silent for longer than its lease.",
            )?,
            depth: IntGaugeVec::new(
                Opts::new("traverse_jobs", "Jobs that have not ended well, in the database."),
                &["kind", "state"],
            )?,
            lag: GaugeVec::new(
                Opts::new(
                    "traverse_job_lag_seconds",
                    "For how long the first of the jobs that wait has been due.",
                ),
                &["kind"],
            )?,
        })
    }

    /// What a registry collects.
    #[must_use]
    pub fn collectors(&self) -> [Box<dyn Collector>; 5] {
        [
            Box::new(self.attempts.clone()),
            Box::new(self.released.clone()),
            Box::new(self.rescued.clone()),
            Box::new(self.depth.clone()),
            Box::new(self.lag.clone()),
        ]
    }

    /// Shows what is in the database now.
    pub fn show(&self, depths: &[Depth], now: At) {
        self.depth.reset();
        self.lag.reset();
        for depth in depths {
            let labels = [depth.kind.as_str(), depth.state.as_str()];
            self.depth.with_label_values(&labels).set(depth.jobs);
            if depth.state == State::Pending {
                let lag: Gauge = self.lag.with_label_values(&[depth.kind.as_str()]);
                lag.set(depth.lag(now));
            }
        }
    }
}

/// A number of rows, as counters want it.
#[must_use]
pub fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
