use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::TimeDelta;
use traverse::auth::guards::use_reset;
use traverse::auth::reset::GOOD_FOR;
use traverse::auth::store::add_reset;
use traverse::db::Db;
use traverse::db::instant::At;

fn add(db: &mut Db, user: User, hash: &str) {
    let ends = At::from(*rows::then() + GOOD_FOR);
    add_reset(db, user.id, hash, rows::then(), ends).unwrap();
}

on_both! {
    fn one_caller_uses_it(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let hash = format!("link {round}");
            add(&mut db, ada, &hash);
            let used = racers.race(|db, _| use_reset(db, &hash, rows::then()).unwrap());
            assert_eq!(used.iter().filter(|used| **used).count(), 1, "round {round}");
        });
    }

    fn a_link_is_good_for_an_hour(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        add(&mut db, ada, "link");
        let end = *rows::then() + GOOD_FOR;
        assert!(!use_reset(&mut db, "link", At::from(end)).unwrap());
        assert!(!use_reset(&mut db, "another", rows::then()).unwrap());
        assert!(use_reset(&mut db, "link", At::from(end - TimeDelta::seconds(1))).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let both = ["one", "two"];
        for hash in both {
            add(&mut db, ada, hash);
        }
        wins_only_after_a_rollback(&database, |db, pair| {
            use_reset(db, both[pair], rows::then()).unwrap()
        });
    }
}
