//! The hours in which a user wants nothing to be sent. Pure.

use crate::days;
use chrono::{DateTime, Days, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;

/// Local hours of every day; where they end earlier than they begin, on the next day. From a time
/// until the same time is never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    /// The zone whose clock counts.
    pub zone: Tz,
    /// When they begin.
    pub from: NaiveTime,
    /// When they are over.
    pub until: NaiveTime,
}

/// The least that is left of hours that last, for a clock that is set back within them.
const LEAST: TimeDelta = TimeDelta::minutes(1);

impl Hours {
    /// Reads what is stored of a user. `None` where they have no such hours, or where somebody else
    /// wrote what nobody can read: then nothing keeps messages back.
    #[must_use]
    pub fn read(zone: &str, from: Option<&str>, until: Option<&str>) -> Option<Self> {
        Some(Self {
            zone: days::zone(zone).ok()?,
            from: days::day_start(from?).ok()?,
            until: days::day_start(until?).ok()?,
        })
    }

    /// When the hours that last at an instant are over; `None` where none do.
    #[must_use]
    pub fn over_at(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let wall = now.with_timezone(&self.zone).naive_local();
        let time = wall.time();
        let lasts = if self.from <= self.until {
            self.from <= time && time < self.until
        } else {
            self.from <= time || time < self.until
        };
        if !lasts {
            return None;
        }
        let today = wall.date();
        let day =
            if time < self.until { Some(today) } else { today.checked_add_days(Days::new(1)) };
        let over = days::instant_of(self.zone, day?, self.until);
        Some(over.max(now + LEAST))
    }
}
