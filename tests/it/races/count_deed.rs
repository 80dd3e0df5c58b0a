use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::{Days, NaiveDate};
use diesel::prelude::*;
use std::collections::BTreeSet;
use traverse::db::Db;
use traverse::pauses::model::Span;
use traverse::rings::Deed;
use traverse::rings::guards::{DAY, count_deed};
use traverse::rings::model::{NewDeed, RingRow};
use traverse::schema::ring_days;

pub fn day(number: usize) -> NaiveDate {
    rows::day() + Days::new(u64::try_from(number).unwrap())
}

/// One solve on a day that wants three revisions at most.
pub fn solve(user: User, day: NaiveDate) -> NewDeed {
    let deed = Deed { solves: 1, ..Deed::default() };
    NewDeed { user_id: user.id, day, goal_solves: 1, goal_revisions: 3, deed }
}

fn count(db: &mut Db, user: User, day: NaiveDate) -> RingRow {
    count_deed(db, &solve(user, day)).unwrap()
}

on_both! {
    fn every_caller_is_counted_once(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let rings = racers.race(|db, _| count(db, ada, day(round)));
            assert_eq!(rings.iter().map(|ring| ring.id).collect::<BTreeSet<_>>().len(), 1);
            let counts: BTreeSet<i32> = rings.iter().map(|ring| ring.solves).collect();
            assert_eq!(counts, (1..).take(rings.len()).collect(), "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        count(&mut db, ada, day(0));
        let error = diesel::insert_into(ring_days::table)
            .values((
                ring_days::user_id.eq(ada.id),
                ring_days::day.eq(day(0)),
                ring_days::goal_solves.eq(1),
                ring_days::goal_revisions.eq(0),
                ring_days::solves.eq(0),
                ring_days::revisions.eq(0),
            ))
            .execute(&mut db)
            .unwrap_err();
        assert!(DAY.stopped(&error), "{error:?}");
    }

    fn other_users_and_days_are_counted_apart(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (user, number, solves) in [(ada, 0, 1), (bob, 0, 1), (ada, 1, 1), (ada, 0, 2)] {
            assert_eq!(count(&mut db, user, day(number)).solves, solves);
        }
    }

    fn a_day_keeps_the_goals_that_it_began_with(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let deed = Deed { solves: 0, revisions: 1, of_due: 1 };
        let goal = |of_due| NewDeed { deed: Deed { of_due, ..deed }, ..solve(ada, day(0)) };
        // Two are pending, and one was done just now.
        for slug in ["1", "2"] {
            let solve = rows::add_solve(&mut db, ada, slug);
            rows::add_revision(&mut db, ada, solve, 1);
        }
        let began = count_deed(&mut db, &goal(1)).unwrap();
        assert_eq!((began.goal_solves, began.goal_revisions), (1, 3));
        let further = count_deed(&mut db, &NewDeed { goal_solves: 9, ..goal(0) }).unwrap();
        assert_eq!((further.goal_solves, further.goal_revisions, further.revisions), (1, 3, 2));
        // Nothing is due the day before.
        let before = NewDeed { day: day(0) - Days::new(1), ..goal(0) };
        assert_eq!(count_deed(&mut db, &before).unwrap().goal_revisions, 0);
        // Nor on a paused day.
        let span = Span::new(day(1), day(1), day(1)).unwrap();
        traverse::pauses::begin(&mut db, ada.id, span, rows::then()).unwrap();
        let paused = NewDeed { day: day(1), ..goal(1) };
        assert_eq!(count_deed(&mut db, &paused).unwrap().goal_revisions, 0);
        let after = NewDeed { day: day(2), ..goal(0) };
        assert_eq!(count_deed(&mut db, &after).unwrap().goal_revisions, 2);
    }

    fn a_day_wants_something_of_whoever_wants_no_solve(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve_id = rows::add_solve(&mut db, ada, "1");
        rows::add_revision(&mut db, ada, solve_id, 1);
        let wish = |day| NewDeed { goal_solves: 0, ..solve(ada, day) };
        let span = Span::new(day(1), day(1), day(1)).unwrap();
        traverse::pauses::begin(&mut db, ada.id, span, rows::then()).unwrap();
        let before = day(0) - Days::new(1);
        for (day, goals) in [(before, (1, 0)), (day(0), (0, 1)), (day(1), (1, 0))] {
            let ring = count_deed(&mut db, &wish(day)).unwrap();
            assert_eq!((ring.goal_solves, ring.goal_revisions), goals, "{day}");
        }
    }

    fn whoever_comes_second_sees_what_the_first_left(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        let count = |db: &mut Db| count(db, ada, day(0)).solves;
        assert_eq!(overlap(&database, Ending::Rollback, count), (1, 1));
        assert_eq!(overlap(&database, Ending::Commit, count), (2, 3));
    }
}
