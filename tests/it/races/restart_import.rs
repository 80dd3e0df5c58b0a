use super::create_import::add_import;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::Db;
use traverse::import::guards::restart_import;
use traverse::import::model::Status;

fn restarts(db: &mut Db, id: i64) -> bool {
    restart_import(db, id, rows::then()).unwrap().is_some()
}

on_both! {
    fn one_caller_restarts(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = add_import(&mut db, ada, Status::Failed);
            let won = racers.race(|db, _| restart_import(db, id, rows::then()).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn only_one_that_failed_restarts(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for status in [Status::Queued, Status::Running, Status::Completed, Status::Failed] {
            let id = add_import(&mut db, ada, status);
            assert_eq!(restarts(&mut db, id), status == Status::Failed, "{status:?}");
        }
    }

    fn each_import_restarts_on_its_own(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [1, 2].map(|_| add_import(&mut db, ada, Status::Failed));
        assert!(restarts(&mut db, ids[0]) && !restarts(&mut db, ids[0]));
        assert!(restarts(&mut db, ids[1]));
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [1, 2].map(|_| add_import(&mut db, ada, Status::Failed));
        wins_only_after_a_rollback(&database, |db, pair| restarts(db, ids[pair]));
    }
}
