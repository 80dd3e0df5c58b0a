//! What a schedule starts from, and what becomes of it when the settings change.

use traverse::revisions::log::{Event, Kind, Placement};
use traverse::revisions::rating::Rating;
use traverse::revisions::schedule::{Memory, Step};
use traverse::revisions::settings::{Interned, Settings};

use super::diary::{Diary, day};

#[test]
fn an_old_solve_starts_adaptive_from_its_last_retrieval() {
    let mut old = Diary::new(Kind::Adaptive, Rating::Good);
    old.log.history = vec![(day(5), Rating::Good), (day(25), Rating::Good)];
    let schedule = old.schedule();
    assert_eq!(schedule.closed, []);
    let step = schedule.current;
    assert_eq!((step.ordinal, step.scheduled_on, step.due_on), (1, day(25), day(101)));

    let mut reviewed = Diary::new(Kind::Adaptive, Rating::Good);
    reviewed.review(5, Rating::Good).review(25, Rating::Good).review(85, Rating::Again);
    old.review(85, Rating::Again);
    assert_eq!(old.current().memory, reviewed.current().memory);
}

#[test]
fn settings_apply_from_the_next_review_on_and_a_reschedule_at_once() {
    let stricter = Settings { desired_retention: 0.97, fuzz: false, ..Settings::default() };
    let mut diary = Diary::new(Kind::Adaptive, Rating::Good);
    diary.review(2, Rating::Good).review(13, Rating::Good);
    let before = diary.current();
    assert_eq!((before.interval_days, before.settings_id), (46, 1));

    let preview = diary.log.reschedule(&Interned::new(2, stricter.clone()));
    assert_eq!(diary.current(), before);
    assert_eq!((preview.memory, preview.scheduled_on), (before.memory, before.scheduled_on));
    assert!(preview.interval_days < 46, "{preview:?}");
    assert_eq!(preview.due_on, day(13 + u64::from(preview.interval_days)));
    assert_eq!(preview.settings_id, 2);

    diary.settings(2, stricter);
    diary.enter(14, Event::Suspended).enter(15, Event::Resumed);
    assert_eq!(diary.current(), before);
    diary.place(16, 40, Placement::Rescheduled);
    assert_eq!(diary.current(), Step { due_on: day(40), ..preview.clone() });
    diary.log.events.pop();
    diary.review(59, Rating::Good);
    let after = diary.current();
    assert!(after.interval_days < 46, "a shorter interval is what was asked for: {after:?}");
}

#[test]
fn rescheduling_under_the_same_settings_changes_nothing() {
    for kind in Kind::ALL {
        let mut diary = Diary::with(kind, Rating::Easy, Settings::default());
        diary.review(9, Rating::Good).review(60, Rating::Again).review(62, Rating::Good);
        assert_eq!(diary.log.reschedule(&diary.settings), diary.current());
        diary.enter(70, Event::Skipped { day: day(70) });
        assert_eq!(diary.log.reschedule(&diary.settings), diary.current(), "nor a skip");
    }
}

#[test]
fn other_weights_compute_the_memory_from_the_first_retrieval_again() {
    let mut own = vec![
        0.4, 1.0, 3.0, 10.0, 6.0, 0.9, 3.0, 0.01, 1.5, 0.2, 1.0, 1.5, 0.06, 0.3, 1.6, 0.6, 2.0,
        0.5, 0.1, 0.1, 0.2,
    ];
    let trained = Settings { parameters: Some(own.clone()), fuzz: false, ..Settings::default() };
    let mut diary = Diary::new(Kind::Adaptive, Rating::Good);
    diary.review(2, Rating::Good).review(13, Rating::Again).review(15, Rating::Good);
    let mut anew = Diary::with(Kind::Adaptive, Rating::Good, trained.clone());
    anew.review(2, Rating::Good).review(13, Rating::Again).review(15, Rating::Good);
    assert_ne!(diary.current().memory, anew.current().memory);

    let preview = diary.log.reschedule(&Interned::new(2, trained.clone()));
    assert_eq!(preview.memory, anew.current().memory);
    diary.settings(2, trained);
    diary.review(20, Rating::Good);
    anew.review(20, Rating::Good);
    assert_eq!(diary.current().memory, anew.current().memory);

    own.truncate(20);
    let unusable = Settings { parameters: Some(own), ..Settings::default() };
    assert!(!unusable.validate().is_empty());
}

#[test]
fn a_shorter_ladder_holds_at_its_end() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.review(1, Rating::Easy).review(8, Rating::Easy);
    assert_eq!(diary.current().memory, Memory::Ladder { step: 4 });
    let short = Settings { ladder_days: vec![2, 5], ..Settings::default() };
    let preview = diary.log.reschedule(&Interned::new(2, short.clone()));
    assert_eq!((preview.memory, preview.interval_days), (Memory::Ladder { step: 1 }, 5));
    diary.settings(2, short).review(38, Rating::Hard);
    assert_eq!(
        (diary.current().memory, diary.current().due_on),
        (Memory::Ladder { step: 1 }, day(43))
    );
}
