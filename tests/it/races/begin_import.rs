use super::create_import::{add_import, new_import};
use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use std::collections::BTreeSet;
use traverse::db::Db;
use traverse::import::guards::{advance_import, begin_import, create_import, finish_import};
use traverse::import::model::{NewImport, Status, Tally};
use traverse::import::store::begin_file;

/// Stores an import with a file that waits in the database.
fn add_waiting(db: &mut Db, user: User, status: Status) -> i64 {
    let file_id = Some(begin_file(db, user.id, "{}", rows::then()).unwrap());
    let import = NewImport { file_id, ..new_import(user, None, status) };
    create_import(db, &import).unwrap().unwrap().id
}

fn begins(db: &mut Db, id: i64) -> Option<i64> {
    begin_import(db, id, rows::then()).unwrap().map(|import| import.attempt)
}

fn advances(db: &mut Db, id: i64, attempt: i64) -> bool {
    let one = Tally { received: 1, imported: 1, ..Tally::default() };
    advance_import(db, id, attempt, &one, rows::then()).unwrap()
}

on_both! {
    fn every_run_has_a_number_of_its_own_and_the_last_one_counts(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = add_waiting(&mut db, ada, Status::Queued);
            let runs = racers.race(|db, _| begins(db, id).unwrap());
            let numbers: BTreeSet<i64> = runs.iter().copied().collect();
            assert_eq!(numbers.len(), runs.len(), "round {round}");
            let last = *numbers.last().unwrap();
            for number in numbers {
                assert_eq!(advances(&mut db, id, number), number == last);
            }
        });
    }

    fn a_run_that_ended_it_is_the_last(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = add_waiting(&mut db, ada, Status::Queued);
            let first = begins(&mut db, id).unwrap();
            let won = racers.race(|db, caller| match caller {
                0 => finish_import(db, id, first, Status::Completed, None, rows::then())
                    .unwrap()
                    .is_some(),
                _ => begins(db, id).is_some(),
            });
            // Whoever begins before the end takes the import over.
            let begun = won[1..].iter().filter(|won| **won).count();
            assert_eq!(won[0], begun == 0, "round {round}");
            assert_eq!(begins(&mut db, id).is_some(), !won[0]);
        });
    }

    fn only_one_that_waits_or_runs_in_the_background_begins(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for status in [Status::Queued, Status::Running, Status::Completed, Status::Failed] {
            let is_open = matches!(status, Status::Queued | Status::Running);
            let waiting = add_waiting(&mut db, ada, status);
            assert_eq!(begins(&mut db, waiting).is_some(), is_open, "{status:?}");
            // One that its request runs has no file here.
            let id = add_import(&mut db, ada, status);
            assert_eq!(begins(&mut db, id), None, "{status:?}");
        }
    }

    fn each_import_begins_on_its_own(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [1, 2].map(|_| add_waiting(&mut db, ada, Status::Queued));
        assert_eq!(begins(&mut db, ids[0]), Some(2));
        assert_eq!(begins(&mut db, ids[0]), Some(3));
        assert_eq!(begins(&mut db, ids[1]), Some(2));
    }

    fn whoever_comes_second_waits_and_has_the_next_number(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let id = add_waiting(&mut db, ada, Status::Queued);
        let begin = |db: &mut Db| begins(db, id);
        assert_eq!(overlap(&database, Ending::Rollback, begin), (Some(2), Some(2)));
        assert_eq!(overlap(&database, Ending::Commit, begin), (Some(3), Some(4)));
    }
}
