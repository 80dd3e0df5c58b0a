//! Which day each of many revisions is put on that an import brings, or that a pause has left, so that
//! they do not all fall due at once.
//!
//! A revision is never put before the day that it is due on, nor before today. As long as a day has
//! fewer revisions than the cap it takes another one; so no day gets more than the cap, unless it
//! had more before. The same load and the same order of revisions give the same days.

use super::fuzz::LAST_DAY;
use chrono::{Days, NaiveDate};
use std::collections::BTreeMap;

/// How many days ahead are kept to the cap: over 270 years. What does not fit into them goes
/// beyond, however full it is there.
const HORIZON: usize = 100_000;

/// Days and what is due on each, from today on.
#[derive(Clone, Debug)]
pub struct Spread {
    today: NaiveDate,
    cap: u32,
    loads: Vec<u32>,
    /// The first and the last day of each run of days that are full, none of them beside another.
    full: BTreeMap<usize, usize>,
}

impl Spread {
    /// What a user has pending, as so many on each day. What is overdue waits today.
    #[must_use]
    pub fn new(
        today: NaiveDate,
        cap: u32,
        pending: impl IntoIterator<Item = (NaiveDate, u32)>,
    ) -> Self {
        let mut spread = Self { today, cap: cap.max(1), loads: Vec::new(), full: BTreeMap::new() };
        for (due_on, count) in pending {
            spread.add(spread.place_of(due_on), count);
        }
        spread
    }

    /// The day that a revision which is due on `due_on` is put on. It then counts there.
    pub fn place(&mut self, due_on: NaiveDate) -> NaiveDate {
        let wanted = self.place_of(due_on);
        let free = self.first_free(wanted);
        self.add(free, 1);
        if free == wanted && due_on > self.today { due_on } else { self.date(free) }
    }

    /// Counts a revision no more that was due on `due_on`.
    pub fn leave(&mut self, due_on: NaiveDate) {
        let at = self.place_of(due_on);
        let Some(load) = self.loads.get_mut(at) else {
            return;
        };
        *load = load.saturating_sub(1);
        if *load < self.cap
            && let Some((first, last)) = self.run_around(at)
        {
            self.full.remove(&first);
            if first < at {
                self.full.insert(first, at - 1);
            }
            if at < last {
                self.full.insert(at + 1, last);
            }
        }
    }

    fn place_of(&self, due_on: NaiveDate) -> usize {
        usize::try_from((due_on - self.today).num_days()).unwrap_or(0).min(HORIZON)
    }

    fn date(&self, at: usize) -> NaiveDate {
        let days = Days::new(u64::try_from(at).unwrap_or(u64::MAX));
        self.today.checked_add_days(days).map_or(LAST_DAY, |day| day.min(LAST_DAY))
    }

    fn add(&mut self, at: usize, count: u32) {
        if self.loads.len() <= at {
            self.loads.resize(at + 1, 0);
        }
        let Some(load) = self.loads.get_mut(at) else {
            return;
        };
        *load = load.saturating_add(count);
        if *load < self.cap || at >= HORIZON || self.run_around(at).is_some() {
            return;
        }
        let before = self.full.range(..at).next_back().map(|(first, last)| (*first, *last));
        let first = before.filter(|(_, last)| last + 1 == at).map_or(at, |(first, _)| first);
        let last = self.full.remove(&(at + 1)).unwrap_or(at);
        self.full.insert(first, last);
    }

    /// The run of full days that a day is in.
    fn run_around(&self, at: usize) -> Option<(usize, usize)> {
        let (first, last) = self.full.range(..=at).next_back()?;
        (*last >= at).then_some((*first, *last))
    }

    fn first_free(&self, from: usize) -> usize {
        self.run_around(from).map_or(from, |(_, last)| last + 1).min(HORIZON)
    }
}
