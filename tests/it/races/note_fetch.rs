use super::create_feed::user;
use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::calendar;
use traverse::calendar::guards::{create_feed, note_fetch, rotate_feed};
use traverse::calendar::model::FeedRow;
use traverse::db::Db;

fn feed(db: &mut Db, name: &str) -> FeedRow {
    let user_id = user(db, name);
    create_feed(db, user_id, "n", rows::then()).unwrap().unwrap();
    calendar::of_user(db, user_id).unwrap().unwrap()
}

fn again(db: &mut Db, feed: &FeedRow) -> FeedRow {
    calendar::of_user(db, feed.user_id).unwrap().unwrap()
}

on_both! {
    /// However a rotation and the fetches of the address before it interleave, the new address was
    /// never fetched.
    fn no_fetch_of_an_old_address_is_noted_for_the_new_one(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let seen = feed(&mut db, &format!("ada{round}"));
            racers.race(|db, caller| match caller {
                0 => rotate_feed(db, seen.id, seen.generation, "m").unwrap(),
                _ => note_fetch(db, seen.id, seen.generation, rows::then()).unwrap(),
            });
            let after = again(&mut db, &seen);
            assert_eq!(after.generation, seen.generation + 1);
            assert_eq!(after.last_fetched_at, None, "round {round}");
        });
    }

    fn a_fetch_of_one_feed_says_nothing_of_another(database: Database) {
        let mut db = database.connect();
        let (adas, bobs) = (feed(&mut db, "ada"), feed(&mut db, "bob"));
        assert!(note_fetch(&mut db, adas.id, adas.generation, rows::then()).unwrap());
        assert!(!note_fetch(&mut db, adas.id, adas.generation + 1, rows::then()).unwrap());
        assert_eq!(again(&mut db, &adas).last_fetched_at, Some(rows::then()));
        assert_eq!(again(&mut db, &bobs).last_fetched_at, None);
    }

    fn a_fetch_that_waits_for_a_rotation_is_noted_only_after_its_rollback(database: Database) {
        let mut db = database.connect();
        for (ending, name, noted) in
            [(Ending::Rollback, "ada", true), (Ending::Commit, "bob", false)]
        {
            let seen = feed(&mut db, name);
            let rotated = std::sync::atomic::AtomicBool::new(false);
            let (_, second) = overlap(&database, ending, |db| {
                if rotated.swap(true, std::sync::atomic::Ordering::Relaxed) {
                    note_fetch(db, seen.id, seen.generation, rows::then()).unwrap()
                } else {
                    rotate_feed(db, seen.id, seen.generation, "m").unwrap()
                }
            });
            assert_eq!(second, noted, "{ending:?}");
        }
    }
}
