use super::award_once::entry;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::User;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::xp_entries;
use traverse::xp::guards::{AWARD, award_all};
use traverse::xp::model::{NewEntry, Reason};

/// Entries for five subjects.
fn batch(user: User, reason: Reason, of: usize) -> Vec<NewEntry> {
    let first = 5 * i64::try_from(of).unwrap();
    (first..first + 5).map(|subject_id| entry(user, reason, subject_id)).collect()
}

on_both! {
    fn each_subject_of_a_batch_is_awarded_by_one_caller(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let rows = batch(ada, Reason::FirstSolve, round);
            let won = racers.race(|db, _| award_all(db, &rows).unwrap());
            let mut awarded: Vec<i64> = won.into_iter().flatten().collect();
            awarded.sort_unstable();
            let subjects: Vec<i64> = rows.iter().map(|row| row.subject_id).collect();
            assert_eq!(awarded, subjects, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let rows = batch(ada, Reason::Review, 0);
        assert_eq!(award_all(&mut db, &rows).unwrap().len(), 5);
        assert!(award_all(&mut db, &rows).unwrap().is_empty());
        let error =
            diesel::insert_into(xp_entries::table).values(&rows[0]).execute(&mut db).unwrap_err();
        assert!(AWARD.stopped(&error), "{error:?}");
    }

    fn other_users_reasons_and_subjects_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (user, reason, of) in [
            (ada, Reason::Review, 0),
            (bob, Reason::Review, 0),
            (ada, Reason::FirstSolve, 0),
            (ada, Reason::Review, 1),
        ] {
            assert_eq!(award_all(&mut db, &batch(user, reason, of)).unwrap().len(), 5);
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            award_all(db, &batch(ada, Reason::FirstSolve, pair)).unwrap().len() == 5
        });
    }
}
