//! Which day inside a window around the raw interval is taken. The choice is a function of the
//! solve and of the step's number, for ever: no state, no clock, no hash of the standard library.

use chrono::{Datelike, Days, NaiveDate};

use super::rating::Rating;
use super::settings::INTERVAL_DAYS;

/// The last day that anything is due on. Dates are written with four digits of the year in the
/// calendar feed (RFC 5545, 3.3.4) and sort as text.
pub const LAST_DAY: NaiveDate = match NaiveDate::from_ymd_opt(9999, 12, 31) {
    Some(day) => day,
    None => NaiveDate::MAX,
};

/// Half the width of a window: one day, and of each part of the interval a share. Written in half
/// days and thousandths of a day per half day, so that it is exact: 15 % of what lies between 2.5
/// and 7 days, 10 % up to 20, 5 % beyond; below 2.5 days nothing is moved. The numbers are those of
/// the FSRS reference implementation and of Anki.
const RANGES: [(u32, u32, u32); 3] = [(5, 14, 75), (14, 40, 50), (40, u32::MAX, 25)];

/// The intervals that may be taken instead of the raw one, in days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The shortest, at least 1.
    pub min: u32,
    /// The longest, at least `min`.
    pub max: u32,
    /// The one nearest to the raw interval.
    pub ideal: u32,
}

impl Window {
    /// A window that leaves no choice.
    #[must_use]
    pub const fn only(days: u32) -> Self {
        Self { min: days, max: days, ideal: days }
    }

    /// Whether `days` lies inside.
    #[must_use]
    pub const fn contains(self, days: u32) -> bool {
        self.min <= days && days <= self.max
    }
}

/// The interval before the review that a new one is planned after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Previous {
    /// As it was planned, in days.
    pub interval: u32,
    /// How the review was rated.
    pub rating: Rating,
    /// Whether both intervals are planned for the same retention and weights. Where the user
    /// changed them, a shorter interval is what was asked for.
    pub comparable: bool,
}

/// The window around `raw` days: never below 1, never above `maximum`; where `raw` grew above the
/// previous interval, longer than it; where it did not, for good and easy, no shorter than it.
#[must_use]
pub fn window(raw: u32, previous: Option<Previous>, maximum: u32) -> Window {
    let maximum = maximum.clamp(*INTERVAL_DAYS.start(), *INTERVAL_DAYS.end());
    let raw = raw.clamp(1, maximum);
    let floor = match previous {
        Some(previous) if raw > previous.interval => previous.interval.saturating_add(1),
        Some(previous) if previous.comparable && previous.rating.is_fluent() => previous.interval,
        _ => 1,
    }
    .clamp(1, maximum);

    let spread = spread(raw);
    let max = raw.saturating_add(spread).clamp(floor, maximum);
    let min = raw.saturating_sub(spread).clamp(floor, max);
    Window { min, max, ideal: raw.clamp(min, max) }
}

/// Half the width of the window around `raw`, rounded to whole days.
fn spread(raw: u32) -> u32 {
    let halves = raw.saturating_mul(2);
    if halves < 5 {
        return 0;
    }
    let thousandths = RANGES
        .iter()
        .map(|&(from, to, share)| halves.min(to).saturating_sub(from).saturating_mul(share))
        .fold(1_000_u32, u32::saturating_add);
    thousandths.saturating_add(500) / 1_000
}

/// The interval taken from a window that begins to count on `base`.
///
/// With a `seed` (the solve and the number of the step), a pick by it in proportion to the weights
/// of the weekdays; a weekday of weight 0 only where the window has no other. Without, which is
/// fuzz turned off, the ideal one, unless its weekday has weight 0 and another in the window has
/// not: then the nearest such, the earlier of two.
#[must_use]
pub fn pick(
    window: Window,
    base: NaiveDate,
    weekday_weights: &[f64; 7],
    seed: Option<(i64, u32)>,
) -> u32 {
    let days = || weighted(window, base, weekday_weights);
    let Some((solve_id, ordinal)) = seed else {
        return days()
            .filter(|&(_, weight)| weight > 0.0)
            .map(|(days, _)| days)
            .min_by_key(|&days| (days.abs_diff(window.ideal), days))
            .unwrap_or(window.ideal);
    };
    let total: f64 = days().map(|(_, weight)| weight).sum();
    let mut target = unit(solve_id, ordinal) * total;
    let mut taken = window.ideal;
    for (days, weight) in days().filter(|&(_, weight)| weight > 0.0) {
        taken = days;
        if target < weight {
            break;
        }
        target -= weight;
    }
    taken
}

/// The least loaded day of a window that begins to count on `base`, where `load` says how much is
/// due on a day already and a weekday's weight how much of the load it should take. A weekday of
/// weight 0 is taken only where the window has no other. Of equals the nearest to the ideal
/// interval, and of two as near the earlier.
pub fn balance(
    window: Window,
    load: impl Fn(NaiveDate) -> u32,
    weekday_weights: &[f64; 7],
    base: NaiveDate,
) -> NaiveDate {
    weighted(window, base, weekday_weights)
        .filter(|&(_, weight)| weight > 0.0)
        .map(|(days, weight)| {
            let day = after(base, days);
            // The load with this one added, so that weights count on empty days too.
            let load = (f64::from(load(day)) + 1.0) / weight;
            (load, days.abs_diff(window.ideal), day)
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)))
        .map_or_else(|| after(base, window.ideal), |(_, _, day)| day)
}

/// The day `days` after `base`, no later than [`LAST_DAY`].
#[must_use]
pub fn after(base: NaiveDate, days: u32) -> NaiveDate {
    base.checked_add_days(Days::new(days.into())).map_or(LAST_DAY, |day| day.min(LAST_DAY))
}

/// The intervals of a window with the weight of the weekday each ends on. Weights that are no
/// weights count as 0; where all in the window are 0 they count alike.
fn weighted(
    window: Window,
    base: NaiveDate,
    weekday_weights: &[f64; 7],
) -> impl Iterator<Item = (u32, f64)> + '_ {
    let first = (base.weekday().num_days_from_monday() + window.min % 7) % 7;
    let sane = |weight: f64| {
        if (0.0..=1.0).contains(&weight) { weight } else { 0.0 }
    };
    let on = move || {
        let week = weekday_weights.iter().copied().map(sane).cycle();
        (window.min..=window.max).zip(week.skip(usize::try_from(first).unwrap_or(0)))
    };
    let none = on().all(|(_, weight)| weight <= 0.0);
    on().map(move |(days, weight)| (days, if none { 1.0 } else { weight }))
}

/// A number in `0..1` from a solve and the number of its step: the output function of `SplitMix64`
/// (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014), once for each, of
/// which the upper half is taken. It is part of what a log means and never changes.
fn unit(solve_id: i64, ordinal: u32) -> f64 {
    let mixed = mix(mix(solve_id.cast_unsigned()) ^ u64::from(ordinal));
    let upper = u32::try_from(mixed >> 32).unwrap_or(0);
    f64::from(upper) / (f64::from(u32::MAX) + 1.0)
}

const fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
