//! Where an import puts what it brings: never too many on one day.

use chrono::{Days, NaiveDate};
use proptest::prelude::*;
use std::collections::BTreeMap;
use traverse::revisions::spread::Spread;

fn day(from_today: i64) -> NaiveDate {
    let today = NaiveDate::from_ymd_opt(2026, 9, 1).unwrap();
    let days = Days::new(from_today.unsigned_abs());
    if from_today < 0 { today - days } else { today + days }
}

/// What is pending, as a load on each day from today on.
fn load(pending: &[(i64, u32)]) -> BTreeMap<NaiveDate, u32> {
    let mut load = BTreeMap::new();
    for (at, count) in pending {
        *load.entry(day((*at).max(0))).or_default() += count;
    }
    load
}

proptest! {
    #[test]
    fn no_day_gets_more_than_the_cap(
        cap in 1_u32..6,
        pending in prop::collection::vec((-5_i64..30, 0_u32..9), 0..20),
        dues in prop::collection::vec(-400_i64..40, 0..200),
    ) {
        let days = pending.iter().map(|(at, count)| (day(*at), *count));
        let mut spread = Spread::new(day(0), cap, days.clone());
        let mut again = Spread::new(day(0), cap, days);
        let mut load = load(&pending);
        for due in dues {
            let wanted = day(due).max(day(0));
            let placed = spread.place(day(due));
            prop_assert_eq!(placed, again.place(day(due)), "it is a function of what came before");
            prop_assert!(placed >= wanted, "never before it is due, nor in the past");
            let has_room = |on: NaiveDate| load.get(&on).copied().unwrap_or(0) < cap;
            prop_assert!(has_room(placed), "{placed} is full");
            let passed = wanted.iter_days().take_while(|on| *on < placed).find(|on| has_room(*on));
            prop_assert_eq!(passed, None, "an earlier day has room");
            *load.entry(placed).or_default() += 1;
        }
    }
}

proptest! {
    #[test]
    fn what_leaves_a_day_makes_room(
        cap in 1_u32..4,
        moves in prop::collection::vec((-5_i64..20, any::<bool>()), 0..150),
    ) {
        let mut spread = Spread::new(day(0), cap, []);
        let mut pending = Vec::new();
        for (due, leaves) in moves {
            if leaves && !pending.is_empty() {
                let at = usize::try_from(due + 5).unwrap() % pending.len();
                spread.leave(pending.swap_remove(at));
            } else {
                // As if it had been asked for the first time, with all that is pending by now.
                let load = pending.iter().map(|on| (*on, 1));
                let expected = Spread::new(day(0), cap, load).place(day(due));
                let placed = spread.place(day(due));
                prop_assert_eq!(placed, expected);
                pending.push(placed);
            }
        }
    }
}

#[test]
fn what_is_overdue_waits_today() {
    let mut spread = Spread::new(day(0), 2, [(day(-300), 1), (day(-1), 1), (day(1), 1)]);
    assert_eq!([0; 4].map(|_| spread.place(day(-9))), [day(1), day(2), day(2), day(3)]);
}

#[test]
fn many_on_one_far_day_are_spread_in_no_time() {
    let mut spread = Spread::new(day(0), 1, []);
    for place in 0..50_000 {
        assert_eq!(spread.place(day(3)), day(3 + place));
    }
}

#[test]
fn the_end_of_time_takes_all() {
    let last = NaiveDate::from_ymd_opt(9999, 12, 31).unwrap();
    let mut spread = Spread::new(day(0), 1, [(last, 1)]);
    assert_eq!([spread.place(last), spread.place(last)], [last, last]);
}
