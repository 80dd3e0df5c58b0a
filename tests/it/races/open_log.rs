//! The lock of a solve: not one winner, but one after the other.

use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::Db;
use traverse::db::tx::{Work, write};
use traverse::revisions::guards::open_log;
use traverse::revisions::log::Kind;
use traverse::revisions::{guards, store};

/// Appends the next number, as whoever holds the lock does: by what is there. Without the lock two
/// would choose the same one, and the constraint would refuse one of them.
fn append(db: &mut Db, user: User, solve: i64) -> Option<i64> {
    let done: Work<_> = write(db, |db| {
        let start = open_log(db, user.id, solve, rows::then())?.unwrap();
        let number = i32::try_from(store::revisions_of(db, solve)?.len()).unwrap() + 1;
        let revision = rows::new_revision(user, solve, number, Kind::Adaptive);
        Ok(guards::schedule_revision(db, &revision)?.map(|_| start.version))
    });
    done.unwrap()
}

on_both! {
    fn callers_take_turns(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let solve = rows::add_solve(&mut db, ada, &format!("p{round}"));
            let mut versions: Vec<_> = racers
                .race(|db, _| append(db, ada, solve))
                .into_iter()
                .map(|version| version.expect("two chose one number"))
                .collect();
            versions.sort_unstable();
            let expected: Vec<i64> = (1..).take(versions.len()).collect();
            assert_eq!(versions, expected, "round {round}");
        });
    }

    fn nobody_opens_what_is_not_theirs_or_not_there(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        assert!(open_log(&mut db, bob.id, solve, rows::then()).unwrap().is_none());
        assert!(open_log(&mut db, ada.id, solve + 1, rows::then()).unwrap().is_none());
        assert_eq!(open_log(&mut db, ada.id, solve, rows::then()).unwrap().unwrap().version, 1);
    }

    fn whoever_comes_second_sees_what_the_first_left(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let open = |db: &mut Db| open_log(db, ada.id, solve, rows::then()).unwrap().unwrap().version;
        assert_eq!(overlap(&database, Ending::Rollback, open), (1, 1));
        assert_eq!(overlap(&database, Ending::Commit, open), (2, 3));
    }
}

/// On SQLite the transaction is the lock, so that this shows nothing there.
#[test]
fn logs_of_two_solves_are_open_at_once() {
    use crate::harness::Backend;
    use diesel::connection::SimpleConnection;
    let database = Database::fresh(Backend::Postgres);
    let (mut one, mut other) = (database.connect(), database.connect());
    let ada = User::add(&mut one, "ada");
    let solves = ["1", "2"].map(|slug| rows::add_solve(&mut one, ada, slug));
    one.batch_execute("begin").unwrap();
    open_log(&mut one, ada.id, solves[0], rows::then()).unwrap().unwrap();
    other.batch_execute("set lock_timeout = '1s'").unwrap();
    open_log(&mut other, ada.id, solves[1], rows::then()).unwrap().unwrap();
}
