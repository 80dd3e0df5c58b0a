//! One accepted solve, as a file tells it.

use chrono::{DateTime, Duration, TimeZone as _, Utc};

use crate::problems::difficulty::Difficulty;
use crate::problems::identity::{Identity, Platform};
use crate::revisions::rating::Rating;

use super::place::Place;
use super::rows::Reason;

/// Characters that a title may have.
const TITLE_LIMIT: usize = 500;
/// Characters that notes may have.
const NOTES_LIMIT: usize = 10_000;
/// Characters that a judge's own number for a submission may have.
const EXTERNAL_ID_LIMIT: usize = 64;
/// Characters that a language, a source or a tag may have.
const LABEL_LIMIT: usize = 100;
/// Minutes that a solve may take.
const MINUTES_LIMIT: f64 = 100_000.0;
/// Tags that a problem may have.
pub(super) const TAGS_LIMIT: usize = 50;

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
    /// The user's own notes.
    pub notes: Option<String>,
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

    /// What must hold for an item of any format.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self, now: DateTime<Utc>) -> Result<(), Reason> {
        if let Some(at) = self.happened_at {
            in_range(at, now)?;
        }
        for review in &self.reviews {
            in_range(review.happened_at, now)?;
        }
        let title = match &self.problem {
            ProblemRef::Title { title, .. } => Some(title),
            ProblemRef::At(_) => None,
        };
        for (what, text, limit) in [
            ("the title", title, TITLE_LIMIT),
            ("the title", self.title.as_ref(), TITLE_LIMIT),
            ("the notes", self.notes.as_ref(), NOTES_LIMIT),
            ("the submission's id", self.external_id.as_ref(), EXTERNAL_ID_LIMIT),
            ("the language", self.language.as_ref(), LABEL_LIMIT),
            ("the source", self.source.as_ref(), LABEL_LIMIT),
        ] {
            if let Some(text) = text {
                fits(what, text, limit)?;
            }
        }
        if self.external_id.as_deref() == Some("") {
            return Err("the submission's id is empty".into());
        }
        if self.tags.len() > TAGS_LIMIT {
            return Err(format!("more than {TAGS_LIMIT} tags").into());
        }
        self.tags.iter().try_for_each(|tag| fits("a tag", tag, LABEL_LIMIT))?;
        for (what, amount) in [
            ("the run time", self.runtime_ms.map(f64::from)),
            ("the memory", self.memory_kb.map(f64::from)),
            ("the minutes", self.minutes),
        ] {
            if amount.is_some_and(|amount| amount < 0.0) {
                return Err(format!("{what} must not be negative").into());
            }
        }
        if self.minutes.is_some_and(|minutes| minutes > MINUTES_LIMIT) {
            return Err(format!("the minutes must not be above {MINUTES_LIMIT}").into());
        }
        if self.attempts.is_some_and(|attempts| attempts < 1) {
            return Err("an accepted submission has at least 1 attempt".into());
        }
        Ok(())
    }
}

/// A NUL is text to JSON and none to a database.
fn fits(what: &str, text: &str, limit: usize) -> Result<(), Reason> {
    // Bytes are never fewer than characters, so counting is for the rare long ones.
    if text.len() > limit && text.chars().count() > limit {
        return Err(format!("{what} has more than {limit} characters").into());
    }
    if memchr::memchr(0, text.as_bytes()).is_some() {
        return Err(format!("{what} has a NUL character").into());
    }
    Ok(())
}

/// From 2000 to a day ahead of now, for clocks that are wrong.
fn in_range(at: DateTime<Utc>, now: DateTime<Utc>) -> Result<(), Reason> {
    let earliest = Utc.with_ymd_and_hms(2000, 1, 1, 0, 0, 0).single();
    if earliest.is_some_and(|earliest| at < earliest) {
        return Err(format!("the time {at:?} is before 2000").into());
    }
    if at > now + Duration::hours(24) {
        return Err(format!("the time {at:?} is more than 24 hours in the future").into());
    }
    Ok(())
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
