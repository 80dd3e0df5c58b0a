//! The ladder, step by step.

use traverse::revisions::ladder::{interval, next};
use traverse::revisions::rating::Rating;
use traverse::revisions::settings::Settings;

#[test]
fn the_first_solve_climbs_from_below_the_first_step() {
    let settings = Settings::default();
    let days = Rating::ALL.map(|rating| interval(next(None, rating, &settings), &settings));
    assert_eq!(days, [1, 1, 1, 3]);
}

#[test]
fn a_review_falls_stays_climbs_or_leaps() {
    let settings = Settings::default();
    let days = Rating::ALL.map(|rating| interval(next(Some(3), rating, &settings), &settings));
    assert_eq!(days, [1, 14, 30, 60]);
}

#[test]
fn past_the_end_the_last_interval_repeats() {
    let settings = Settings::default();
    for rating in [Rating::Hard, Rating::Good, Rating::Easy] {
        assert_eq!(next(Some(6), rating, &settings), 6);
        assert_eq!(next(Some(u32::MAX), rating, &settings), 6);
    }
    assert_eq!(next(Some(5), Rating::Easy, &settings), 6);
    assert_eq!(interval(6, &settings), 120);
    assert_eq!(interval(u32::MAX, &settings), 120);
    let short = Settings { ladder_days: vec![2], ..Settings::default() };
    assert_eq!(next(None, Rating::Easy, &short), 0);
}

#[test]
fn no_interval_is_longer_than_the_maximum() {
    let settings = Settings { maximum_interval: 20, ..Settings::default() };
    let days = [0, 1, 2, 3, 4, 5, 6].map(|step| interval(step, &settings));
    assert_eq!(days, [1, 3, 7, 14, 20, 20, 20]);
}

#[test]
fn an_empty_ladder_waits_a_day() {
    let settings = Settings { ladder_days: vec![], ..Settings::default() };
    assert_eq!(interval(next(Some(4), Rating::Good, &settings), &settings), 1);
}
