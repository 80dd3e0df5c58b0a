//! Which day each of many revisions that an import brings is put on, so that they do not all fall
//! due at once.
//!
//! A revision is never put before the day that it is due on, nor before today. As long as a day has
//! fewer revisions than the cap it takes another one; so no day gets more than the cap, unless it
//! had more before. The same load and the same order of revisions give the same days.

use super::fuzz::LAST_DAY;
use chrono::{Days, NaiveDate};

/// How many days ahead are kept to the cap: over 270 years. What does not fit into them goes
/// beyond, however full it is there.
const HORIZON: usize = 100_000;

/// Days and what is due on each, from today on.
#[derive(Clone, Debug)]
pub struct Spread {
    today: NaiveDate,
    cap: u32,
    days: Vec<Day>,
}

#[derive(Clone, Copy, Debug)]
struct Day {
    load: u32,
    /// The first day from this one on that may have room, as far as is known.
    next: usize,
}

impl Spread {
    /// What a user has pending, as so many on each day. What is overdue waits today.
    #[must_use]
    pub fn new(
        today: NaiveDate,
        cap: u32,
        pending: impl IntoIterator<Item = (NaiveDate, u32)>,
    ) -> Self {
        let mut spread = Self { today, cap: cap.max(1), days: Vec::new() };
        for (due_on, count) in pending {
            let at = spread.place_of(due_on);
            if let Some(day) = spread.day(at) {
                day.load = day.load.saturating_add(count);
            }
        }
        spread
    }

    /// The day that a revision which is due on `due_on` is put on. It then counts there.
    pub fn place(&mut self, due_on: NaiveDate) -> NaiveDate {
        let wanted = self.place_of(due_on);
        let free = self.first_free(wanted);
        if let Some(day) = self.day(free) {
            day.load = day.load.saturating_add(1);
        }
        if free == wanted && due_on > self.today { due_on } else { self.date(free) }
    }

    fn place_of(&self, due_on: NaiveDate) -> usize {
        usize::try_from((due_on - self.today).num_days()).unwrap_or(0).min(HORIZON)
    }

    fn date(&self, at: usize) -> NaiveDate {
        let days = Days::new(u64::try_from(at).unwrap_or(u64::MAX));
        self.today.checked_add_days(days).map_or(LAST_DAY, |day| day.min(LAST_DAY))
    }

    fn day(&mut self, at: usize) -> Option<&mut Day> {
        while self.days.len() <= at {
            self.days.push(Day { load: 0, next: self.days.len() });
        }
        self.days.get_mut(at)
    }

    /// Follows what is known of full days, and shortens the way for the next time.
    fn first_free(&mut self, from: usize) -> usize {
        let cap = self.cap;
        let mut passed = Vec::new();
        let mut at = from;
        while let Some(day) = self.day(at)
            && at < HORIZON
        {
            let next = if day.load < cap { day.next } else { day.next.max(at + 1) };
            if next == at {
                break;
            }
            passed.push(at);
            at = next;
        }
        for full in passed {
            if let Some(day) = self.day(full) {
                day.next = at;
            }
        }
        at
    }
}
