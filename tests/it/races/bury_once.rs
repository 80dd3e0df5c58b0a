use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::schema::submissions;
use traverse::submissions::guards::{bury_once, record_submission};
use traverse::submissions::model::SubmissionRow;

fn submit(db: &mut Db, user: User, key: &str) -> i64 {
    let problem = rows::add_problem(db, key);
    rows::add_submission(db, &rows::new_submission(user, problem, key)).id
}

fn row(db: &mut Db, id: i64) -> SubmissionRow {
    submissions::table.find(id).first(db).unwrap()
}

on_both! {
    fn one_caller_deletes(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = submit(&mut db, ada, &format!("k{round}"));
            let won = racers.race(|db, _| bury_once(db, ada.id, id, rows::then()).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn what_recognises_it_stays(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let id = submit(&mut db, ada, "k");
        let before = row(&mut db, id);
        assert!(bury_once(&mut db, ada.id, id, rows::then()).unwrap());
        let after = row(&mut db, id);
        assert_eq!(after.idempotency_key, before.idempotency_key);
        assert_eq!(after.fingerprint, before.fingerprint);
        assert_eq!((after.verdict, after.problem_id, after.happened_at), (None, None, None));
        let problem = rows::add_problem(&mut db, "another");
        let again = rows::new_submission(ada, problem, "k");
        assert!(record_submission(&mut db, &again).unwrap().is_none());
    }

    fn nobody_deletes_what_is_not_theirs_or_another(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let [one, other] = ["k", "l"].map(|key| submit(&mut db, ada, key));
        assert!(!bury_once(&mut db, bob.id, one, rows::then()).unwrap());
        assert!(bury_once(&mut db, ada.id, one, rows::then()).unwrap());
        assert!(row(&mut db, other).deleted_at.is_none());
        assert!(bury_once(&mut db, ada.id, other, rows::then()).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = ["k", "l"].map(|key| submit(&mut db, ada, key));
        wins_only_after_a_rollback(&database, |db, pair| {
            bury_once(db, ada.id, ids[pair], rows::then()).unwrap()
        });
    }
}
