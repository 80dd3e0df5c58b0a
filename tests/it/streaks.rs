//! The streak, on paper: each day is a letter, and the last one is today.

use chrono::{Days, NaiveDate};
use proptest::prelude::*;
use std::collections::BTreeSet;
use traverse::rings::streak::{Days as Known, Streak, streak};

const FIRST: NaiveDate = NaiveDate::from_ymd_opt(2026, 9, 1).unwrap();

fn day(number: usize) -> NaiveDate {
    FIRST + Days::new(u64::try_from(number).unwrap())
}

/// `c` closed, `f` frozen, `p` paused, `s` skipped by the zone, `.` nothing.
fn of(days: &[u8], today: usize) -> Streak {
    let with = |letter: u8| -> BTreeSet<NaiveDate> {
        let days = days.iter().enumerate().filter(|(_, is)| **is == letter);
        days.map(|(number, _)| day(number)).collect()
    };
    let (closed, frozen, paused, skipped) = (with(b'c'), with(b'f'), with(b'p'), with(b's'));
    let known = Known { closed: &closed, frozen: &frozen, paused: &paused };
    streak(&known, |day| skipped.contains(&day), day(today))
}

#[test]
fn each_kind_of_day() {
    for (days, current, longest, since) in [
        (".", 0, 0, None),
        ("c", 1, 1, Some(0)),
        // Today does not break it before it is over; yesterday does.
        ("cc.", 2, 2, Some(0)),
        ("cc..", 0, 2, None),
        ("cc..c", 1, 2, Some(4)),
        ("c.ccc.cc", 2, 3, Some(6)),
        // A frozen day counts as kept, but begins nothing.
        ("cfc", 3, 3, Some(0)),
        ("cf.", 2, 2, Some(0)),
        ("cf..", 0, 2, None),
        ("cf", 2, 2, Some(0)),
        ("fc", 1, 1, Some(1)),
        ("ff", 0, 0, None),
        ("c.fc", 1, 1, Some(3)),
        // A paused day is passed over, and so is one that never was.
        ("cpppc", 2, 2, Some(0)),
        ("cppp", 1, 1, Some(0)),
        ("cppp.", 1, 1, Some(0)),
        ("cppp..", 0, 1, None),
        ("ppp", 0, 0, None),
        ("csc", 2, 2, Some(0)),
        ("cs.", 1, 1, Some(0)),
        ("cspfc", 3, 3, Some(0)),
    ] {
        let expected = Streak { current, longest, since: since.map(day) };
        assert_eq!(of(days.as_bytes(), days.len() - 1), expected, "{days}");
    }
}

#[test]
fn what_is_ahead_does_not_count() {
    assert_eq!(of(b"cccc", 1), of(b"cc", 1));
    assert_eq!(of(b".cc", 0), Streak::default());
}

/// Today's streak, looking back from it.
fn looking_back(days: &[u8]) -> usize {
    let mut back: Vec<u8> = days.iter().rev().copied().collect();
    if let Some(today) = back.first_mut().filter(|today| **today == b'.') {
        *today = b's';
    }
    let run: Vec<u8> = back.into_iter().take_while(|day| *day != b'.').collect();
    let begins = run.iter().rposition(|day| *day == b'c').map_or(0, |place| place + 1);
    run[..begins].iter().filter(|day| b"cf".contains(day)).count()
}

fn histories() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(b"ccccffps..".to_vec()), 1..40)
}

proptest! {
    #[test]
    fn looking_back_and_counting_up_find_the_same(days in histories()) {
        let found = of(&days, days.len() - 1);
        prop_assert_eq!(usize::try_from(found.current).unwrap(), looking_back(&days));
        let longest = (1..=days.len()).map(|until| looking_back(&days[..until])).max().unwrap();
        prop_assert_eq!(usize::try_from(found.longest).unwrap(), longest);
        prop_assert_eq!(found.since.is_some(), found.current > 0);
    }

    /// Nothing that a user does costs them a streak.
    #[test]
    fn a_day_more_is_never_a_day_less(days in histories(), at: prop::sample::Index) {
        let at = at.index(days.len());
        let before = of(&days, days.len() - 1);
        for better in [b'c', b'f', b'p', b's'] {
            let is_better = match better {
                b'c' => true,
                b'f' => b".ps".contains(&days[at]),
                _ => days[at] == b'.',
            };
            if is_better {
                let mut days = days.clone();
                days[at] = better;
                let after = of(&days, days.len() - 1);
                prop_assert!(after.current >= before.current && after.longest >= before.longest);
            }
        }
    }

    #[test]
    fn days_that_are_passed_over_change_nothing(days in histories()) {
        let kept: Vec<u8> = days.iter().copied().filter(|day| !b"ps".contains(day)).collect();
        // Unless today is one of them: it would make yesterday today.
        prop_assume!(days.last().is_some_and(|today| !b"ps".contains(today)));
        let (one, other) = (of(&days, days.len() - 1), of(&kept, kept.len() - 1));
        prop_assert_eq!((one.current, one.longest), (other.current, other.longest));
    }
}
