//! Changes of the day rule, each from the instant at which it takes effect.

use super::DayRule;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::sync::Arc;

/// So many past rules are kept. One change takes effect a day at most, so that they reach back for
/// as many days at least. What is older counts by the oldest one that is kept.
pub const PAST_RULES: usize = 100;

/// The day rule that a user has, and those before it, so that what arrives late counts for the day
/// that it was then.
///
/// A change closes no day early: the day in which it is made goes on to its own end, and the new
/// rule begins to hold there. Flying west, the last day under the old rule goes on under the new
/// one until that is past it as well; flying east, a date may be skipped. So days never go back and
/// none begins twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayHistory {
    current: DayRule,
    /// The rules before, the oldest first, each with the instant at which the next one begins to
    /// hold; the last of those instants may be still to come.
    past: Arc<[(DayRule, DateTime<Utc>)]>,
}

impl DayHistory {
    /// As it is stored: the current rule, and those before, the oldest first, each with the instant
    /// at which the next one begins to hold. Of more than [`PAST_RULES`] the latest are kept.
    #[must_use]
    pub fn new(current: DayRule, past: &[(DayRule, DateTime<Utc>)]) -> Self {
        let kept = past.get(past.len().saturating_sub(PAST_RULES)..).unwrap_or_default();
        Self { current, past: kept.into() }
    }

    /// The rule that the user asked for last. It may be still to take effect.
    #[must_use]
    pub fn current(&self) -> DayRule {
        self.current
    }

    /// The rules before, the oldest first, each with the instant at which the next one begins to
    /// hold.
    #[must_use]
    pub fn past(&self) -> &[(DayRule, DateTime<Utc>)] {
        &self.past
    }

    /// The rule that holds at an instant.
    #[must_use]
    pub fn rule_at(&self, instant: DateTime<Utc>) -> DayRule {
        let holding = self.past.iter().find(|(_, until)| instant < *until);
        holding.map_or(self.current, |(rule, _)| *rule)
    }

    /// The local day of an instant, by the rule that holds then.
    #[must_use]
    pub fn local_day(&self, instant: DateTime<Utc>) -> NaiveDate {
        let day = self.rule_at(instant).local_day(instant);
        let over = self.past.iter().take_while(|(_, until)| *until <= instant);
        over.map(|(rule, until)| last_day(*rule, *until)).fold(day, NaiveDate::max)
    }

    /// The first instant of a local day. A date that a change skips starts as the next one does.
    #[must_use]
    pub fn starts_at(&self, day: NaiveDate) -> DateTime<Utc> {
        let mut since = DateTime::<Utc>::MIN_UTC;
        for (rule, until) in self.past.iter() {
            if day <= last_day(*rule, *until) {
                return rule.starts_at(day).max(since);
            }
            since = *until;
        }
        self.current.starts_at(day).max(since)
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
        let today = self.local_day(now);
        // The rule in effect is still one before; or the last day under that goes on, behind which
        // the current rule still is. In both cases that day is the one not to cut short.
        let is_to_come = self.past.last().is_some_and(|(_, since)| now < *since);
        if is_to_come || self.current.local_day(now) < today {
            // Whoever asks for the rule that still holds has changed nothing.
            let kept = match self.past.split_last() {
                Some(((held, _), before)) if is_to_come && *held == rule => before,
                _ => &*self.past,
            };
            return Self { current: rule, past: kept.into() };
        }
        if rule == self.current {
            return self.clone();
        }
        let mut past = self.past.to_vec();
        past.push((self.current, self.current.ends_at(today)));
        Self::new(rule, &past)
    }
}

/// The last day that began under a rule which held until `since`.
fn last_day(rule: DayRule, since: DateTime<Utc>) -> NaiveDate {
    let before = since.checked_sub_signed(TimeDelta::nanoseconds(1)).unwrap_or(since);
    rule.local_day(before)
}
