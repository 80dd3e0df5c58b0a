//! What was taken back, corrected, or arrives late.

use traverse::revisions::log::{Event, Kind, Placement};
use traverse::revisions::rating::Rating;
use traverse::revisions::schedule::StepState;
use traverse::revisions::settings::Settings;

use super::diary::{Diary, day, days, dues, noon};

#[test]
fn an_undo_restores_what_was_and_takes_along_what_was_done_to_its_step() {
    for kind in Kind::ALL {
        let mut diary = Diary::with(kind, Rating::Good, Settings::default());
        diary.review(2, Rating::Good).enter(3, Event::Postponed { due_on: day(40) });
        let before = diary.schedule();
        diary.review(9, Rating::Again); // 102
        diary.enter(10, Event::Postponed { due_on: day(300) });
        diary.enter(11, Event::Skipped { day: day(11) });
        diary.place(12, 90, Placement::PauseSpread);
        diary.undo(13, 102);
        assert_eq!(diary.schedule(), before);

        diary.enter(14, Event::Postponed { due_on: day(50) });
        assert_eq!(diary.current().due_on, day(50), "what comes after the undo counts");
        diary.review(50, Rating::Good); // 108
        diary.undo(51, 108).undo(52, 100);
        let mut first = Diary::with(kind, Rating::Good, Settings::default());
        assert_eq!(diary.schedule(), first.schedule(), "undone one after the other");
        diary.enter(53, Event::Suspended);
        first.enter(53, Event::Suspended);
        assert_eq!(diary.schedule(), first.schedule());
    }
}

#[test]
fn suspending_and_resetting_outlive_an_undo() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.review(1, Rating::Good).enter(2, Event::Suspended).undo(3, 100);
    assert_eq!(diary.current().state, StepState::Suspended);
    assert_eq!(diary.current().due_on, day(1));

    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.review(1, Rating::Good).enter(2, Event::Reset { day: day(2) });
    diary.undo(3, 100).enter(4, Event::Postponed { due_on: day(9) });
    assert_eq!((diary.current().scheduled_on, diary.current().due_on), (day(2), day(9)));
}

#[test]
fn what_is_done_to_a_reset_step_outlives_the_undo_of_a_review_before_it() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.review(1, Rating::Good).enter(2, Event::Reset { day: day(2) });
    diary.enter(3, Event::Postponed { due_on: day(9) }).undo(4, 100);
    assert_eq!((diary.current().scheduled_on, diary.current().due_on), (day(2), day(9)));
}

#[test]
fn a_review_that_a_fast_clock_dates_after_its_undo_is_undone_as_well() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    let before = diary.schedule();
    diary.review(5, Rating::Good).undo(4, 100);
    assert_eq!(diary.schedule(), before);
    diary.enter(6, Event::Postponed { due_on: day(9) });
    assert_eq!(diary.current().due_on, day(9));
}

#[test]
fn a_corrected_rating_derives_everything_after_it_again() {
    let mut wrong = Diary::new(Kind::Adaptive, Rating::Good);
    wrong.review(2, Rating::Good).review(13, Rating::Good);
    let mut right = Diary::new(Kind::Adaptive, Rating::Good);
    right.review(2, Rating::Hard).review(13, Rating::Good);
    let Event::Reviewed { rating, .. } = &mut wrong.log.events[0].event else { unreachable!() };
    *rating = Rating::Hard;
    assert_eq!(wrong.schedule(), right.schedule());
}

#[test]
fn a_late_arrival_takes_its_place_in_the_order_of_events() {
    for kind in Kind::ALL {
        let mut whole = Diary::new(kind, Rating::Good);
        whole.review(2, Rating::Good).review(5, Rating::Hard).review(20, Rating::Good);
        let mut late = whole.log.clone();
        let arrived = late.events.remove(0);
        late.events.push(arrived);
        assert_eq!(late.derive(), whole.schedule());
    }
}

#[test]
fn entries_of_one_instant_keep_their_sequence() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.review(1, Rating::Good).enter(1, Event::Postponed { due_on: day(30) });
    assert_eq!(dues(&diary.schedule()), days(&[1, 30]));
    diary.log.events[1].seq = -1;
    assert_eq!(dues(&diary.schedule()), days(&[30, 4]));
}

#[test]
fn a_submission_that_arrives_late_asks_what_was_due_in_its_time() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.review(6, Rating::Good);
    let log = &diary.log;
    assert_eq!(log.due(noon(0), day(0)), None, "not due yet");
    assert_eq!(log.due(noon(1), day(1)).unwrap().ordinal, 1);
    let moment = chrono::TimeDelta::microseconds(1);
    assert_eq!(log.due(noon(6) - moment, day(6)).unwrap().ordinal, 1);
    assert_eq!(log.due(noon(6), day(6)), None, "what comes now is after all of that instant");
    assert_eq!(log.due(noon(7), day(7)), None);
    assert_eq!(log.due(noon(9), day(9)).unwrap().ordinal, 2);
    diary.undo(8, 100);
    assert_eq!(diary.log.due(noon(7), day(7)).unwrap().ordinal, 1, "undone by now");
}
