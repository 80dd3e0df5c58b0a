//! The fuzz window, the pick inside it, and the balance over it.

use chrono::{Datelike, NaiveDate, Weekday};
use proptest::prelude::*;
use traverse::revisions::fuzz::{LAST_DAY, Previous, Window, after, balance, pick, window};
use traverse::revisions::rating::Rating;

const EVEN: [f64; 7] = [1.0; 7];

fn monday() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 2).unwrap()
}

fn bounds(raw: u32) -> (u32, u32) {
    let Window { min, max, .. } = window(raw, None, 36_500);
    (min, max)
}

#[test]
fn a_window_widens_with_the_interval() {
    // 1 day, 15 % of 2.5 to 7, 10 % of 7 to 20, 5 % beyond, rounded.
    let expected = [
        (1, (1, 1)),
        (2, (2, 2)),
        (3, (2, 4)),
        (7, (5, 9)),
        (10, (8, 12)),
        (20, (17, 23)),
        (100, (93, 107)),
        (180, (169, 191)),
    ];
    for (raw, window) in expected {
        assert_eq!(bounds(raw), window, "{raw} days");
    }
}

#[test]
fn a_window_is_one_day_and_the_shares_of_the_interval_wide_on_each_side() {
    for raw in 3..=36_500_u32 {
        let days = f64::from(raw);
        let wide = 1.0
            + 0.15 * (days.min(7.0) - 2.5)
            + 0.10 * (days.min(20.0) - 7.0).max(0.0)
            + 0.05 * (days - 20.0).max(0.0);
        let (min, max) = bounds(raw);
        assert!((f64::from(raw - min) - wide).abs() <= 0.5 + 1e-9, "{raw} days from {min}");
        assert_eq!(max, (raw + raw - min).min(36_500), "{raw} days");
    }
}

#[test]
fn the_previous_interval_is_a_floor_when_it_grew_and_for_good_and_easy() {
    let after = |interval, rating, comparable| Some(Previous { interval, rating, comparable });
    let min = |raw, previous| window(raw, previous, 180).min;
    for rating in Rating::ALL {
        assert_eq!(min(10, after(9, rating, true)), 10, "grew, {rating}");
        assert_eq!(min(10, after(9, rating, false)), 10, "grew, {rating}");
    }
    for (rating, expected) in
        [(Rating::Again, 8), (Rating::Hard, 8), (Rating::Good, 10), (Rating::Easy, 10)]
    {
        assert_eq!(min(10, after(10, rating, true)), expected, "stayed, {rating}");
        assert_eq!(min(10, after(10, rating, false)), 8, "other settings, {rating}");
    }
    let window = window(10, after(30, Rating::Good, true), 20);
    assert_eq!((window.min, window.max), (20, 20), "the maximum bounds the floor");
}

#[test]
fn the_pick_of_a_solve_and_step_never_changes() {
    let window = window(100, None, 180);
    let picks: Vec<u32> = [(1, 1), (1, 2), (2, 1), (-1, 1), (i64::MAX, u32::MAX)]
        .into_iter()
        .map(|seed| pick(window, monday(), &EVEN, Some(seed)))
        .collect();
    assert_eq!(picks, [106, 104, 106, 99, 105]);
}

#[test]
fn picks_fill_the_window_evenly() {
    let window = window(100, None, 180);
    let mut counts = std::collections::BTreeMap::new();
    for solve_id in 0..15_000 {
        *counts.entry(pick(window, monday(), &EVEN, Some((solve_id, 3)))).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 15);
    assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
}

#[test]
fn picks_follow_the_weights_of_the_weekdays() {
    // Two weeks: each weekday twice.
    let window = Window { min: 14, max: 27, ideal: 20 };
    let weights = [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5];
    let mut counts = [0; 7];
    for solve_id in 0..8_000 {
        let days = pick(window, monday(), &weights, Some((solve_id, 1)));
        let place = after(monday(), days).weekday().num_days_from_monday();
        counts[usize::try_from(place).unwrap()] += 1;
    }
    assert_eq!(counts[2..6], [0, 0, 0, 0]);
    assert!((3_800..4_200).contains(&counts[0]), "{counts:?}");
    assert!((1_850..2_150).contains(&counts[1]) && (1_850..2_150).contains(&counts[6]));
}

#[test]
fn without_fuzz_only_a_day_of_weight_0_is_left() {
    let weights = [0.0, 1.0, 1.0, 1.0, 0.01, 1.0, 1.0];
    let window = |raw| window(raw, None, 180);
    assert_eq!(pick(window(4), monday(), &weights, None), 4, "Friday takes little, but takes");
    assert_eq!(pick(window(7), monday(), &weights, None), 6, "Sunday before Monday");
    assert_eq!(pick(Window::only(7), monday(), &weights, None), 7, "no other in the window");
    assert_eq!(pick(window(7), monday(), &EVEN, None), 7);
}

#[test]
fn where_all_days_of_a_window_have_weight_0_they_count_alike() {
    let sunday_only = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let window = window(10, None, 180);
    let mut picks: Vec<u32> = (0..100)
        .map(|solve_id| pick(window, monday(), &sunday_only, Some((solve_id, 1))))
        .collect();
    picks.sort_unstable();
    picks.dedup();
    assert_eq!(picks, [8, 9, 10, 11, 12]);
    let load = |due: NaiveDate| u32::from(due != after(monday(), 11));
    assert_eq!(balance(window, load, &sunday_only, monday()), after(monday(), 11));
}

#[test]
fn the_least_loaded_day_is_taken_and_of_equals_the_nearest() {
    let window = Window { min: 8, max: 12, ideal: 10 };
    let day = |days| after(monday(), days);
    assert_eq!(balance(window, |_| 3, &EVEN, monday()), day(10));
    assert_eq!(balance(window, |due| u32::from(due == day(10)), &EVEN, monday()), day(9));
    assert_eq!(balance(window, |due| u32::from(due != day(12)), &EVEN, monday()), day(12));
    assert_eq!(balance(window, |_| u32::MAX, &EVEN, monday()), day(10));

    // Wednesday is ideal; half the weight with equal load is twice the load.
    let half = [1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(day(9).weekday(), Weekday::Wed);
    let from_wednesday = Window { min: 9, max: 10, ideal: 9 };
    assert_eq!(balance(from_wednesday, |_| 3, &half, monday()), day(10));
    assert_eq!(
        balance(from_wednesday, |_| 0, &half, monday()),
        day(10),
        "nor is an empty day free"
    );
    let never = [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let load = |due: NaiveDate| if due.weekday() == Weekday::Wed { 0 } else { 50 };
    assert_eq!(balance(from_wednesday, load, &never, monday()), day(10));
    assert_eq!(balance(Window::only(9), load, &never, monday()), day(9));
}

proptest! {
    #[test]
    fn every_pick_and_balance_lies_in_a_window_within_all_bounds(
        raw in any::<u32>(),
        maximum in 1..=36_500_u32,
        interval in any::<u32>(),
        rating in prop::sample::select(Rating::ALL.to_vec()),
        comparable: bool,
        weights in prop::array::uniform7(prop_oneof![Just(0.0), Just(f64::NAN), 0.0..=1.0_f64]),
        seed: Option<(i64, u32)>,
        offset in 0..3_000_000_u32,
        modulus in 1..9_u32,
    ) {
        let previous = Previous { interval, rating, comparable };
        let window = window(raw, Some(previous), maximum);
        prop_assert!(1 <= window.min && window.min <= window.ideal);
        prop_assert!(window.ideal <= window.max && window.max <= maximum);
        let raw = raw.clamp(1, maximum);
        if raw > interval {
            prop_assert!(window.min > interval);
        } else if comparable && rating.is_fluent() {
            prop_assert!(window.min >= interval.min(maximum));
        }

        let base = after(NaiveDate::from_ymd_opt(1970, 1, 1).unwrap(), offset);
        let days = pick(window, base, &weights, seed);
        prop_assert!(window.contains(days));
        prop_assert_eq!(days, pick(window, base, &weights, seed));

        let load = |day: NaiveDate| day.day() % modulus;
        let chosen = balance(window, load, &weights, base);
        prop_assert!(after(base, window.min) <= chosen && chosen <= after(base, window.max));
        prop_assert!(chosen <= LAST_DAY);

        let weight = |days: u32| {
            let day = base.weekday().num_days_from_monday() + days % 7;
            weights[usize::try_from(day % 7).unwrap()]
        };
        if (window.min..=window.max).any(|days| weight(days) > 0.0) {
            prop_assert!(weight(days) > 0.0);
        }
    }
}
