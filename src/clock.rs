//! The only source of the present. Everything else takes the time as a parameter.

use crate::db::instant::At;
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Tells what time it is.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// A clock that a test sets, in microseconds since the epoch.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands still at `instant`.
    #[must_use]
    pub fn standing_at(instant: DateTime<Utc>) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(instant.timestamp_micros())))
    }

    /// The present, to the microsecond.
    #[must_use]
    pub fn now(&self) -> At {
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is the clock")]
            Self::System => Utc::now().into(),
            Self::Manual(micros) => DateTime::from_timestamp_micros(micros.load(Ordering::SeqCst))
                .unwrap_or_default()
                .into(),
        }
    }

    /// Moves a manual clock; the system's clock stays as it is.
    pub fn advance(&self, by: TimeDelta) {
        if let Self::Manual(micros) = self {
            micros.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
        }
    }
}
