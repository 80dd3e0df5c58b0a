use super::claim_jobs::{claim, held};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::Db;
use traverse::jobs::guards::{complete_jobs, fail_attempt, retry_job};
use traverse::jobs::model::Verdict;
use traverse::jobs::store::find;

/// A job that is dead.
fn dead(db: &mut Db, name: &str) -> i64 {
    let held = held(db, name);
    let verdict = Verdict::Failed { error: "no".to_owned(), wait: None };
    assert!(fail_attempt(db, &held, &verdict).unwrap().is_some());
    held.id
}

on_both! {
    fn one_caller_revives_it(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let id = dead(&mut db, &format!("job-{round}"));
            let won = racers.race(|db, _| retry_job(db, id).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            assert_eq!(find(&mut db, id).unwrap().unwrap().attempts, 0);
            assert_eq!(claim(&mut db, &format!("claim-{round}"), 5).len(), 1);
        });
    }

    fn what_waits_runs_or_is_done_stays(database: Database) {
        let mut db = database.connect();
        let held = held(&mut db, "job");
        assert!(!retry_job(&mut db, held.id).unwrap());
        complete_jobs(&mut db, std::slice::from_ref(&held)).unwrap();
        assert!(!retry_job(&mut db, held.id).unwrap());
        let id = dead(&mut db, "dead");
        assert!(retry_job(&mut db, id).unwrap());
        assert!(!retry_job(&mut db, id).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let both = ["one", "two"].map(|name| dead(&mut db, name));
        wins_only_after_a_rollback(&database, |db, pair| retry_job(db, both[pair]).unwrap());
    }
}
