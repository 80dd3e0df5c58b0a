//! Schedules derived from logs, event by event.

use chrono::NaiveDate;
use traverse::revisions::adaptive::Model;
use traverse::revisions::fuzz::{LAST_DAY, Window};
use traverse::revisions::log::{Entry, Event, Kind, Placement};
use traverse::revisions::rating::Rating;
use traverse::revisions::schedule::{Memory, Step, StepState};
use traverse::revisions::settings::Settings;

use super::diary::{Diary, day, days, dues};

#[test]
fn the_first_solve_makes_the_first_step() {
    let step = Diary::new(Kind::Ladder, Rating::Good).current();
    let expected = Step {
        ordinal: 1,
        state: StepState::Pending,
        scheduled_on: day(0),
        due_on: day(1),
        interval_days: 1,
        raw_interval: 1,
        window: Window::only(1),
        memory: Memory::Ladder { step: 0 },
        settings_id: 1,
    };
    assert_eq!(step, expected);

    let step = Diary::new(Kind::Adaptive, Rating::Easy).current();
    assert_eq!((step.due_on, step.interval_days, step.raw_interval), (day(8), 8, 8));
    assert_eq!(step.memory, Memory::Adaptive { stability: 8.2956, difficulty: 1.0 });
}

#[test]
fn a_ladder_climbs_from_the_day_of_each_review() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    // On time, late, early, forgotten, hard, easy.
    diary.review(1, Rating::Good).review(6, Rating::Good).review(7, Rating::Good);
    diary.review(21, Rating::Again).review(22, Rating::Hard).review(23, Rating::Easy);
    let schedule = diary.schedule();
    assert_eq!(dues(&schedule), days(&[1, 4, 13, 21, 22, 23, 30]));
    assert_eq!(schedule.lapses, 1);
    assert_eq!(
        schedule.closed[1].state,
        StepState::Completed { review_id: 101, rating: Rating::Good, day: day(6) }
    );
    assert_eq!(schedule.current.memory.step(), Some(2));
    let ordinals: Vec<u32> = schedule.steps().map(|step| step.ordinal).collect();
    assert_eq!(ordinals, [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn an_adaptive_schedule_takes_the_days_that_really_passed() {
    let mut diary = Diary::new(Kind::Adaptive, Rating::Good);
    diary.review(2, Rating::Good).review(13, Rating::Good);
    // The vectors "A on-time" and "late" of the reference implementation.
    assert_eq!(dues(&diary.schedule()), days(&[2, 13, 59]));
    let mut late = Diary::new(Kind::Adaptive, Rating::Good);
    late.review(5, Rating::Good).review(25, Rating::Good).review(85, Rating::Again);
    assert_eq!(dues(&late.schedule()), days(&[2, 23, 101, 88]));
    assert_eq!(late.schedule().lapses, 1);
}

#[test]
fn a_review_on_an_earlier_day_than_the_last_counts_as_the_same_day() {
    let mut diary = Diary::new(Kind::Adaptive, Rating::Good);
    diary.enter(3, Event::Reviewed { review_id: 1, day: day(3), rating: Rating::Good });
    let mut same = diary.log.clone();
    diary.enter(4, Event::Reviewed { review_id: 2, day: day(2), rating: Rating::Good });
    same.events.push(Entry {
        event: Event::Reviewed { review_id: 2, day: day(3), rating: Rating::Good },
        ..diary.log.events[1].clone()
    });
    assert_eq!(diary.current().memory, same.derive().current.memory);
}

#[test]
fn a_postponement_moves_the_date_and_not_the_interval() {
    let mut diary = Diary::new(Kind::Adaptive, Rating::Good);
    diary.enter(2, Event::Postponed { due_on: day(6) });
    let step = diary.current();
    assert_eq!((step.due_on, step.interval_days, step.scheduled_on), (day(6), 2, day(0)));
    diary.enter(2, Event::Postponed { due_on: day(4) });
    assert_eq!(diary.current().due_on, day(6), "never earlier");
    diary.review(6, Rating::Good);
    let elapsed = Model::new(diary.settings.settings());
    let expected = elapsed.next(elapsed.first(Rating::Good), 6, Rating::Good);
    assert_eq!(diary.current().memory, expected.into());
}

#[test]
fn a_skip_waits_the_same_interval_from_its_day_and_remembers_nothing() {
    for kind in Kind::ALL {
        let mut diary = Diary::with(kind, Rating::Easy, Settings::default());
        let before = diary.current();
        diary.enter(20, Event::Skipped { day: day(20) });
        let schedule = diary.schedule();
        assert_eq!(schedule.closed[0].state, StepState::Skipped { seq: 0, day: day(20) });
        assert_eq!(schedule.closed[0].due_on, before.due_on);
        let step = schedule.current;
        assert_eq!((step.ordinal, step.state), (2, StepState::Pending));
        assert_eq!(step.scheduled_on, day(20));
        assert_eq!(step.due_on, day(20 + u64::from(before.interval_days)));
        assert_eq!((step.memory, step.interval_days), (before.memory, before.interval_days));
        // The elapsed days of the next review begin at the solve.
        let mut skipped = diary.log.clone();
        let review = Event::Reviewed { review_id: 1, day: day(30), rating: Rating::Good };
        diary.enter(30, review);
        skipped.events = vec![diary.log.events[1].clone()];
        assert_eq!(diary.current().memory, skipped.derive().current.memory);
    }
}

#[test]
fn a_suspended_step_keeps_its_date_until_resumed() {
    let mut diary = Diary::new(Kind::Adaptive, Rating::Good);
    let before = diary.current();
    diary.enter(1, Event::Suspended);
    assert_eq!(diary.current(), Step { state: StepState::Suspended, ..before.clone() });
    diary.enter(2, Event::Skipped { day: day(2) }).enter(3, Event::Reset { day: day(3) });
    assert_eq!(diary.current().state, StepState::Suspended, "a skip and a reset resume nothing");
    diary.log.events.truncate(1);
    diary.enter(9, Event::Resumed);
    assert_eq!(diary.current(), before);
    diary.log.events.truncate(1);
    diary.review(9, Rating::Good);
    assert_eq!(diary.current().state, StepState::Suspended, "a review resumes nothing");
    assert_eq!(diary.schedule().closed.len(), 1);
    diary.enter(10, Event::Resumed);
    assert_eq!(diary.current().state, StepState::Pending);
}

#[test]
fn a_reset_begins_again_in_place() {
    for kind in Kind::ALL {
        let mut diary = Diary::new(kind, Rating::Good);
        let first = diary.current();
        diary.review(2, Rating::Again).review(3, Rating::Easy);
        diary.enter(10, Event::Reset { day: day(10) });
        let schedule = diary.schedule();
        assert_eq!((schedule.closed.len(), schedule.lapses), (2, 0));
        let due_on = day(10 + u64::from(first.interval_days));
        let expected = Step { ordinal: 3, scheduled_on: day(10), due_on, ..first };
        assert_eq!(schedule.current, expected);
        diary.review(12, Rating::Good);
        let mut fresh = Diary::new(kind, Rating::Good);
        fresh.review(2, Rating::Good);
        assert_eq!(diary.current().memory, fresh.current().memory);
    }
}

#[test]
fn a_reset_owes_nothing_to_the_interval_before_it() {
    let mut diary = Diary::new(Kind::Adaptive, Rating::Good);
    let first = diary.current();
    diary.review(50, Rating::Good);
    assert!(diary.current().interval_days > 10);
    diary.enter(60, Event::Reset { day: day(60) });
    assert_eq!(diary.current().memory, first.memory);
    assert_eq!(diary.current().interval_days, first.interval_days);
}

#[test]
fn six_lapses_make_a_leech() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Again);
    for on in 1..=6 {
        assert!(!diary.schedule().is_leech());
        diary.review(on, Rating::Again);
    }
    assert_eq!(diary.schedule().lapses, 6);
    assert!(diary.schedule().is_leech());
    assert_eq!(diary.current().state, StepState::Pending);
}

#[test]
fn a_balance_choice_is_the_interval_while_it_lies_in_the_window() {
    let mut diary = Diary::with(Kind::Adaptive, Rating::Good, Settings::default());
    diary.review(2, Rating::Good);
    let fuzzed = diary.current();
    assert_eq!(fuzzed.window, Window { min: 9, max: 13, ideal: 11 });
    diary.place(2, 2 + 12, Placement::Balanced);
    assert_eq!((diary.current().interval_days, diary.current().due_on), (12, day(14)));
    diary.log.events.pop();
    diary.place(2, 2 + 14, Placement::Balanced);
    assert_eq!(diary.current(), fuzzed);
}

#[test]
fn spreads_only_delay() {
    for why in [Placement::ImportSpread, Placement::PauseSpread] {
        let mut diary = Diary::new(Kind::Ladder, Rating::Easy);
        diary.place(1, 2, why);
        assert_eq!(diary.current().due_on, day(3));
        diary.place(1, 30, why);
        assert_eq!((diary.current().due_on, diary.current().interval_days), (day(30), 3));
    }
}

#[test]
fn no_date_is_later_than_the_last_day() {
    let settings = Settings { maximum_interval: 36_500, ..Settings::default() };
    let mut diary = Diary::with(Kind::Ladder, Rating::Easy, settings);
    diary.log.first.day = LAST_DAY;
    assert_eq!(diary.current().due_on, LAST_DAY);
    diary.enter(1, Event::Postponed { due_on: NaiveDate::MAX });
    diary.enter(2, Event::Placed { due_on: NaiveDate::MAX, why: Placement::Rescheduled });
    assert_eq!(diary.current().due_on, LAST_DAY);
    diary.log.first.day = NaiveDate::MIN;
    diary.enter(3, Event::Reviewed { review_id: 1, day: NaiveDate::MAX, rating: Rating::Good });
    assert_eq!(diary.current().due_on, LAST_DAY);
}

#[test]
fn an_event_and_a_memory_have_one_form_in_json() {
    let event = Event::Placed { due_on: day(3), why: Placement::PauseSpread };
    let text = r#"{"event":"placed","due_on":"2026-01-04","why":"pause_spread"}"#;
    assert_eq!(serde_json::to_string(&event).unwrap(), text);
    assert_eq!(serde_json::from_str::<Event>(text).unwrap(), event);
    for kind in Kind::ALL {
        assert_eq!(kind.as_str().parse(), Ok(kind));
        assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
    }
    for (memory, text) in [
        (Memory::Ladder { step: 3 }, r#"{"step":3}"#),
        (
            Memory::Adaptive { stability: 2.3065, difficulty: 1.5 },
            r#"{"stability":2.3065,"difficulty":1.5}"#,
        ),
    ] {
        assert_eq!(serde_json::to_string(&memory).unwrap(), text);
        assert_eq!(serde_json::from_str::<Memory>(text).unwrap(), memory);
    }
}
