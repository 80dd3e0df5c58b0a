use super::create_import::add_import;
use super::restart_import::AT_ONCE;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::import::guards::{finish_import, restart_import};
use traverse::import::model::Status;
use traverse::schema::imports;

fn finishes(db: &mut Db, id: i64, status: Status) -> bool {
    finish_import(db, id, 1, status, None, rows::then()).unwrap().is_some()
}

fn stored(db: &mut Db, id: i64) -> Status {
    imports::table.find(id).select(imports::status).first(db).unwrap()
}

on_both! {
    fn one_caller_finishes(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ends = [Status::Completed, Status::Failed];
        race_rounds(&database, |racers, round| {
            let id = add_import(&mut db, ada, Status::Running);
            let won = racers.race(|db, caller| {
                let end = ends[caller % 2];
                finish_import(db, id, 1, end, None, rows::then()).unwrap().map(|_| end)
            });
            let mut winners = won.into_iter().flatten();
            let winner = winners.next().unwrap();
            assert_eq!(winners.count(), 0, "round {round}");
            assert_eq!(stored(&mut db, id), winner);
        });
    }

    fn a_run_that_was_taken_over_ends_nothing(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = add_import(&mut db, ada, Status::Running);
            let won = racers.race(|db, caller| match caller {
                0 => restart_import(db, id, AT_ONCE, rows::then(), rows::then()).unwrap().is_some(),
                _ => finishes(db, id, Status::Completed),
            });
            let finished = won[1..].iter().filter(|won| **won).count();
            assert_eq!(usize::from(won[0]) + finished, 1, "round {round}");
            let status = if won[0] { Status::Running } else { Status::Completed };
            assert_eq!(stored(&mut db, id), status);
            assert!(!finishes(&mut db, id, Status::Failed));
            assert_eq!(stored(&mut db, id), status);
            let later = finish_import(&mut db, id, 2, Status::Completed, None, rows::then()).unwrap();
            assert_eq!(later.is_some(), won[0]);
        });
    }

    fn only_one_that_runs_finishes(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for status in [Status::Queued, Status::Completed, Status::Failed, Status::Running] {
            let id = add_import(&mut db, ada, status);
            let finished = finishes(&mut db, id, Status::Completed);
            assert_eq!(finished, status == Status::Running, "{status:?}");
            assert!(!finishes(&mut db, id, Status::Failed));
        }
    }

    fn each_import_finishes_on_its_own(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [1, 2].map(|_| add_import(&mut db, ada, Status::Running));
        assert!(finishes(&mut db, ids[0], Status::Completed));
        assert_eq!(stored(&mut db, ids[1]), Status::Running);
        assert!(finishes(&mut db, ids[1], Status::Completed));
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [1, 2].map(|_| add_import(&mut db, ada, Status::Running));
        wins_only_after_a_rollback(&database, |db, pair| {
            finishes(db, ids[pair], Status::Completed)
        });
    }
}
