use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::TimeDelta;
use traverse::db::instant::At;
use traverse::digest::guards::claim_digest;
use traverse::digest::store::turns;

fn after(hours: i64) -> At {
    At::from(*rows::then() + TimeDelta::hours(hours))
}

on_both! {
    fn one_caller_takes_the_turn(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let mut seen = None;
        race_rounds(&database, |racers, round| {
            let later = after(i64::try_from(round).unwrap() + 1);
            let won = racers.race(|db, _| claim_digest(db, ada.id, seen, later).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            seen = Some(later);
        });
    }

    fn a_turn_that_was_moved_is_nobodys(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        assert!(claim_digest(&mut db, ada.id, None, after(1)).unwrap());
        assert!(!claim_digest(&mut db, ada.id, None, after(2)).unwrap());
        assert!(!claim_digest(&mut db, ada.id, Some(after(3)), after(4)).unwrap());
        assert_eq!(turns(&mut db, rows::then(), 10, &[]).unwrap(), []);
        assert_eq!(turns(&mut db, after(1), 10, &[]).unwrap(), [(ada.id, Some(after(1)))]);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let both = ["ada", "bob"].map(|name| User::add(&mut db, name));
        wins_only_after_a_rollback(&database, |db, pair| {
            claim_digest(db, both[pair].id, None, after(1)).unwrap()
        });
    }
}
