//! Pauses and their days.

use crate::days::days_later;
use crate::db::instant::At;
use crate::schema::{paused_days, pauses};
use chrono::NaiveDate;
use diesel::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

/// The longest pause, in days.
pub const LONGEST: i64 = 366;
/// A pause may begin so many days ago: whoever was ill may say so afterwards.
pub const BACK: i64 = 31;
/// A pause may begin so many days from now.
pub const AHEAD: i64 = 366;

/// A pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Queryable, Serialize, ToSchema)]
pub struct Pause {
    /// Its number.
    pub id: i64,
    /// The first local day.
    pub from: NaiveDate,
    /// The last local day.
    pub until: NaiveDate,
    /// When it was asked for.
    pub created_at: At,
}

/// The columns of a [`Pause`].
pub const PAUSE: (pauses::id, pauses::from_day, pauses::until_day, pauses::created_at) =
    (pauses::id, pauses::from_day, pauses::until_day, pauses::created_at);

/// The days of a pause, the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    from: NaiveDate,
    until: NaiveDate,
}

/// Why there is no such pause: the member, and what was expected.
pub type Unacceptable = (&'static str, String);

impl Span {
    /// The days from `from` to `until`, for a pause that is asked for `today`.
    ///
    /// # Errors
    /// [`Unacceptable`] for days in the wrong order, too many, or too far away.
    pub fn new(from: NaiveDate, until: NaiveDate, today: NaiveDate) -> Result<Self, Unacceptable> {
        if until < from {
            return Err(("/until", format!("{until} is before {from}")));
        }
        let (first, last) = (days_later(today, -BACK), days_later(today, AHEAD));
        if from < first || from > last {
            return Err(("/from", format!("{from}, expected {first} to {last}")));
        }
        if until > days_later(from, LONGEST - 1) {
            return Err(("/until", format!("more than {LONGEST} days from {from} on")));
        }
        Ok(Self { from, until })
    }

    /// The first day.
    #[must_use]
    pub fn from(&self) -> NaiveDate {
        self.from
    }

    /// The last day.
    #[must_use]
    pub fn until(&self) -> NaiveDate {
        self.until
    }

    /// The days, in order.
    pub fn days(&self) -> impl Iterator<Item = NaiveDate> {
        let until = self.until;
        self.from.iter_days().take_while(move |day| *day <= until)
    }

    /// Whether these are the days of a pause.
    #[must_use]
    pub fn is_of(&self, pause: &Pause) -> bool {
        (pause.from, pause.until) == (self.from, self.until)
    }
}

/// A paused day to be stored.
#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = paused_days, treat_none_as_default_value = false)]
pub struct NewPausedDay {
    /// Whose it is.
    pub user_id: i64,
    /// The local day.
    pub day: NaiveDate,
    /// The pause that it is of.
    pub pause_id: i64,
}
