use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::notifications::Recipients;
use traverse::notifications::guards::{TOLD, notify_once};
use traverse::notifications::model::{Kind, NewNotification};
use traverse::schema::notifications;

pub fn notification(dedup_key: &str) -> NewNotification<'_> {
    NewNotification {
        kind: Kind::Digest,
        dedup_key,
        title: "Due today",
        body: "Three problems",
        link: None,
        created_at: rows::then(),
    }
}

/// Tells one user: the number of the notification, where it was written.
pub fn tell(db: &mut Db, user: User, dedup_key: &str) -> Option<i64> {
    let to = Recipients::Users(&[user.id]);
    notify_once(db, &to, &notification(dedup_key)).unwrap().first().copied()
}

fn count(db: &mut Db) -> i64 {
    notifications::table.count().get_result(db).unwrap()
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
                let wanted = NewNotification { title: &title, ..notification(&key) };
                notify_once(db, &Recipients::Users(&[ada.id]), &wanted).unwrap().len()
            });
            assert_eq!(told.iter().sum::<usize>(), 1, "round {round}");
            rounds += 1;
        });
        assert_eq!(count(&mut db), rounds);
    }

    /// Two batches that overlap, as two runs of a broadcast would.
    fn of_two_batches_each_user_is_told_once(database: Database) {
        let mut db = database.connect();
        let users: Vec<i64> =
            (0..40).map(|number| User::add(&mut db, &format!("user-{number}")).id).collect();
        let mut all = 0;
        race_rounds(&database, |racers, round| {
            let key = format!("broadcast:{round}");
            let told = racers.race(|db, caller| {
                let batch = match caller % 3 {
                    0 => Recipients::Users(&users[..30]),
                    1 => Recipients::Users(&users[10..]),
                    _ => Recipients::Between { after: users[4], until: users[34] },
                };
                notify_once(db, &batch, &notification(&key)).unwrap().len()
            });
            assert_eq!(told.iter().sum::<usize>(), 40, "round {round}");
            all += 40;
        });
        assert_eq!(count(&mut db), all);
    }

    fn two_causes_and_two_users_stay_apart(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (user, key) in [(ada, "digest:1"), (ada, "digest:2"), (bob, "digest:1")] {
            assert!(tell(&mut db, user, key).is_some());
        }
        assert!(tell(&mut db, bob, "digest:1").is_none());
        assert_eq!(count(&mut db), 3);
    }

    fn whoever_is_gone_is_passed_over(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let to = Recipients::Users(&[ada.id + 1000, ada.id]);
        assert_eq!(notify_once(&mut db, &to, &notification("digest:1")).unwrap().len(), 1);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        tell(&mut db, ada, "digest:1").unwrap();
        let again = diesel::insert_into(notifications::table).values((
            notifications::user_id.eq(ada.id),
            notifications::kind.eq(Kind::Digest),
            notifications::dedup_key.eq("digest:1"),
            notifications::title.eq(""),
            notifications::body.eq(""),
            notifications::created_at.eq(rows::then()),
        ));
        let error = again.execute(&mut db).unwrap_err();
        assert!(TOLD.stopped(&error), "{error:?}");
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            tell(db, ada, &format!("digest:{pair}")).is_some()
        });
    }
}
