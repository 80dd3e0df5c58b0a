//! What the worker of this process has delivered, as Prometheus wants it.

use super::model::{Channel, Outcome};
use prometheus::{IntCounterVec, Opts};

/// The figures of deliveries.
#[derive(Clone, Debug)]
pub struct Tally(IntCounterVec);

impl Tally {
    /// Figures that begin at zero.
    ///
    /// # Errors
    /// Where a name cannot be used, which no test would let pass.
    pub fn new() -> Result<Self, prometheus::Error> {
        let ended = IntCounterVec::new(
            Opts::new("traverse_deliveries_total", "Attempts to deliver a notification."),
            &["channel", "outcome"],
        )?;
        Ok(Self(ended))
    }

    /// Counts an attempt whose end was written down.
    pub fn count(&self, channel: Channel, outcome: &Outcome) {
        let outcome = match outcome {
            Outcome::Sent => "sent",
            Outcome::Skipped(_) => "skipped",
            Outcome::Deferred(_) => "deferred",
            Outcome::Failed { wait: Some(_), .. } => "failed",
            Outcome::Failed { wait: None, .. } => "dead",
        };
        self.0.with_label_values(&[channel.as_str(), outcome]).inc();
    }

    /// Counts an attempt whose end changed nothing, because the lease was another's.
    pub fn count_stale(&self, channel: Channel) {
        self.0.with_label_values(&[channel.as_str(), "stale"]).inc();
    }

    /// How many attempts ended so.
    #[must_use]
    pub fn get(&self, channel: Channel, outcome: &str) -> u64 {
        self.0.with_label_values(&[channel.as_str(), outcome]).get()
    }

    /// What a registry collects.
    #[must_use]
    pub fn collector(&self) -> IntCounterVec {
        self.0.clone()
    }
}
