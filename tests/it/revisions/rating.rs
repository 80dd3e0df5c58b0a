//! The rule that rates an attempt from its facts, at its edges.

use traverse::problems::difficulty::Difficulty;
use traverse::revisions::rating::{Facts, Rating, rate};

fn facts(attempts: u32, minutes: f64) -> Facts {
    Facts { attempts: Some(attempts), minutes: Some(minutes), ..Facts::default() }
}

#[test]
fn the_thresholds_belong_to_the_better_rating() {
    for (difficulty, fast, slow) in [
        (Some(Difficulty::Easy), 5.0, 20.0),
        (Some(Difficulty::Medium), 10.0, 40.0),
        (Some(Difficulty::Hard), 20.0, 60.0),
        (None, 10.0, 40.0),
    ] {
        assert_eq!(rate(&facts(1, 0.0), difficulty), Rating::Easy);
        assert_eq!(rate(&facts(1, fast), difficulty), Rating::Easy);
        assert_eq!(rate(&facts(1, fast + 0.01), difficulty), Rating::Good);
        assert_eq!(rate(&facts(1, slow), difficulty), Rating::Good);
        assert_eq!(rate(&facts(1, slow + 0.01), difficulty), Rating::Hard);
        assert_eq!(rate(&facts(2, fast), difficulty), Rating::Good);
        assert_eq!(rate(&facts(2, slow + 0.01), difficulty), Rating::Hard);
    }
}

#[test]
fn a_viewed_solution_wins_over_a_hint_and_a_hint_over_speed() {
    let fast = facts(1, 1.0);
    let hint = Facts { hint_used: Some(true), ..fast };
    let viewed = Facts { solution_viewed: Some(true), ..hint };
    assert_eq!(rate(&viewed, None), Rating::Again);
    assert_eq!(rate(&hint, None), Rating::Hard);
    let neither = Facts { hint_used: Some(false), solution_viewed: Some(false), ..fast };
    assert_eq!(rate(&neither, None), Rating::Easy);
}

#[test]
fn what_is_unknown_changes_nothing() {
    assert_eq!(rate(&Facts::default(), None), Rating::Good);
    let untimed = Facts { attempts: Some(1), ..Facts::default() };
    assert_eq!(rate(&untimed, None), Rating::Good);
    let uncounted = Facts { minutes: Some(1.0), ..Facts::default() };
    assert_eq!(rate(&uncounted, None), Rating::Good);
    for no_time in [-1.0, f64::NAN] {
        assert_eq!(rate(&facts(1, no_time), None), Rating::Good);
    }
    assert_eq!(rate(&facts(0, 1.0), None), Rating::Good);
}

#[test]
fn names_lead_back() {
    for rating in Rating::ALL {
        assert_eq!(rating.as_str().parse(), Ok(rating));
        assert_eq!(serde_json::to_string(&rating).unwrap(), format!("\"{rating}\""));
    }
    for difficulty in Difficulty::ALL {
        assert_eq!(difficulty.as_str().parse(), Ok(difficulty));
        assert_eq!(serde_json::to_string(&difficulty).unwrap(), format!("\"{difficulty}\""));
    }
    let refusal = "GOOD".parse::<Rating>().unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "unknown rating \"GOOD\", expected one of again, hard, good, easy"
    );
    assert!("".parse::<Difficulty>().is_err());
}
