//! What a client says of a submission: read, checked, and made recognisable.

use super::limits::{
    ATTEMPTS, LONGEST_NAME, LONGEST_NUMBER, MEMORY_KB, MINUTES, RUNTIME_MS, fault_of_amount,
    fault_of_name,
};
use super::model::{SubmissionRow, Verdict};
use crate::db::instant::At;
use crate::http::error::{ApiError, FieldError};
use crate::http::idempotency;
use crate::problems::difficulty::Difficulty;
use crate::problems::naming::{ProblemBody, Reading};
use crate::revisions::happened::check_instant;
use crate::revisions::rating::{Facts, Rating, rate};
use crate::revisions::{GIVEN, by_rule};
use crate::solves::notes::note;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A submission, as a client reports it.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmissionBody {
    /// What it was for.
    problem: ProblemBody,
    /// What the judge said.
    verdict: Verdict,
    /// The programming language: at most 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100, example = "rust")]
    language: Option<String>,
    /// How long it ran, in milliseconds: 0 to 86,400,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 86_400_000)]
    runtime_ms: Option<i64>,
    /// How much memory it took, in kibibytes: 0 to 1,073,741,824.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1_073_741_824)]
    memory_kb: Option<i64>,
    /// When it was handed in; default now. Not before 2000, not more than 24 h in the future.
    #[serde(skip_serializing_if = "Option::is_none")]
    happened_at: Option<At>,
    /// The judge's own number: 1 to 64 characters. With it no `Idempotency-Key` is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 64, example = "1350809914")]
    external_id: Option<String>,
    /// How the solver rates it; else a rule makes a rating of the facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<Rating>,
    /// Tries until this one, which counts: 1 to 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 10_000)]
    attempts: Option<i32>,
    /// Minutes of work: 0 to 100,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100_000)]
    minutes: Option<f64>,
    /// Whether a hint was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint_used: Option<bool>,
    /// Whether a solution was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    solution_viewed: Option<bool>,
    /// The program that sends it: at most 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100, example = "extension")]
    source: Option<String>,
    /// The solver's notes: at most 10,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 10_000)]
    notes: Option<String>,
}

/// A submission that was read and checked.
#[derive(Clone, Debug)]
pub struct Order {
    /// The problem and what is said of it.
    pub problem: Reading,
    /// The key of the request.
    pub key: Option<String>,
    /// What the request says, as one number.
    pub fingerprint: String,
    /// What the judge said.
    pub verdict: Verdict,
    /// The programming language.
    pub language: Option<String>,
    /// How long it ran, in milliseconds.
    pub runtime_ms: Option<i64>,
    /// How much memory it took, in kibibytes.
    pub memory_kb: Option<i64>,
    /// When it was handed in.
    pub happened_at: At,
    /// The judge's own number.
    pub external_id: Option<String>,
    /// How the solver rates it.
    pub rating: Option<Rating>,
    /// Tries until this one.
    pub attempts: Option<i32>,
    /// Minutes of work.
    pub minutes: Option<f64>,
    /// Whether a hint was used.
    pub hint_used: Option<bool>,
    /// Whether a solution was looked at.
    pub solution_viewed: Option<bool>,
    /// The program that sends it.
    pub source: Option<String>,
    /// The solver's notes.
    pub notes: Option<String>,
}

impl Order {
    /// The request as one that brings the verdict of a submission: what triage said of that wins, and
    /// what the request leaves out is as the submission said.
    #[must_use]
    pub fn after(mut self, pending: &SubmissionRow) -> Self {
        let was_triaged = pending.triaged_at.is_some();
        self.rating = match (pending.rating, self.rating) {
            (Some(rating), _) if was_triaged => Some(rating),
            (said, rating) => rating.or(said),
        };
        self.attempts = self.attempts.or(pending.attempts);
        self.minutes = self.minutes.or(pending.minutes);
        self.hint_used = self.hint_used.or(pending.hint_used);
        self.solution_viewed = self.solution_viewed.or(pending.solution_viewed);
        // Who sent it first, and what was written then or in triage, is not written over.
        self.source = pending.source.clone().or(self.source);
        self.notes = pending.notes.clone().or(self.notes);
        self
    }

    /// The rating that was given, or the one that the rule makes of the facts, and which of both.
    #[must_use]
    pub fn rating(&self, difficulty: Option<Difficulty>) -> (Rating, String) {
        if let Some(rating) = self.rating {
            return (rating, GIVEN.to_owned());
        }
        let facts = Facts {
            attempts: self.attempts.and_then(|attempts| u32::try_from(attempts).ok()),
            minutes: self.minutes,
            hint_used: self.hint_used,
            solution_viewed: self.solution_viewed,
        };
        (rate(&facts, difficulty), by_rule())
    }
}

impl SubmissionBody {
    /// Reads and checks the body.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn read(self, key: Option<String>, now: At) -> Result<Order, ApiError> {
        let mut errors = Vec::new();
        let problem =
            self.problem.read("/problem").map_err(|mut faults| errors.append(&mut faults));
        for (pointer, amount, range) in [
            ("/runtime_ms", self.runtime_ms.map(approximately), RUNTIME_MS),
            ("/memory_kb", self.memory_kb.map(approximately), MEMORY_KB),
            ("/attempts", self.attempts.map(f64::from), ATTEMPTS),
            ("/minutes", self.minutes, MINUTES),
        ] {
            if let Some(fault) = amount.and_then(|amount| fault_of_amount(amount, &range)) {
                errors.push(FieldError::new(pointer, fault));
            }
        }
        if let Some(Err(fault)) = self.happened_at.map(|at| check_instant(at, now)) {
            errors.push(FieldError::new("/happened_at", fault));
        }
        let mut name = |pointer: &str, text: Option<String>, most: usize| {
            if let Some(fault) = text.as_deref().and_then(|text| fault_of_name(text, most)) {
                errors.push(FieldError::new(pointer, fault));
            }
            text
        };
        let fingerprint_of = self.clone();
        let language = name("/language", self.language, LONGEST_NAME);
        let source = name("/source", self.source, LONGEST_NAME);
        let external_id = name("/external_id", self.external_id, LONGEST_NUMBER);
        let notes = self.notes.as_deref().map(note).transpose().unwrap_or_else(|fault| {
            errors.push(FieldError::new("/notes", fault));
            None
        });
        let (Ok(problem), true) = (problem, errors.is_empty()) else {
            return Err(ApiError::invalid(errors));
        };
        let fingerprint = fingerprint_of.fingerprint(&problem)?;
        Ok(Order {
            problem,
            key,
            fingerprint,
            verdict: self.verdict,
            language,
            runtime_ms: self.runtime_ms,
            memory_kb: self.memory_kb,
            happened_at: self.happened_at.unwrap_or(now),
            external_id,
            rating: self.rating,
            attempts: self.attempts,
            minutes: self.minutes,
            hint_used: self.hint_used,
            solution_viewed: self.solution_viewed,
            source,
            notes,
        })
    }

    /// What the request says: the fields as sent, with the problem by its identity, however it was
    /// named.
    fn fingerprint(mut self, problem: &Reading) -> Result<String, ApiError> {
        self.problem.url = None;
        self.problem.platform = Some(problem.named.identity.platform);
        self.problem.slug = Some(problem.named.identity.slug.clone());
        // The judge is a part of what a number means.
        let judge = self.external_id.is_some().then_some(problem.judge);
        idempotency::fingerprint(&(self, judge))
    }
}

/// A number to be compared with bounds that a double holds exactly.
fn approximately(number: i64) -> f64 {
    i32::try_from(number).map_or(if number < 0 { f64::MIN } else { f64::MAX }, f64::from)
}
