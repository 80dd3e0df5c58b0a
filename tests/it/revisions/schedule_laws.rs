//! What holds for every schedule, whatever was done in whatever order.

use super::adaptive::is_within_bounds;
use std::sync::Arc;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use proptest::prelude::*;
use traverse::revisions::fuzz::LAST_DAY;
use traverse::revisions::log::{Entry, Event, First, Kind, Log, Placement};
use traverse::revisions::rating::Rating;
use traverse::revisions::schedule::{Memory, Schedule, StepState};
use traverse::revisions::settings::{Interned, Settings};

fn start() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, 1).unwrap()
}

fn on(day: u64) -> NaiveDate {
    start().checked_add_days(Days::new(day)).unwrap()
}

fn ratings() -> impl Strategy<Value = Rating> {
    prop::sample::select(Rating::ALL.to_vec())
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

/// Settings that pass validation.
fn valid_settings() -> impl Strategy<Value = Settings> {
    (
        prop::collection::vec(1..400_u32, 1..=30),
        0.70..=0.99_f64,
        prop_oneof![1..=200_u32, 1..=36_500_u32],
        any::<bool>(),
        prop::array::uniform7(prop_oneof![Just(0.0), Just(1.0), 0.01..=1.0_f64]),
        prop::option::of(prop::collection::vec(-1.0..10.0_f32, 21)),
    )
        .prop_map(
            |(mut ladder_days, desired_retention, maximum_interval, fuzz, weights, own)| {
                ladder_days.sort_unstable();
                let even = weights.iter().all(|&weight| weight == 0.0);
                Settings {
                    ladder_days,
                    desired_retention,
                    maximum_interval,
                    fuzz,
                    weekday_weights: if even { [1.0; 7] } else { weights },
                    parameters: own,
                    ..Settings::default()
                }
            },
        )
}

/// Settings that nobody validated.
fn any_settings() -> impl Strategy<Value = Settings> {
    (
        prop::collection::vec(any::<u32>(), 0..40),
        prop::num::f64::ANY,
        any::<u32>(),
        any::<bool>(),
        prop::array::uniform7(prop::num::f64::ANY),
        prop_oneof![
            Just(None),
            prop::collection::vec(prop::num::f32::ANY, 0..25).prop_map(Some),
            prop::collection::vec(prop::num::f32::NORMAL, 21).prop_map(Some),
        ],
    )
        .prop_map(|(ladder_days, desired_retention, maximum_interval, fuzz, weights, own)| {
            Settings {
                ladder_days,
                desired_retention,
                maximum_interval,
                fuzz,
                weekday_weights: weights,
                parameters: own,
                ..Settings::default()
            }
        })
}

fn any_day() -> impl Strategy<Value = NaiveDate> + Clone {
    let lowest = NaiveDate::MIN;
    let span = (NaiveDate::MAX - lowest).num_days().unsigned_abs();
    prop_oneof![
        (0..20_000_u64).prop_map(on),
        (0..=span).prop_map(move |days| lowest.checked_add_days(Days::new(days)).unwrap()),
        Just(NaiveDate::MIN),
        Just(NaiveDate::MAX),
    ]
}

/// Events over a few years, with review ids few enough to be undone.
fn events(days: impl Strategy<Value = NaiveDate> + Clone + 'static) -> BoxedStrategy<Event> {
    let placements = prop::sample::select(vec![
        Placement::ImportSpread,
        Placement::Balanced,
        Placement::PauseSpread,
        Placement::Rescheduled,
    ]);
    prop_oneof![
        4 => (0..40_i64, days.clone(), ratings())
            .prop_map(|(review_id, day, rating)| Event::Reviewed { review_id, day, rating }),
        4 => (40..80_i64, days.clone(), ratings())
            .prop_map(|(review_id, day, rating)| Event::Solved { review_id, day, rating }),
        1 => (0..80_i64).prop_map(|review_id| Event::Undone { review_id }),
        1 => days.clone().prop_map(|due_on| Event::Postponed { due_on }),
        1 => days.clone().prop_map(|day| Event::Skipped { day }),
        1 => Just(Event::Suspended),
        1 => Just(Event::Resumed),
        1 => days.clone().prop_map(|day| Event::Reset { day }),
        2 => (days, placements).prop_map(|(due_on, why)| Event::Placed { due_on, why }),
    ]
    .boxed()
}

/// A log whose entries stand in order, one a minute.
fn logs(
    settings: BoxedStrategy<Settings>,
    days: impl Strategy<Value = NaiveDate> + Clone + 'static,
) -> BoxedStrategy<Log> {
    (
        (kinds(), any::<i64>(), days.clone(), ratings()),
        prop::collection::vec(settings, 1..4),
        prop::collection::vec((days.clone(), ratings()), 0..3),
        prop::collection::vec((events(days), any::<prop::sample::Index>()), 0..25),
    )
        .prop_map(|((kind, solve_id, day, rating), settings, history, events)| {
            let settings: Vec<Arc<Interned>> = (1..)
                .zip(settings)
                .map(|(id, settings)| Arc::new(Interned::new(id, settings)))
                .collect();
            let first = First { day, rating, settings: Arc::clone(&settings[0]) };
            let events = (0..)
                .zip(events)
                .map(|(seq, (event, index))| entry(seq, event, index.get(&settings)))
                .collect();
            Log { kind, solve_id, first, history, events }
        })
        .boxed()
}

fn instant(minute: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::minutes(minute)
}

fn entry(seq: i64, event: Event, settings: &Arc<Interned>) -> Entry {
    Entry { at: instant(seq), seq, step: None, event, settings: Arc::clone(settings) }
}

fn plausible_logs() -> BoxedStrategy<Log> {
    logs(valid_settings().boxed(), (0..3_000_u64).prop_map(on))
}

/// The log without undos, and without what was solved: a later review of that day displaces it.
fn without_looking_back(mut log: Log) -> Log {
    log.events.retain(|entry| !matches!(entry.event, Event::Undone { .. } | Event::Solved { .. }));
    log
}

fn assert_sound(log: &Log, schedule: &Schedule) -> Result<(), TestCaseError> {
    let known = |id| {
        log.events
            .iter()
            .map(|entry| &entry.settings)
            .chain([&log.first.settings])
            .find(|settings| settings.id() == id)
    };
    for (ordinal, step) in (1..).zip(schedule.steps()) {
        prop_assert_eq!(step.ordinal, ordinal);
        let settings = known(step.settings_id).expect("settings of the log").settings();
        let maximum = settings.maximum_interval.clamp(1, 36_500);
        prop_assert!((1..=maximum).contains(&step.interval_days), "{:?}", step);
        prop_assert!((1..=maximum).contains(&step.raw_interval), "{:?}", step);
        prop_assert!(step.window.contains(step.interval_days), "{:?}", step);
        prop_assert!(step.due_on <= LAST_DAY);
        prop_assert_eq!(step.memory.kind(), log.kind);
        match step.memory {
            Memory::Ladder { step } => {
                let steps = u32::try_from(settings.ladder_days.len()).unwrap();
                prop_assert!(step < steps.max(1));
            }
            Memory::Adaptive { .. } => {
                prop_assert!(is_within_bounds(step.memory.recall().unwrap()));
            }
        }
    }
    prop_assert!(matches!(schedule.current.state, StepState::Pending | StepState::Suspended));
    for step in &schedule.closed {
        prop_assert!(!matches!(step.state, StepState::Pending | StepState::Suspended));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_log_at_all_has_a_schedule(log in logs(any_settings().boxed(), any_day())) {
        assert_sound(&log, &log.derive())?;
    }

    #[test]
    fn any_plausible_log_has_a_sound_schedule_and_always_the_same(log in plausible_logs()) {
        let schedule = log.derive();
        assert_sound(&log, &schedule)?;
        prop_assert_eq!(&log.clone().derive(), &schedule);
        prop_assert_eq!(log.reschedule(&log.first.settings).ordinal, schedule.current.ordinal);
    }

    #[test]
    fn the_order_in_which_entries_were_written_does_not_matter(
        (log, shuffled) in plausible_logs().prop_flat_map(|log| {
            let events = Just(log.events.clone()).prop_shuffle();
            (Just(log), events)
        }),
    ) {
        let schedule = log.derive();
        prop_assert_eq!(Log { events: shuffled, ..log }.derive(), schedule);
    }

    /// Nothing that happens later changes a step that is closed: so the log may be derived entry by
    /// entry.
    #[test]
    fn a_longer_log_begins_with_the_shorter_one(log in plausible_logs()) {
        let log = without_looking_back(log);
        let mut closed = vec![];
        for end in 0..=log.events.len() {
            let events = log.events[..end].to_vec();
            let then = Log { events, ..log.clone() }.derive();
            prop_assert!(then.closed.starts_with(&closed));
            prop_assert!(then.closed.len() <= closed.len() + 1);
            closed = then.closed;
        }
        prop_assert_eq!(log.derive().closed, closed);
    }

    #[test]
    fn an_undo_restores_the_exact_schedule(
        log in plausible_logs(),
        day in (0..3_000_u64).prop_map(on),
        rating in ratings(),
        since in prop::collection::vec(events((0..3_000_u64).prop_map(on)), 0..5),
    ) {
        let before = log.derive();
        let mut undone = log.clone();
        let mut write = |event| {
            let seq = i64::try_from(undone.events.len()).unwrap();
            undone.events.push(entry(seq, event, &log.first.settings));
        };
        write(Event::Reviewed { review_id: -1, day, rating });
        for event in since {
            if matches!(event, Event::Postponed { .. } | Event::Skipped { .. } | Event::Placed { .. }) {
                write(event);
            }
        }
        write(Event::Undone { review_id: -1 });
        prop_assert_eq!(undone.derive(), before);
    }

    #[test]
    fn good_on_or_after_the_due_day_never_shortens_an_interval(
        kind in kinds(),
        solve_id: i64,
        settings in valid_settings(),
        first in ratings(),
        reviews in prop::collection::vec((ratings(), -5..40_i64, any::<bool>()), 1..20),
    ) {
        let settings = Arc::new(Interned::new(1, settings));
        let first = First { day: start(), rating: first, settings: Arc::clone(&settings) };
        let mut log = Log { kind, solve_id, first, history: vec![], events: vec![] };
        for (seq, (rating, late, balanced)) in (0..).step_by(2).zip(reviews) {
            let before = log.derive().current;
            let day = (before.due_on + TimeDelta::days(late)).max(before.scheduled_on);
            log.events.push(entry(seq, Event::Reviewed { review_id: seq, day, rating }, &settings));
            let after = log.derive().current;
            let grew = after.raw_interval > before.interval_days;
            if kind == Kind::Adaptive && grew {
                prop_assert!(after.interval_days > before.interval_days, "{before:?} {after:?}");
            }
            if rating.is_fluent() {
                prop_assert!(after.interval_days >= before.interval_days, "{before:?} {after:?}");
            }
            if rating == Rating::Good && late >= 0 {
                prop_assert!(after.due_on - day >= TimeDelta::days(before.interval_days.into()));
            }
            if balanced {
                let due_on = after.scheduled_on + TimeDelta::days(after.window.max.into());
                let why = Placement::Balanced;
                log.events.push(entry(seq + 1, Event::Placed { due_on, why }, &settings));
                prop_assert_eq!(log.derive().current.interval_days, after.window.max);
            }
        }
    }

    #[test]
    fn rescheduling_twice_is_rescheduling_once(log in plausible_logs(), settings in valid_settings()) {
        let other = Arc::new(Interned::new(99, settings));
        let preview = log.reschedule(&other);
        let placed = Event::Placed { due_on: preview.due_on, why: Placement::Rescheduled };
        let mut log = log;
        let seq = i64::try_from(log.events.len()).unwrap();
        log.events.push(entry(seq, placed, &other));
        // An undo in the log may take the current step back to the one that a review before it had
        // made; the new entry stands behind all of them.
        prop_assert_eq!(&log.derive().current, &preview);
        prop_assert_eq!(log.reschedule(&other), preview);
    }
}
