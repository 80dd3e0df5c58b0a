use super::create_account::account;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::auth::guards::create_account;
use traverse::calendar;
use traverse::calendar::guards::{FEED_USER, create_feed};
use traverse::clock::Clock;
use traverse::db::Db;
use traverse::db::tx::{self, Work};
use traverse::schema::calendar_feeds;

pub fn user(db: &mut Db, name: &str) -> i64 {
    create_account(db, &account(&format!("{name}@example.org"), name)).unwrap().unwrap()
}

on_both! {
    fn one_caller_makes_the_feed(database: Database) {
        let now = Clock::System.now();
        race_rounds(&database, |racers, round| {
            let ada = user(&mut database.connect(), &format!("ada{round}"));
            let made = racers.race(|db, caller| {
                create_feed(db, ada, &format!("n{caller}"), now).unwrap()
            });
            assert_eq!(made.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let (ada, now) = (user(&mut db, "ada"), Clock::System.now());
        let insert = |db: &mut Db, nonce: &str| {
            diesel::insert_into(calendar_feeds::table)
                .values((
                    calendar_feeds::user_id.eq(ada),
                    calendar_feeds::nonce.eq(nonce),
                    calendar_feeds::created_at.eq(now),
                ))
                .execute(db)
        };
        insert(&mut db, "a").unwrap();
        let error = insert(&mut db, "b").unwrap_err();
        assert!(FEED_USER.stopped(&error), "{error:?}");
    }

    fn a_second_beginning_changes_nothing(database: Database) {
        let mut db = database.connect();
        let (ada, now) = (user(&mut db, "ada"), Clock::System.now());
        let mut feed = || {
            let begun: Work<_, _> = tx::write(&mut db, |db| calendar::begin(db, ada, now));
            begun.unwrap();
            calendar::of_user(&mut db, ada).unwrap().unwrap()
        };
        assert_eq!(feed(), feed());
    }

    fn other_users_do_not_collapse(database: Database) {
        let mut db = database.connect();
        for name in ["ada", "bob"] {
            let user_id = user(&mut db, name);
            let made = create_feed(&mut db, user_id, "the same nonce", Clock::System.now());
            assert!(made.unwrap().is_some());
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let now = Clock::System.now();
        let users = ["ada", "bob"].map(|name| user(&mut database.connect(), name));
        wins_only_after_a_rollback(&database, |db, pair| {
            create_feed(db, users[pair], "n", now).unwrap().is_some()
        });
    }
}
