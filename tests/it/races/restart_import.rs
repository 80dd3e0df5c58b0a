use super::create_import::new_import;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::Db;
use traverse::import::guards::{advance_import, create_import, finish_import, restart_import};
use traverse::import::model::{Status, Tally, Verdict};

/// An import in which one row was done, and which has ended like this.
fn ended(db: &mut Db, user: User, status: Status) -> i64 {
    let id = create_import(db, &new_import(user, None)).unwrap().unwrap().id;
    let mut tally = Tally::default();
    tally.count(Verdict::Imported);
    assert!(advance_import(db, id, &tally).unwrap());
    if status != Status::Running {
        finish_import(db, id, status, rows::then()).unwrap().unwrap();
    }
    id
}

on_both! {
    fn one_caller_starts_it_again(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = ended(&mut db, ada, Status::Failed);
            let won = racers.race(|db, _| restart_import(db, id, rows::then()).unwrap());
            let restarted: Vec<_> = won.into_iter().flatten().collect();
            assert_eq!(restarted.len(), 1, "round {round}");
            assert_eq!(restarted[0].tally, Tally::default());
            assert_eq!((restarted[0].status, restarted[0].finished_at), (Status::Running, None));
        });
    }

    fn only_one_that_failed_starts_again(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for status in [Status::Running, Status::Completed] {
            let id = ended(&mut db, ada, status);
            assert!(restart_import(&mut db, id, rows::then()).unwrap().is_none(), "{status:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [0, 1].map(|_| ended(&mut db, ada, Status::Failed));
        wins_only_after_a_rollback(&database, |db, pair| {
            restart_import(db, ids[pair], rows::then()).unwrap().is_some()
        });
    }
}
