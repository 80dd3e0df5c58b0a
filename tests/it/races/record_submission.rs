use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::submissions;
use traverse::submissions::guards::{JUDGE_NUMBER, SUBMISSION_KEY, record_submission};
use traverse::submissions::model::NewSubmission;

fn numbered<'a>(
    user: User,
    problem_id: i64,
    key: &'a str,
    judge: &'a str,
    number: &'a str,
) -> NewSubmission<'a> {
    NewSubmission {
        judge,
        external_id: Some(number),
        ..rows::new_submission(user, problem_id, key)
    }
}

on_both! {
    fn one_caller_records_the_key(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        race_rounds(&database, |racers, round| {
            let key = format!("k{round}");
            let won = racers.race(|db, _| {
                record_submission(db, &rows::new_submission(ada, problem, &key)).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn one_caller_records_the_number_whatever_the_key(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        race_rounds(&database, |racers, round| {
            let number = round.to_string();
            let won = racers.race(|db, caller| {
                let key = format!("k{round}-{caller}");
                let submission = numbered(ada, problem, &key, "leetcode.com", &number);
                record_submission(db, &submission).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        let first = numbered(ada, problem, "k", "leetcode.com", "5");
        let by_number = NewSubmission { idempotency_key: None, ..first.clone() };
        let by_key = NewSubmission { external_id: None, ..first.clone() };
        for (submission, is_new) in [(&first, true), (&by_number, false), (&by_key, false)] {
            let recorded = record_submission(&mut db, submission).unwrap();
            assert_eq!(recorded.is_some(), is_new, "{submission:?}");
        }
        let count: i64 = submissions::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, 1);
    }

    fn the_guards_stop_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        rows::add_submission(&mut db, &numbered(ada, problem, "k", "leetcode.com", "5"));
        for (guard, key, number) in [(SUBMISSION_KEY, "k", "6"), (JUDGE_NUMBER, "l", "5")] {
            let error = diesel::insert_into(submissions::table)
                .values(numbered(ada, problem, key, "leetcode.com", number))
                .execute(&mut db)
                .unwrap_err();
            assert!(guard.stopped(&error), "{guard:?}: {error:?}");
        }
    }

    fn other_users_keys_judges_and_numbers_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let problem = rows::add_problem(&mut db, "two-sum");
        let without_key = |number| NewSubmission {
            idempotency_key: None,
            ..numbered(ada, problem, "", "leetcode.com", number)
        };
        for submission in [
            numbered(ada, problem, "k", "leetcode.com", "5"),
            numbered(bob, problem, "k", "leetcode.com", "5"),
            numbered(ada, problem, "l", "leetcode.cn", "5"),
            numbered(ada, problem, "m", "leetcode.com", "6"),
            // In the same second, without a number.
            rows::new_submission(ada, problem, "n"),
            rows::new_submission(ada, problem, "o"),
            without_key("7"),
            without_key("8"),
            NewSubmission { external_id: None, ..without_key("") },
            NewSubmission { external_id: None, ..without_key("") },
        ] {
            let recorded = record_submission(&mut db, &submission).unwrap();
            assert!(recorded.is_some(), "{submission:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        wins_only_after_a_rollback(&database, |db, pair| {
            let key = pair.to_string();
            record_submission(db, &rows::new_submission(ada, problem, &key)).unwrap().is_some()
        });
    }
}
