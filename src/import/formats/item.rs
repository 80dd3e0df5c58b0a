//! One accepted solve, as a file tells it.

use chrono::{DateTime, Utc};

use crate::problems::difficulty::Difficulty;
use crate::problems::identity::{Identity, Platform};
use crate::problems::naming::{fault_of_tags, fault_of_title};
use crate::revisions::happened::check_instant;
use crate::revisions::rating::Rating;
use crate::solves::notes;
use crate::submissions::limits::{
    ATTEMPTS, LONGEST_NAME, LONGEST_NUMBER, MEMORY_KB, MINUTES, RUNTIME_MS, fault_of_amount,
    fault_of_name,
};

use super::place::Place;
use super::rows::Reason;

/// Reviews that a row may have: a solve of the API has one for each time it came back. A row that
/// makes more would fill a transaction alone.
const REVIEWS_LIMIT: usize = 1000;

/// An accepted solve of one problem, with what the file says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Which problem.
    pub problem: ProblemRef,
    /// The problem's title there; a label, never an identity.
    pub title: Option<String>,
    /// The problem's number, where it stands in a column beside a slug column or a title. A known
    /// problem that has this slug and another number makes the row ambiguous. Absent where the
    /// slug is the judge's own (a URL), which wins over any number.
    pub number: Option<u32>,
    /// The problem's difficulty there.
    pub difficulty: Option<Difficulty>,
    /// The problem's tags there.
    pub tags: Vec<String>,
    /// When it was solved; absent exactly when the precision is [`Precision::Unknown`].
    pub happened_at: Option<DateTime<Utc>>,
    /// How much of `happened_at` is known.
    pub precision: Precision,
    /// The programming language, as the judge calls it.
    pub language: Option<String>,
    /// The judge's own number for the submission.
    pub external_id: Option<String>,
    /// The site whose number `external_id` is.
    pub judge: Option<&'static str>,
    /// Run time in milliseconds.
    pub runtime_ms: Option<i32>,
    /// Memory in units of 1024 bytes.
    pub memory_kb: Option<i32>,
    /// Attempts until it was accepted, this one included.
    pub attempts: Option<i32>,
    /// Minutes that it took.
    pub minutes: Option<f64>,
    /// How hard it was to recall.
    pub rating: Option<Rating>,
    /// Whether a hint was used.
    pub hint_used: Option<bool>,
    /// Whether the solution was looked at.
    pub solution_viewed: Option<bool>,
    /// Which program reported it first.
    pub source: Option<String>,
    /// The user's own notes of the submission.
    pub notes: Option<String>,
    /// The user's own notes of the solve, where the item is one.
    pub solve_notes: Option<String>,
    /// Reviews after the solve, oldest first.
    pub reviews: Vec<Review>,
}

impl Item {
    /// An item of which nothing is known but its problem and who judged it.
    pub(super) fn at(place: Place) -> Self {
        let judge = Some(place.judge);
        Self { judge, ..Self::of(ProblemRef::At(place.identity)) }
    }

    /// An item of which nothing is known but its problem.
    pub(super) fn of(problem: ProblemRef) -> Self {
        Self {
            problem,
            title: None,
            number: None,
            difficulty: None,
            tags: Vec::new(),
            happened_at: None,
            precision: Precision::Unknown,
            language: None,
            external_id: None,
            judge: None,
            runtime_ms: None,
            memory_kb: None,
            attempts: None,
            minutes: None,
            rating: None,
            hint_used: None,
            solution_viewed: None,
            source: None,
            notes: None,
            solve_notes: None,
            reviews: Vec::new(),
        }
    }

    /// When it was solved, as far as the item tells: where only reviews are known, by the first of
    /// them.
    #[must_use]
    pub fn solved(&self) -> (Option<DateTime<Utc>>, Precision) {
        match (self.happened_at, self.reviews.first()) {
            (None, Some(first)) => (Some(first.happened_at), Precision::UpperBound),
            (happened_at, _) => (happened_at, self.precision),
        }
    }

    /// What must hold for an item of any format: what must hold for a request, too.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self, now: DateTime<Utc>) -> Result<(), Reason> {
        let instants = self.reviews.iter().map(|review| review.happened_at);
        for at in self.happened_at.into_iter().chain(instants) {
            if let Err(fault) = check_instant(at.into(), now.into()) {
                return Err(format!("the time {at:?} is {fault}").into());
            }
        }
        if self.reviews.len() > REVIEWS_LIMIT {
            return Err(format!("the reviews: at most {REVIEWS_LIMIT} of one row").into());
        }
        let alone = match &self.problem {
            ProblemRef::Title { title, .. } => Some(title),
            ProblemRef::At(_) => None,
        };
        if alone.is_some_and(|title| title.contains('\0')) {
            return Err("the title: no NUL character".into());
        }
        for title in alone.into_iter().chain(&self.title) {
            refuse("the title", fault_of_title(title))?;
        }
        refuse("the tags", fault_of_tags(&self.tags))?;
        for notes in [&self.notes, &self.solve_notes] {
            refuse("the notes", notes.as_deref().and_then(notes::fault_of))?;
        }
        for (what, name, most) in [
            ("the submission's id", &self.external_id, LONGEST_NUMBER),
            ("the language", &self.language, LONGEST_NAME),
            ("the source", &self.source, LONGEST_NAME),
        ] {
            refuse(what, name.as_deref().and_then(|name| fault_of_name(name, most)))?;
        }
        for (what, amount, range) in [
            ("the run time", self.runtime_ms.map(f64::from), RUNTIME_MS),
            ("the memory", self.memory_kb.map(f64::from), MEMORY_KB),
            ("the attempts", self.attempts.map(f64::from), ATTEMPTS),
            ("the minutes", self.minutes, MINUTES),
        ] {
            refuse(what, amount.and_then(|amount| fault_of_amount(amount, &range)))?;
        }
        Ok(())
    }
}

fn refuse(what: &str, fault: Option<String>) -> Result<(), Reason> {
    fault.map_or(Ok(()), |fault| Err(format!("{what}: {fault}").into()))
}

/// Which problem a row means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemRef {
    /// Identified by the file: a URL, or a platform and its slug.
    At(Identity),
    /// Only a title: a known problem that has exactly this one, else ambiguous.
    Title {
        /// Where the problem is from, if the file says so.
        platform: Option<Platform>,
        /// The title, which is then not repeated in [`Item::title`].
        title: String,
    },
}

/// How much of an item's time is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// To the second or better.
    Exact,
    /// To the minute.
    Minute,
    /// Only the calendar day; the instant is that day's noon in the zone of the file.
    Day,
    /// Solved then or before.
    UpperBound,
    /// Not at all: no time, no streak, no heat map.
    Unknown,
}

impl Precision {
    const ALL: [Self; 5] = [Self::Exact, Self::Minute, Self::Day, Self::UpperBound, Self::Unknown];

    /// The precision that has this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|precision| precision.as_str() == name)
    }

    /// The name in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Minute => "minute",
            Self::Day => "day",
            Self::UpperBound => "upper_bound",
            Self::Unknown => "unknown",
        }
    }
}

/// A review that the file records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// When it was done.
    pub happened_at: DateTime<Utc>,
    /// How it went.
    pub rating: Rating,
}
