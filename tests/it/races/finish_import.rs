use super::create_import::new_import;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::import::guards::{create_import, finish_import};
use traverse::import::model::Status;

on_both! {
    fn one_caller_ends_it(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = create_import(&mut db, &new_import(ada, None)).unwrap().unwrap().id;
            let won = racers.race(|db, caller| {
                let status = if caller % 2 == 0 { Status::Completed } else { Status::Failed };
                finish_import(db, id, status, rows::then()).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [0, 1]
            .map(|_| create_import(&mut db, &new_import(ada, None)).unwrap().unwrap().id);
        wins_only_after_a_rollback(&database, |db, pair| {
            finish_import(db, ids[pair], Status::Completed, rows::then()).unwrap().is_some()
        });
    }
}
