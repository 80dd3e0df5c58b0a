use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::submissions;
use traverse::submissions::guards::{JUDGE_NUMBER, record_submissions};
use traverse::submissions::model::NewSubmission;

fn numbers(of: usize) -> Vec<String> {
    (0..5).map(|number| format!("{of}-{number}")).collect()
}

fn batch<'a>(
    user: User,
    problem_id: i64,
    judge: &'a str,
    numbers: &'a [String],
) -> Vec<NewSubmission<'a>> {
    let numbered = |number: &'a String| NewSubmission {
        judge,
        external_id: Some(number),
        idempotency_key: None,
        ..rows::new_submission(user, problem_id, "")
    };
    numbers.iter().map(numbered).collect()
}

on_both! {
    fn each_number_of_a_batch_is_recorded_by_one_caller(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        race_rounds(&database, |racers, round| {
            let numbers = numbers(round);
            let won = racers.race(|db, _| {
                let rows = batch(ada, problem, "codeforces.com", &numbers);
                record_submissions(db, rows, rows::then()).unwrap()
            });
            assert_eq!(won.iter().sum::<usize>(), 5, "round {round}");
        });
    }

    fn each_key_of_a_batch_is_recorded_by_one_caller(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        race_rounds(&database, |racers, round| {
            let keys = numbers(round);
            let won = racers.race(|db, _| {
                let rows = keys.iter().map(|key| rows::new_submission(ada, problem, key)).collect();
                record_submissions(db, rows, rows::then()).unwrap()
            });
            assert_eq!(won.iter().sum::<usize>(), 5, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        let numbers = numbers(0);
        let rows = || batch(ada, problem, "codeforces.com", &numbers);
        assert_eq!(record_submissions(&mut db, rows(), rows::then()).unwrap(), 5);
        assert_eq!(record_submissions(&mut db, rows(), rows::then()).unwrap(), 0);
        let error = diesel::insert_into(submissions::table)
            .values(&rows()[0])
            .execute(&mut db)
            .unwrap_err();
        assert!(JUDGE_NUMBER.stopped(&error), "{error:?}");
    }

    fn other_users_judges_and_numbers_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let problem = rows::add_problem(&mut db, "two-sum");
        let (one, other) = (numbers(0), numbers(1));
        for rows in [
            batch(ada, problem, "leetcode.com", &one),
            batch(bob, problem, "leetcode.com", &one),
            batch(ada, problem, "leetcode.cn", &one),
            batch(ada, problem, "leetcode.com", &other),
        ] {
            assert_eq!(record_submissions(&mut db, rows, rows::then()).unwrap(), 5);
        }
        let unnumbered = || NewSubmission {
            idempotency_key: None,
            ..rows::new_submission(ada, problem, "")
        };
        let rows = vec![unnumbered(), unnumbered()];
        assert_eq!(record_submissions(&mut db, rows, rows::then()).unwrap(), 2);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        wins_only_after_a_rollback(&database, |db, pair| {
            let numbers = numbers(pair);
            let rows = batch(ada, problem, "codeforces.com", &numbers);
            record_submissions(db, rows, rows::then()).unwrap() == 5
        });
    }
}
