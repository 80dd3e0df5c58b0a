use crate::harness::devices::{new_device, register};
use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::notifications::guards::{DEVICE, register_subscription};
use traverse::schema::push_subscriptions;

fn all(db: &mut Db) -> Vec<(i64, String)> {
    push_subscriptions::table
        .order(push_subscriptions::id)
        .select((push_subscriptions::user_id, push_subscriptions::endpoint))
        .load(db)
        .unwrap()
}

on_both! {
    fn a_device_is_one_users(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let mut rounds = 0;
        race_rounds(&database, |racers, round| {
            let endpoint = format!("https://push.example.org/{round}");
            let registered = racers.race(|db, caller| {
                let user = if caller % 2 == 0 { ada } else { bob };
                register_subscription(db, &new_device(user, &endpoint)).unwrap().id
            });
            assert!(registered.iter().all(|id| *id == registered[0]), "{registered:?}");
            rounds += 1;
        });
        assert_eq!(all(&mut db).len(), rounds);
    }

    fn it_moves_to_whoever_registers_it_now(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let hers = register(&mut db, ada, "phone");
        register(&mut db, ada, "laptop");
        let his = register(&mut db, bob, "phone");
        assert_eq!(his.id, hers.id);
        let expected = [(bob.id, "phone".to_owned()), (ada.id, "laptop".to_owned())];
        assert_eq!(all(&mut db), expected);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        register(&mut db, ada, "phone");
        let again = diesel::insert_into(push_subscriptions::table).values((
            push_subscriptions::user_id.eq(ada.id),
            push_subscriptions::endpoint.eq("phone"),
            push_subscriptions::p256dh.eq(""),
            push_subscriptions::auth.eq(""),
            push_subscriptions::created_at.eq(rows::then()),
            push_subscriptions::updated_at.eq(rows::then()),
        ));
        let error = again.execute(&mut db).unwrap_err();
        assert!(DEVICE.stopped(&error), "{error:?}");
    }

    fn the_second_waits_and_has_it(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        overlap(&database, Ending::Rollback, |db| register(db, ada, "phone"));
        let (first, second) =
            overlap(&database, Ending::Commit, |db| register(db, ada, "laptop").id);
        assert_eq!(first, second);
        assert_eq!(all(&mut db).len(), 2);
    }
}
