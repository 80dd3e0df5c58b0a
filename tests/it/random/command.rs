//! What users do, drawn at random. Numbers choose among what is there, by their remainder.

use proptest::prelude::*;
use serde_json::{Value, json};
use traverse::revisions::rating::Rating;

/// One thing that is done.
#[derive(Clone, Debug)]
pub enum Command {
    /// A submission, so many hours from now.
    Submit {
        problem: u8,
        hours: i64,
        verdict: &'static str,
        rating: Option<Rating>,
        number: Option<u8>,
    },
    /// An earlier request once more.
    Retry {
        which: usize,
    },
    Complete {
        which: usize,
        rating: Rating,
        hours: Option<i64>,
    },
    CompleteAndUndo {
        which: usize,
        rating: Rating,
    },
    Undo {
        which: usize,
    },
    Postpone {
        which: usize,
        days: i64,
    },
    Skip {
        which: usize,
    },
    Suspend {
        which: usize,
    },
    Resume {
        which: usize,
    },
    Reset {
        which: usize,
    },
    StartAdaptive {
        which: usize,
    },
    Correct {
        which: usize,
        rating: Rating,
    },
    Triage {
        which: usize,
        rating: Option<Rating>,
    },
    DeleteSubmission {
        which: usize,
    },
    DeleteSolve {
        which: usize,
    },
    Prefer(Value),
    Reschedule {
        spread_days: u32,
    },
    Advance {
        hours: i64,
    },
}

fn ratings() -> impl Strategy<Value = Rating> {
    prop::sample::select(Rating::ALL.to_vec())
}

/// From two months ago to a day ahead, most of it now.
fn moments() -> impl Strategy<Value = i64> {
    prop_oneof![6 => Just(0_i64), 3 => -24 * 60..0_i64, 2 => -72..0_i64, 1 => 0..24_i64]
}

fn submissions() -> impl Strategy<Value = Command> {
    let verdicts =
        prop_oneof![8 => Just("accepted"), 1 => Just("wrong_answer"), 2 => Just("pending")];
    let numbers = prop::option::weighted(0.4, 0..6_u8);
    (0..3_u8, moments(), verdicts, prop::option::of(ratings()), numbers).prop_map(
        |(problem, hours, verdict, rating, number)| Command::Submit {
            problem,
            hours,
            verdict,
            rating,
            number,
        },
    )
}

fn preferences() -> impl Strategy<Value = Command> {
    let zones = prop::sample::select(vec![
        "UTC",
        "Asia/Kolkata",
        "America/New_York",
        "Pacific/Auckland",
        "Pacific/Honolulu",
    ]);
    prop_oneof![
        prop::sample::select(vec!["adaptive", "ladder", "both"])
            .prop_map(|scheduler| json!({"scheduler": scheduler})),
        (70..=99_u32)
            .prop_map(|retention| json!({"desired_retention": f64::from(retention) / 100.0})),
        (1..=200_u32).prop_map(|days| json!({"maximum_interval": days})),
        any::<bool>().prop_map(|fuzz| json!({"fuzz": fuzz})),
        any::<bool>().prop_map(|balance| json!({"load_balance": balance})),
        prop::collection::vec(1..60_u32, 1..6).prop_map(|mut days| {
            days.sort_unstable();
            json!({"ladder_days": days})
        }),
        zones.prop_map(|zone| json!({"time_zone": zone})),
        (0..24_u32).prop_map(|hour| json!({"day_starts_at": format!("{hour:02}:00")})),
    ]
    .prop_map(Command::Prefer)
}

/// One command.
pub fn commands() -> impl Strategy<Value = Command> {
    let which = || any::<u16>().prop_map(usize::from);
    prop_oneof![
        10 => submissions(),
        3 => which().prop_map(|which| Command::Retry { which }),
        8 => (which(), ratings(), prop::option::weighted(0.3, moments()))
            .prop_map(|(which, rating, hours)| Command::Complete { which, rating, hours }),
        3 => (which(), ratings())
            .prop_map(|(which, rating)| Command::CompleteAndUndo { which, rating }),
        4 => which().prop_map(|which| Command::Undo { which }),
        3 => (which(), 1..40_i64).prop_map(|(which, days)| Command::Postpone { which, days }),
        3 => which().prop_map(|which| Command::Skip { which }),
        2 => which().prop_map(|which| Command::Suspend { which }),
        2 => which().prop_map(|which| Command::Resume { which }),
        1 => which().prop_map(|which| Command::Reset { which }),
        1 => which().prop_map(|which| Command::StartAdaptive { which }),
        3 => (which(), ratings()).prop_map(|(which, rating)| Command::Correct { which, rating }),
        3 => (which(), prop::option::of(ratings()))
            .prop_map(|(which, rating)| Command::Triage { which, rating }),
        1 => which().prop_map(|which| Command::DeleteSubmission { which }),
        1 => which().prop_map(|which| Command::DeleteSolve { which }),
        3 => preferences(),
        2 => (0..5_u32).prop_map(|spread_days| Command::Reschedule { spread_days }),
        8 => prop_oneof![0..30_i64, 24..24 * 40_i64].prop_map(|hours| Command::Advance { hours }),
    ]
}
