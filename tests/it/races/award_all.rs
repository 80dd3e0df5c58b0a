use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::xp::guards::{award_all, award_once};
use traverse::xp::model::{NewEntry, Reason};

fn entry(user: User, reason: Reason, subject_id: i64) -> NewEntry {
    NewEntry {
        user_id: user.id,
        reason,
        subject_id,
        amount: 10,
        solve_id: None,
        local_day: rows::day(),
        created_at: rows::then(),
    }
}

on_both! {
    fn one_caller_awards_each(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let first = i64::try_from(round).unwrap() * 3;
            let won = racers.race(|db, _| {
                let rows: Vec<_> = (first..first + 3)
                    .map(|subject| entry(ada, Reason::FirstSolve, subject))
                    .collect();
                award_all(db, &rows).unwrap()
            });
            let mut subjects: Vec<i64> = won.into_iter().flatten().collect();
            subjects.sort_unstable();
            assert_eq!(subjects, [first, first + 1, first + 2], "round {round}");
        });
    }

    fn other_users_reasons_and_subjects_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        assert!(award_once(&mut db, &entry(ada, Reason::FirstSolve, 1)).unwrap());
        let rows = [
            entry(ada, Reason::FirstSolve, 1),
            entry(ada, Reason::Review, 1),
            entry(bob, Reason::FirstSolve, 1),
            entry(ada, Reason::FirstSolve, 2),
            entry(ada, Reason::FirstSolve, 2),
        ];
        assert_eq!(award_all(&mut db, &rows).unwrap(), [1, 1, 2]);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            let subject = i64::try_from(pair).unwrap();
            !award_all(db, &[entry(ada, Reason::FirstSolve, subject)]).unwrap().is_empty()
        });
    }
}
