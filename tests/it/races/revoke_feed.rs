use super::create_feed::user;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::TimeDelta;
use traverse::calendar;
use traverse::calendar::guards::{create_feed, revoke_feed, rotate_feed};
use traverse::db::Db;
use traverse::db::instant::At;

fn owner(db: &mut Db, name: &str) -> i64 {
    let user_id = user(db, name);
    create_feed(db, user_id, "n", rows::then()).unwrap().unwrap();
    user_id
}

fn revoked_at(db: &mut Db, user_id: i64) -> Option<At> {
    calendar::of_user(db, user_id).unwrap().unwrap().revoked_at
}

on_both! {
    fn one_caller_revokes_and_its_time_stays(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let ada = owner(&mut db, &format!("ada{round}"));
            let time = |caller: usize| {
                At::from(*rows::then() + TimeDelta::seconds(i64::try_from(caller).unwrap()))
            };
            let won = racers.race(|db, caller| revoke_feed(db, ada, time(caller)).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            let winner = won.iter().position(|won| *won).unwrap();
            assert_eq!(revoked_at(&mut db, ada), Some(time(winner)));
        });
    }

    fn another_feed_and_a_rotated_one_are_revoked_on_their_own(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (owner(&mut db, "ada"), owner(&mut db, "bob"));
        assert!(revoke_feed(&mut db, ada, rows::then()).unwrap());
        assert!(!revoke_feed(&mut db, ada, rows::then()).unwrap());
        assert_eq!(revoked_at(&mut db, bob), None);
        let feed = calendar::of_user(&mut db, ada).unwrap().unwrap();
        assert!(rotate_feed(&mut db, feed.id, feed.generation, "m").unwrap());
        assert!(revoke_feed(&mut db, ada, rows::then()).unwrap());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let users = ["ada", "bob"].map(|name| owner(&mut db, name));
        wins_only_after_a_rollback(&database, |db, pair| {
            revoke_feed(db, users[pair], rows::then()).unwrap()
        });
    }
}
