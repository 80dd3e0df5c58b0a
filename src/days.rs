//! Local days: the day that an instant belongs to for one user, who has a time zone and an hour at
//! which the day begins.
//!
//! Always true here:
//! - [`DayRule::local_day`] never goes back as time goes on, whatever the clocks do.
//! - A day begins once. Where the clock is set back over the day's start, the first passage counts;
//!   where the start falls into a gap, the day begins as the gap ends.
//! - Every instant is in exactly one day: `starts_at(day) <= instant < ends_at(day)`. Days may
//!   have 23, 24 or 25 hours, and a date that the zone skips may have none.
//! - Nothing panics; at the ends of chrono's calendar (some 262,000 years away) the answers stop at
//!   its limits.

mod history;
mod settings;

pub use history::{DayHistory, PAST_RULES};
pub use settings::{BadDayStart, UnknownZone, day_start, zone};

use chrono::{DateTime, FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime};
use chrono::{Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::{GapInfo, Tz};

/// How a user's days are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DayRule {
    /// The zone whose clock counts.
    pub zone: Tz,
    /// The local time at which a new day begins: at `04:00`, what happens at three in the morning
    /// still belongs to the evening before.
    pub day_starts_at: NaiveTime,
}

impl DayRule {
    /// The local day of an instant: the last day that has begun.
    #[must_use]
    pub fn local_day(&self, instant: DateTime<Utc>) -> NaiveDate {
        let wall = local(self.zone, instant);
        let since_midnight = self.day_starts_at.signed_duration_since(NaiveTime::MIN);
        let mut day =
            wall.checked_sub_signed(since_midnight).map_or(NaiveDate::MIN, |time| time.date());
        // After the clock was set back over the start of a day, the wall reads the day before once
        // more.
        while let Some(next) = day.succ_opt() {
            if self.starts_at(next) > instant {
                break;
            }
            day = next;
        }
        day
    }

    /// The first instant of a local day: the first at which the wall shows this date and the day's
    /// start, or something later. A day that the zone skips whole starts as the next one does.
    #[must_use]
    pub fn starts_at(&self, day: NaiveDate) -> DateTime<Utc> {
        let wall = day.and_time(self.day_starts_at);
        let reading = Reading::of(self.zone, wall);
        instant(reading.gap.unwrap_or(wall), reading.offset)
    }

    /// The first instant after a local day.
    #[must_use]
    pub fn ends_at(&self, day: NaiveDate) -> DateTime<Utc> {
        day.succ_opt().map_or(DateTime::<Utc>::MAX_UTC, |next| self.starts_at(next))
    }
}

/// The day that is so many days after another, or before it, where `days` is below 0. Where that
/// lies beyond chrono's calendar, the calendar's last day, or its first.
#[must_use]
pub fn days_later(day: NaiveDate, days: i64) -> NaiveDate {
    let end = if days < 0 { NaiveDate::MIN } else { NaiveDate::MAX };
    TimeDelta::try_days(days).and_then(|days| day.checked_add_signed(days)).unwrap_or(end)
}

/// A local time as an instant, read as RFC 5545 (section 3.3.5) reads it: a time that a gap of the
/// clock leaves out by the offset before the gap, one that occurs twice as the first.
///
/// Inside of a gap this differs from [`DayRule::starts_at`], for which the end of the gap counts.
#[must_use]
pub fn instant_of(zone: Tz, date: NaiveDate, time: NaiveTime) -> DateTime<Utc> {
    let wall = date.and_time(time);
    instant(wall, Reading::of(zone, wall).offset)
}

/// How a wall time is to be read.
struct Reading {
    /// The zone's distance from UTC at the first passage of the wall time, or before its gap.
    offset: FixedOffset,
    /// The first wall time of the gap, if the wall time is in one. By the offset before, this is
    /// the instant at which the gap ends as well.
    gap: Option<NaiveDateTime>,
}

impl Reading {
    fn of(zone: Tz, wall: NaiveDateTime) -> Self {
        match zone.offset_from_local_datetime(&wall) {
            MappedLocalTime::Single(offset) | MappedLocalTime::Ambiguous(offset, _) => {
                Self { offset: offset.fix(), gap: None }
            }
            MappedLocalTime::None => match GapInfo::new(&wall, &zone).and_then(|gap| gap.begin) {
                Some((begin, before)) => Self { offset: before.fix(), gap: Some(begin) },
                // No gap lacks a beginning; any offset of the zone will do.
                None => Self { offset: zone.offset_from_utc_datetime(&wall).fix(), gap: None },
            },
        }
    }
}

/// What the wall clock of a zone shows.
fn local(zone: Tz, instant: DateTime<Utc>) -> NaiveDateTime {
    let utc = instant.naive_utc();
    let offset = zone.offset_from_utc_datetime(&utc).fix();
    utc.checked_add_offset(offset).unwrap_or(utc)
}

fn instant(wall: NaiveDateTime, offset: FixedOffset) -> DateTime<Utc> {
    wall.checked_sub_offset(offset).unwrap_or(wall).and_utc()
}
