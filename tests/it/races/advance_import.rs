//! The batches of an import: none is lost, none counts after the end, and none of a run that was
//! taken over.

use super::create_import::add_import;
use super::restart_import::AT_ONCE;
use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::import::guards::{advance_import, finish_import, restart_import};
use traverse::import::model::{Status, Tally};
use traverse::schema::imports;

fn one_row() -> Tally {
    Tally { received: 1, imported: 1, ..Tally::default() }
}

fn advances(db: &mut Db, id: i64, attempt: i64) -> bool {
    advance_import(db, id, attempt, &one_row(), rows::then()).unwrap()
}

fn counted(db: &mut Db, id: i64) -> (i64, i64) {
    imports::table.find(id).select((imports::received, imports::imported)).first(db).unwrap()
}

on_both! {
    fn every_batch_counts_until_the_end_and_none_after_it(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = add_import(&mut db, ada, Status::Running);
            let won = racers.race(|db, caller| match caller {
                0 => finish_import(db, id, 1, Status::Completed, None, rows::then()).unwrap().is_some(),
                _ => advances(db, id, 1),
            });
            assert!(won[0], "it ran");
            let advanced = i64::try_from(won[1..].iter().filter(|won| **won).count()).unwrap();
            assert_eq!(counted(&mut db, id), (advanced, advanced), "round {round}");
            assert!(!advances(&mut db, id, 1));
        });
    }

    fn none_counts_of_a_run_that_was_taken_over(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = add_import(&mut db, ada, Status::Running);
            let won = racers.race(|db, caller| match caller {
                0 => restart_import(db, id, AT_ONCE, rows::then(), rows::then()).unwrap().is_some(),
                _ => advances(db, id, 1),
            });
            assert!(won[0], "it has said nothing since then");
            let advanced = i64::try_from(won[1..].iter().filter(|won| **won).count()).unwrap();
            assert_eq!(counted(&mut db, id), (advanced, advanced), "round {round}");
            assert!(!advances(&mut db, id, 1));
            assert!(advances(&mut db, id, 2));
        });
    }

    fn only_one_that_runs_advances(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for status in [Status::Queued, Status::Completed, Status::Failed, Status::Running] {
            let id = add_import(&mut db, ada, status);
            let advanced = advances(&mut db, id, 1);
            assert_eq!(advanced, status == Status::Running, "{status:?}");
        }
    }

    fn each_import_counts_its_own(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [1, 2].map(|_| add_import(&mut db, ada, Status::Running));
        assert!(advances(&mut db, ids[0], 1));
        assert_eq!(counted(&mut db, ids[0]), (1, 1));
        assert_eq!(counted(&mut db, ids[1]), (0, 0));
    }

    fn whoever_comes_second_adds_to_what_the_first_left(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let id = add_import(&mut db, ada, Status::Running);
        let advance = |db: &mut Db| advances(db, id, 1);
        assert_eq!(overlap(&database, Ending::Rollback, advance), (true, true));
        assert_eq!(counted(&mut db, id), (1, 1));
        assert_eq!(overlap(&database, Ending::Commit, advance), (true, true));
        assert_eq!(counted(&mut db, id), (3, 3));
    }
}
