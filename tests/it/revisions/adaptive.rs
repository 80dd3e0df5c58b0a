//! The adaptive model against numbers of the reference implementation (py-fsrs, f64).

use serde::Deserialize;
use traverse::revisions::adaptive::{DIFFICULTY, Model, Recall, STABILITY};
use traverse::revisions::rating::Rating;
use traverse::revisions::settings::Settings;

/// Whether both numbers are in bounds.
pub fn is_within_bounds(recall: Recall) -> bool {
    STABILITY.contains(&recall.stability) && DIFFICULTY.contains(&recall.difficulty)
}

#[derive(Deserialize)]
struct Reference {
    weights: Vec<f32>,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    desired_retention: f64,
    maximum_interval: u32,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    rating: u8,
    elapsed_days: u32,
    stability: f64,
    difficulty: f64,
    interval_days: u32,
    state: String,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../data/fsrs6-vectors.json")).unwrap()
}

#[test]
fn memories_and_intervals_are_those_of_the_reference_implementation() {
    let reference = reference();
    let (mut memories, mut intervals) = (0, 0);
    let mut widest = 0.0_f64;
    for parameters in [None, Some(reference.weights)] {
        for vector in &reference.vectors {
            let settings = Settings {
                desired_retention: vector.desired_retention,
                maximum_interval: vector.maximum_interval,
                parameters: parameters.clone(),
                ..Settings::default()
            };
            assert_eq!(settings.validate(), []);
            let model = Model::new(&settings);
            let mut recall: Option<Recall> = None;
            for (place, row) in vector.rows.iter().enumerate() {
                let at = format!("{} row {place}", vector.name);
                let rating = Rating::ALL[usize::from(row.rating) - 1];
                let next = recall.map_or_else(
                    || model.first(rating),
                    |recall| model.next(recall, row.elapsed_days, rating),
                );
                for (ours, theirs) in
                    [(next.stability, row.stability), (next.difficulty, row.difficulty)]
                {
                    let off = (f64::from(ours) - theirs).abs() / theirs;
                    widest = widest.max(off);
                    assert!(off < 1e-4, "{at}: {ours}, not {theirs}");
                    memories += 1;
                }
                // A learning step waits minutes, and there are none here: those rows tell the
                // memory only.
                if row.state == "Review" {
                    assert_eq!(model.interval(next), row.interval_days, "{at}");
                    intervals += 1;
                }
                recall = Some(next);
            }
        }
    }
    println!("{memories} numbers of memories, {intervals} intervals, at most {widest:e} off");
    assert!(memories >= 400 && intervals >= 200, "{memories} {intervals}");
}

#[test]
fn settings_that_were_never_validated_still_give_whole_days() {
    for desired_retention in [0.0, 1.0, 1.5, -3.0, f64::NAN, f64::INFINITY] {
        for maximum_interval in [0, 1, 180, u32::MAX] {
            for parameters in
                [None, Some(vec![f32::NAN; 21]), Some(vec![1e30; 21]), Some(vec![1.0])]
            {
                let settings = Settings {
                    desired_retention,
                    maximum_interval,
                    parameters,
                    ..Settings::default()
                };
                let model = Model::new(&settings);
                let mut recall = model.first(Rating::Good);
                for rating in Rating::ALL {
                    recall = model.next(recall, u32::MAX, rating);
                    assert!(is_within_bounds(recall), "{recall:?}");
                    let days = model.interval(recall);
                    assert!((1..=maximum_interval.clamp(1, 36_500)).contains(&days), "{days}");
                }
            }
        }
    }
}

#[test]
fn an_early_review_gains_less_than_one_on_time_and_an_overdue_one_more() {
    let model = Model::new(&Settings::default());
    let first = model.first(Rating::Good);
    let due = model.interval(first);
    let [early, on_time, late] =
        [0, due, due + 10].map(|elapsed| model.next(first, elapsed, Rating::Good).stability);
    assert!(early < on_time && on_time < late, "{early} {on_time} {late}");
}
