use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::xp_entries;
use traverse::xp::guards::{AWARD, TURN, award_once};
use traverse::xp::model::{NewEntry, Reason};

/// A first award of ten points.
pub fn entry(user: User, reason: Reason, subject_id: i64) -> NewEntry {
    NewEntry {
        user_id: user.id,
        reason,
        subject_id,
        turn: 0,
        amount: 10,
        solve_id: None,
        local_day: rows::day(),
        created_at: rows::then(),
    }
}

on_both! {
    fn one_caller_awards(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let mut rounds = 0;
        race_rounds(&database, |racers, round| {
            let subject = i64::try_from(round).unwrap();
            let won = racers.race(|db, caller| {
                let amount = i32::try_from(caller).unwrap();
                let entry = NewEntry { amount, ..entry(ada, Reason::FirstSolve, subject) };
                award_once(db, &entry).unwrap()
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            rounds += 1;
        });
        let count: i64 = xp_entries::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, rounds);
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let review = entry(ada, Reason::Review, 1);
        assert!(award_once(&mut db, &review).unwrap());
        assert!(!award_once(&mut db, &NewEntry { amount: 500, ..review }).unwrap());
        let amounts: Vec<i32> = xp_entries::table.select(xp_entries::amount).load(&mut db).unwrap();
        assert_eq!(amounts, [10]);
    }

    fn the_guards_stop_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for (turn, guard) in [(0, AWARD), (1, TURN)] {
            let review = NewEntry { turn, ..entry(ada, Reason::Review, 1) };
            award_once(&mut db, &review).unwrap();
            let again = diesel::insert_into(xp_entries::table).values(&review);
            let error = again.execute(&mut db).unwrap_err();
            assert!(guard.stopped(&error), "{error:?}");
        }
    }

    fn one_caller_awards_a_turn(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let turn = i32::try_from(round).unwrap() + 1;
            let review = NewEntry { turn, ..entry(ada, Reason::Review, 1) };
            let won = racers.race(|db, _| award_once(db, &review).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "turn {turn}");
        });
    }

    fn other_users_reasons_and_subjects_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (user, reason, subject) in [
            (ada, Reason::Review, 1),
            (bob, Reason::Review, 1),
            (ada, Reason::ReviewUndone, 1),
            (ada, Reason::Review, 2),
        ] {
            assert!(award_once(&mut db, &entry(user, reason, subject)).unwrap(), "{reason:?}");
        }
        let again = NewEntry { turn: 1, ..entry(ada, Reason::Review, 1) };
        assert!(award_once(&mut db, &again).unwrap(), "another turn");
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            let subject = i64::try_from(pair).unwrap();
            award_once(db, &entry(ada, Reason::FirstSolve, subject)).unwrap()
        });
    }
}
