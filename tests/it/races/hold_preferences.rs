use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::db::tx::{Work, write};
use traverse::preferences::guards::hold_preferences;
use traverse::schema::users;

fn cap(db: &mut Db, user: User) -> i32 {
    users::table.find(user.id).select(users::daily_cap).first(db).unwrap()
}

/// Adds one to what it has read, as a change of preferences writes what it has checked.
fn add_one(db: &mut Db, user: User) -> bool {
    if !hold_preferences(db, user.id, rows::then()).unwrap() {
        return false;
    }
    let next = cap(db, user) + 1;
    diesel::update(users::table.find(user.id)).set(users::daily_cap.eq(next)).execute(db).unwrap();
    true
}

on_both! {
    fn changes_at_once_take_effect_one_after_the_other(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let before = cap(&mut db, ada);
            let held = racers.race(|db, _| {
                let held: Work<bool> = write(db, |db| Ok(add_one(db, ada)));
                held.unwrap()
            });
            assert!(held.iter().all(|held| *held));
            let added = i32::try_from(held.len()).unwrap();
            assert_eq!(cap(&mut db, ada), before + added, "round {round}");
        });
    }

    fn whoever_comes_second_sees_what_the_first_left(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for ending in [Ending::Rollback, Ending::Commit] {
            let before = cap(&mut db, ada);
            assert_eq!(overlap(&database, ending, |db| add_one(db, ada)), (true, true));
            let both = if ending == Ending::Commit { 2 } else { 1 };
            assert_eq!(cap(&mut db, ada), before + both, "{ending:?}");
        }
    }

    fn nobody_else_is_held(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let before = cap(&mut db, bob);
        assert!(add_one(&mut db, ada));
        assert_eq!(cap(&mut db, bob), before);
        assert!(!hold_preferences(&mut db, bob.id + 1, rows::then()).unwrap());
    }
}
