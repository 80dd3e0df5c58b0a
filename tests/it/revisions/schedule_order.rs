//! What was taken back, corrected, or arrives late.

use traverse::revisions::log::{Event, Kind, Placement};
use traverse::revisions::rating::Rating;
use traverse::revisions::schedule::StepState;
use traverse::revisions::settings::Settings;

use super::diary::{Diary, day, days, dues};

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
fn what_is_solved_completes_what_is_due_and_nothing_else() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.solve(0, Rating::Good);
    assert_eq!(dues(&diary.schedule()), days(&[1]), "not due yet");
    diary.solve(1, Rating::Good).solve(1, Rating::Again);
    assert_eq!(dues(&diary.schedule()), days(&[1, 4]), "once a day");
    diary.solve(3, Rating::Good).solve(6, Rating::Good);
    assert_eq!(dues(&diary.schedule()), days(&[1, 4, 13]));
    diary.enter(7, Event::Suspended).solve(20, Rating::Good).enter(21, Event::Resumed);
    assert_eq!(diary.current().due_on, day(13), "nothing falls due while it is suspended");
}

#[test]
fn what_was_solved_is_looked_at_again_when_something_earlier_arrives() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.solve(6, Rating::Good);
    assert_eq!(dues(&diary.schedule()), days(&[1, 9]));
    diary.solve(5, Rating::Good);
    assert_eq!(dues(&diary.schedule()), days(&[1, 8]), "the later one was not due then");
    diary.solve(1, Rating::Good);
    assert_eq!(dues(&diary.schedule()), days(&[1, 4, 12]));
}

#[test]
fn a_review_by_hand_is_the_one_of_its_day() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.review(2, Rating::Hard).solve(2, Rating::Easy);
    diary.log.events[1].at -= chrono::TimeDelta::hours(1);
    assert_eq!(dues(&diary.schedule()), days(&[1, 3]));
}

#[test]
fn what_was_solved_before_an_undo_does_not_take_the_place_of_the_review() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.solve(1, Rating::Good).solve(1, Rating::Hard).solve(3, Rating::Good).undo(3, 100);
    assert_eq!(dues(&diary.schedule()), days(&[1]));
    diary.solve(2, Rating::Good);
    assert_eq!(dues(&diary.schedule()), days(&[1]), "nor what arrives late");
    diary.solve(4, Rating::Good);
    assert_eq!(dues(&diary.schedule()), days(&[1, 7]), "but what comes after it counts");
}

#[test]
fn what_was_done_to_a_revision_stays_with_it() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.enter(3, Event::Postponed { due_on: day(40) }).step(1);
    assert_eq!(diary.current().due_on, day(40));
    diary.review(2, Rating::Good);
    assert_eq!(dues(&diary.schedule()), days(&[1, 5]), "it was the first revision, which is done");
    diary.enter(4, Event::Skipped { day: day(4) }).step(2);
    assert_eq!(dues(&diary.schedule()), days(&[1, 5, 7]));
    diary.solve(1, Rating::Good);
    assert_eq!(dues(&diary.schedule()), days(&[1, 4, 9]), "skipped was the second, done by now");
}

#[test]
fn what_is_done_after_a_reset_is_counted_from_there() {
    let mut diary = Diary::new(Kind::Ladder, Rating::Good);
    diary.review(5, Rating::Good).enter(10, Event::Reset { day: day(10) });
    diary.enter(10, Event::Postponed { due_on: day(30) }).step(1);
    assert_eq!(diary.current().due_on, day(30));
    diary.solve(2, Rating::Good);
    assert_eq!(diary.current().due_on, day(30));
}
