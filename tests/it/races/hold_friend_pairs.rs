//! Two friends close their rings at the same instant: each sees the other, or is seen.

use crate::harness::overlap::{Ending, overlap};
use crate::harness::people::{close_day, couples, friends, open_day, pair};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use traverse::db::Db;
use traverse::db::tx::{Work, write};
use traverse::schema::{friend_streak_days, notifications};
use traverse::social::guards::{hold_friend_pairs, raise_block};
use traverse::social::streaks::day_closed;

/// Closes the day of a user with all that follows, as the rings do.
fn close(db: &mut Db, user: User) {
    if close_day(db, user, rows::day()) {
        day_closed(db, user.id, rows::day(), rows::then()).unwrap();
    }
}

fn kept(db: &mut Db) -> i64 {
    friend_streak_days::table.count().get_result(db).unwrap()
}

on_both! {
    fn a_day_that_both_close_is_kept_once(database: Database) {
        let mut db = database.connect();
        let mut rounds = 0;
        race_rounds(&database, |racers, round| {
            let both = ["ada", "bob"].map(|name| User::add(&mut db, &format!("{name}{round}")));
            friends(&mut db, (both[0], both[1]));
            for user in both {
                open_day(&mut db, user, rows::day());
            }
            racers.race(|db, caller| {
                let closed: Work<()> = write(db, |db| {
                    close(db, both[caller % 2]);
                    Ok(())
                });
                closed.unwrap();
            });
            rounds += 1;
            assert_eq!(kept(&mut db), rounds, "round {round}");
        });
        let told: i64 = notifications::table.count().get_result(&mut db).unwrap();
        assert_eq!(told, 2 * rounds, "both are told, once");
    }

    fn the_second_waits_and_sees_the_first(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = couples(&mut db)[0];
        friends(&mut db, (ada, bob));
        for user in [ada, bob] {
            open_day(&mut db, user, rows::day());
        }
        let caller = AtomicUsize::new(0);
        overlap(&database, Ending::Commit, |db| {
            close(db, [ada, bob][caller.fetch_add(1, Ordering::SeqCst)]);
        });
        assert_eq!(kept(&mut db), 1);
    }

    fn it_holds_the_friends_of_one_user_in_their_order(database: Database) {
        let mut db = database.connect();
        let users: Vec<User> = ["a1", "a2", "a3", "a4", "a5"].map(|name| User::add(&mut db, name)).into();
        let ada = users[2];
        for other in [users[4], users[0], users[3]] {
            friends(&mut db, (ada, other));
        }
        // Others' friends, a stranger, and one who was a friend.
        friends(&mut db, (users[0], users[4]));
        pair(&mut db, (users[0], users[1]));
        let ended = friends(&mut db, (ada, users[1]));
        raise_block(&mut db, ended, ada.id, rows::then()).unwrap();
        let held = hold_friend_pairs(&mut db, ada.id).unwrap();
        let others: Vec<i64> = held.iter().map(|pair| pair.other_than(ada.id)).collect();
        assert_eq!(others, [users[0].id, users[3].id, users[4].id]);
    }
}
