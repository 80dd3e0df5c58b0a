//! How a user wants to be scheduled. Every state stores the settings that it was made with, so
//! they are kept once, as canonical text, and referred to by id: equal settings are equal text.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::adaptive::Model;

/// The only algorithm version so far: FSRS-6, 21 weights, no learning steps.
pub const ALGORITHM: &str = "fsrs-6";

/// The bounds of [`Settings::desired_retention`].
pub const RETENTION: std::ops::RangeInclusive<f64> = 0.70..=0.99;

/// The bounds of every interval, in days.
pub const INTERVAL_DAYS: std::ops::RangeInclusive<u32> = 1..=36_500;

/// The most steps that a ladder may have.
pub const LADDER_STEPS: usize = 30;

/// The weights of an FSRS-6 model.
pub const PARAMETERS: usize = 21;

/// What a schedule depends on besides its log.
///
/// The order of the fields is the order in the canonical text: it never changes, and a new field
/// goes to the end, with a default, and is left out of the text while it has that default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Days between the reviews of a ladder: 1 to 30 entries of 1 to 36500, none below the one
    /// before it.
    pub ladder_days: Vec<u32>,
    /// The probability of recall at which an adaptive review falls due: 0.70 to 0.99.
    pub desired_retention: f64,
    /// No interval is longer, in days: 1 to 36500.
    pub maximum_interval: u32,
    /// Whether adaptive intervals are spread a little, so that what was solved on one day does not
    /// return on one day for ever.
    pub fuzz: bool,
    /// Whether the least loaded day inside the fuzz window is taken.
    pub load_balance: bool,
    /// How much of the load each weekday takes, Monday first: 0 to 1, not all 0.
    pub weekday_weights: [f64; 7],
    /// The user's own 21 FSRS-6 weights; `None` for the default ones.
    pub parameters: Option<Vec<f32>>,
    /// The version of the adaptive algorithm: `fsrs-6`.
    pub algorithm: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ladder_days: vec![1, 3, 7, 14, 30, 60, 120],
            desired_retention: 0.90,
            maximum_interval: 180,
            fuzz: true,
            load_balance: false,
            weekday_weights: [1.0; 7],
            parameters: None,
            algorithm: ALGORITHM.to_owned(),
        }
    }
}

/// One thing that is wrong with [`Settings`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {found}, expected {expected}")]
pub struct Fault {
    /// Where, as a JSON pointer (RFC 6901) into the settings.
    pub pointer: String,
    /// What is there.
    pub found: String,
    /// What may be there.
    pub expected: &'static str,
}

impl Settings {
    /// Everything that is wrong with the settings; empty when they may be used.
    #[must_use]
    pub fn validate(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut fault = |pointer: String, found: String, expected: &'static str| {
            faults.push(Fault { pointer, found, expected });
        };

        let steps = self.ladder_days.len();
        if (1..=LADDER_STEPS).contains(&steps) {
            let mut before = 0;
            for (place, &days) in self.ladder_days.iter().enumerate() {
                let pointer = format!("/ladder_days/{place}");
                if !INTERVAL_DAYS.contains(&days) {
                    fault(pointer, format!("{days} days"), "1 to 36500 days");
                } else if days < before {
                    fault(
                        pointer,
                        format!("{days} days after {before}"),
                        "no fewer days than the step before it",
                    );
                }
                before = days;
            }
        } else {
            fault("/ladder_days".to_owned(), format!("{steps} steps"), "1 to 30 steps");
        }

        if !RETENTION.contains(&self.desired_retention) {
            let found = self.desired_retention.to_string();
            fault("/desired_retention".to_owned(), found, "a probability from 0.70 to 0.99");
        }
        if !INTERVAL_DAYS.contains(&self.maximum_interval) {
            let found = format!("{} days", self.maximum_interval);
            fault("/maximum_interval".to_owned(), found, "1 to 36500 days");
        }

        for (place, weight) in self.weekday_weights.iter().enumerate() {
            if !(0.0..=1.0).contains(weight) {
                let pointer = format!("/weekday_weights/{place}");
                fault(pointer, weight.to_string(), "a weight from 0 to 1");
            }
        }
        if self.weekday_weights.iter().all(|&weight| weight == 0.0) {
            let pointer = "/weekday_weights".to_owned();
            fault(pointer, "0 for every day".to_owned(), "at least one day above 0");
        }

        if let Some(parameters) = &self.parameters {
            if parameters.len() == PARAMETERS {
                for (place, weight) in parameters.iter().enumerate() {
                    if !weight.is_finite() {
                        let pointer = format!("/parameters/{place}");
                        fault(pointer, weight.to_string(), "a finite number");
                    }
                }
            } else {
                let found = format!("{} weights", parameters.len());
                fault("/parameters".to_owned(), found, "the 21 weights of FSRS-6");
            }
        }
        if self.algorithm != ALGORITHM {
            let found = format!("{:?}", self.algorithm);
            fault("/algorithm".to_owned(), found, "\"fsrs-6\"");
        }
        faults
    }

    /// The text under which the settings are kept: settings that schedule alike have equal text.
    ///
    /// # Errors
    /// When a number is not finite; [`validate`](Self::validate) finds those first.
    pub fn to_canonical_json(&self) -> Result<String, serde_json::Error> {
        let mut canonical = self.clone();
        for weight in &mut canonical.weekday_weights {
            // -0 schedules like 0 but is written otherwise; -0 + 0 is 0.
            *weight += 0.0;
        }
        for weight in canonical.parameters.iter_mut().flatten() {
            *weight += 0.0;
        }
        serde_json::to_string(&canonical)
    }

    /// Whether memories and raw intervals come out alike under both, so that an interval planned
    /// under one can be compared with an interval planned under the other.
    #[must_use]
    pub fn recalls_like(&self, other: &Self) -> bool {
        self.desired_retention.total_cmp(&other.desired_retention).is_eq()
            && self.remembers_like(other)
    }

    /// Whether memories come out alike under both.
    #[must_use]
    pub fn remembers_like(&self, other: &Self) -> bool {
        self.parameters == other.parameters && self.algorithm == other.algorithm
    }
}

/// Settings as they are kept: with their id, and with the model that they describe built once.
#[derive(Debug, Clone)]
pub struct Interned {
    id: i64,
    settings: Settings,
    model: Model,
}

impl Interned {
    /// The settings kept under `id`.
    #[must_use]
    pub fn new(id: i64, settings: Settings) -> Self {
        let model = Model::new(&settings);
        Self { id, settings, model }
    }

    /// The id that a state refers to.
    #[must_use]
    pub const fn id(&self) -> i64 {
        self.id
    }

    /// The settings themselves.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The adaptive model that the settings describe.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }
}
