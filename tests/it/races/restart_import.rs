use super::create_import::add_import;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::TimeDelta;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::import::guards::{Restart, advance_import, begin_import, restart_import};
use traverse::import::model::{Status, Tally};
use traverse::import::store::begin_file;

/// Its request runs it.
pub const AT_ONCE: Restart = Restart { status: Status::Running, file_id: None };

/// A minute before a test's imports last said that they go on.
fn before() -> At {
    (*rows::then() - TimeDelta::minutes(1)).into()
}

fn restarts(db: &mut Db, id: i64) -> bool {
    restart_import(db, id, AT_ONCE, before(), rows::then()).unwrap().is_some()
}

on_both! {
    fn one_caller_restarts(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = add_import(&mut db, ada, Status::Failed);
            let won = racers.race(|db, _| restart_import(db, id, AT_ONCE, before(), rows::then()).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn one_caller_takes_over(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let later: At = (*rows::then() + TimeDelta::minutes(1)).into();
        race_rounds(&database, |racers, round| {
            let id = add_import(&mut db, ada, Status::Running);
            let won = racers.race(|db, _| restart_import(db, id, AT_ONCE, rows::then(), later).unwrap());
            let winners: Vec<_> = won.into_iter().flatten().collect();
            assert_eq!(winners.len(), 1, "round {round}");
            assert_eq!((winners[0].attempt, winners[0].touched_at), (2, later));
        });
    }

    fn only_one_that_says_nothing_is_taken_over(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let id = add_import(&mut db, ada, Status::Running);
        assert!(!restarts(&mut db, id));
        advance_import(&mut db, id, 1, &Tally::default(), rows::then()).unwrap();
        assert!(!restarts(&mut db, id));
        assert!(restart_import(&mut db, id, AT_ONCE, rows::then(), rows::then()).unwrap().is_some());
        for status in [Status::Queued, Status::Completed] {
            let id = add_import(&mut db, ada, status);
            let restarted = restart_import(&mut db, id, AT_ONCE, rows::then(), rows::then()).unwrap();
            assert!(restarted.is_none(), "{status:?}");
        }
    }

    /// The queue sees to one in the background, however long it is silent.
    fn one_of_the_background_is_not_taken_over(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let file_id = Some(begin_file(&mut db, ada.id, "{}", rows::then()).unwrap());
        let how = Restart { status: Status::Queued, file_id };
        let id = add_import(&mut db, ada, Status::Failed);
        let queued = restart_import(&mut db, id, how, before(), rows::then()).unwrap().unwrap();
        assert_eq!((queued.status, queued.file_id, queued.attempt), (Status::Queued, file_id, 2));
        assert_eq!(begin_import(&mut db, id, rows::then()).unwrap().unwrap().attempt, 3);
        assert!(restart_import(&mut db, id, AT_ONCE, rows::then(), rows::then()).unwrap().is_none());
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
