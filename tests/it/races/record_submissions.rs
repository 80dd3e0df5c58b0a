use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::submissions;
use traverse::submissions::guards::{record_submission, record_submissions};
use traverse::submissions::model::NewSubmission;

/// A submission as an import brings it.
fn numbered<'a>(user: User, problem: i64, judge: &'a str, number: &'a str) -> NewSubmission<'a> {
    NewSubmission {
        idempotency_key: None,
        external_id: Some(number),
        judge,
        ..rows::new_submission(user, problem, "")
    }
}

on_both! {
    fn one_caller_records_each_number(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        race_rounds(&database, |racers, round| {
            let numbers: Vec<String> = (0..3).map(|n| format!("{round}-{n}")).collect();
            let won: usize = racers.race(|db, caller| {
                if caller % 2 == 0 {
                    let rows = numbers.iter().map(|n| numbered(ada, problem, "leetcode.com", n)).collect();
                    record_submissions(db, rows, rows::then()).unwrap()
                } else {
                    let number = &numbers[caller % numbers.len()];
                    let row = numbered(ada, problem, "leetcode.com", number);
                    usize::from(record_submission(db, &row).unwrap().is_some())
                }
            }).into_iter().sum();
            assert_eq!(won, numbers.len(), "round {round}");
        });
    }

    fn other_judges_and_users_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let problem = rows::add_problem(&mut db, "two-sum");
        let unnumbered = NewSubmission { external_id: None, ..numbered(ada, problem, "leetcode.com", "") };
        let new = vec![
            numbered(ada, problem, "leetcode.com", "5"),
            numbered(ada, problem, "leetcode.com", "5"),
            numbered(ada, problem, "leetcode.cn", "5"),
            numbered(bob, problem, "leetcode.com", "5"),
            unnumbered.clone(),
            unnumbered,
        ];
        assert_eq!(record_submissions(&mut db, new, rows::then()).unwrap(), 5);
        let untriaged: i64 = submissions::table
            .filter(submissions::triaged_at.is_null()).count().get_result(&mut db).unwrap();
        assert_eq!(untriaged, 0);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        wins_only_after_a_rollback(&database, |db, pair| {
            let number = pair.to_string();
            let rows = vec![numbered(ada, problem, "leetcode.com", &number)];
            record_submissions(db, rows, rows::then()).unwrap() == 1
        });
    }
}
