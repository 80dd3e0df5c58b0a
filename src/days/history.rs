//! A change of the day rule, from the instant at which it takes effect.

use super::DayRule;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

/// The day rule that a user has, and the one before it.
///
/// A change closes no day early: the day in which it is made goes on to its own end, and the new
/// rule begins to hold there. Flying west, the last day under the old rule goes on under the new
/// one until that is past it as well; flying east, a date may be skipped. So days never go back and
/// none begins twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayHistory {
    current: DayRule,
    /// The rule before, and the instant at which the current one begins to hold; it may be still to
    /// come.
    previous: Option<(DayRule, DateTime<Utc>)>,
}

impl DayHistory {
    /// As it is stored: the current rule, and the previous one with the instant at which the
    /// current one begins to hold.
    #[must_use]
    pub fn new(current: DayRule, previous: Option<(DayRule, DateTime<Utc>)>) -> Self {
        Self { current, previous }
    }

    /// The rule that the user asked for last. It may be still to take effect.
    #[must_use]
    pub fn current(&self) -> DayRule {
        self.current
    }

    /// The rule before, and the instant at which the current one begins to hold.
    #[must_use]
    pub fn previous(&self) -> Option<(DayRule, DateTime<Utc>)> {
        self.previous
    }

    /// The rule that holds at an instant.
    #[must_use]
    pub fn rule_at(&self, instant: DateTime<Utc>) -> DayRule {
        match self.previous {
            Some((previous, since)) if instant < since => previous,
            _ => self.current,
        }
    }

    /// The local day of an instant, by the rule that holds then.
    #[must_use]
    pub fn local_day(&self, instant: DateTime<Utc>) -> NaiveDate {
        let day = self.rule_at(instant).local_day(instant);
        match self.previous {
            Some((previous, since)) if instant >= since => day.max(last_day(previous, since)),
            _ => day,
        }
    }

    /// The first instant of a local day. A date that a change skips starts as the next one does.
    #[must_use]
    pub fn starts_at(&self, day: NaiveDate) -> DateTime<Utc> {
        match self.previous {
            None => self.current.starts_at(day),
            Some((previous, since)) if day <= last_day(previous, since) => previous.starts_at(day),
            Some((_, since)) => self.current.starts_at(day).max(since),
        }
    }

    /// The first instant after a local day.
    #[must_use]
    pub fn ends_at(&self, day: NaiveDate) -> DateTime<Utc> {
        day.succ_opt().map_or(DateTime::<Utc>::MAX_UTC, |next| self.starts_at(next))
    }

    /// The history after the user asks for another rule: it holds from the end of the day that it
    /// is now. A rule that has not taken effect yet is replaced, as if never asked for.
    #[must_use]
    pub fn change(&self, rule: DayRule, now: DateTime<Utc>) -> Self {
        match self.previous {
            // The rule in effect is still the one before; or the last day under it goes on, behind
            // which the current rule still is. In both cases that day is the one not to cut short.
            Some((previous, since))
                if now < since || self.current.local_day(now) < last_day(previous, since) =>
            {
                Self { current: rule, previous: self.previous }
            }
            _ if rule == self.current => *self,
            _ => {
                let since = self.current.ends_at(self.current.local_day(now));
                Self { current: rule, previous: Some((self.current, since)) }
            }
        }
    }
}

/// The last day that began under a rule which held until `since`.
fn last_day(rule: DayRule, since: DateTime<Utc>) -> NaiveDate {
    let before = since.checked_sub_signed(TimeDelta::nanoseconds(1)).unwrap_or(since);
    rule.local_day(before)
}
