use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::notifications::guards::{TOLD, notify_once};
use traverse::notifications::model::{Kind, NewNotification};
use traverse::schema::notifications;

pub fn notification(user: User, dedup_key: &str) -> NewNotification<'_> {
    NewNotification {
        user_id: user.id,
        kind: Kind::Digest,
        dedup_key,
        title: "Due today",
        body: "Three problems",
        link: None,
        created_at: rows::then(),
    }
}

on_both! {
    fn one_caller_tells(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let mut rounds = 0;
        race_rounds(&database, |racers, round| {
            let key = format!("digest:{round}");
            let told = racers.race(|db, caller| {
                let title = format!("by {caller}");
                let wanted = NewNotification { title: &title, ..notification(ada, &key) };
                notify_once(db, &wanted).unwrap()
            });
            assert_eq!(told.iter().flatten().count(), 1, "round {round}");
            rounds += 1;
        });
        let count: i64 = notifications::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, rounds);
    }

    fn two_causes_and_two_users_stay_apart(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (user, key) in [(ada, "digest:1"), (ada, "digest:2"), (bob, "digest:1")] {
            assert!(notify_once(&mut db, &notification(user, key)).unwrap().is_some());
        }
        assert!(notify_once(&mut db, &notification(bob, "digest:1")).unwrap().is_none());
        let count: i64 = notifications::table.count().get_result(&mut db).unwrap();
        assert_eq!(count, 3);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        notify_once(&mut db, &notification(ada, "digest:1")).unwrap();
        let duplicate = notification(ada, "digest:1");
        let again = diesel::insert_into(notifications::table).values(&duplicate);
        let error = again.execute(&mut db).unwrap_err();
        assert!(TOLD.stopped(&error), "{error:?}");
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            let key = format!("digest:{pair}");
            notify_once(db, &notification(ada, &key)).unwrap().is_some()
        });
    }
}
