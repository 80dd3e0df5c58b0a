use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::broadcasts::guards::{BROADCAST_KEY, create_broadcast};
use traverse::broadcasts::model::NewBroadcast;
use traverse::schema::broadcasts;

pub fn broadcast(admin: User, key: Option<&str>) -> NewBroadcast<'_> {
    NewBroadcast {
        user_id: admin.id,
        title: "Down on Sunday",
        body: "For an hour",
        active_days: None,
        active_since: None,
        last_user_id: 1_000_000,
        idempotency_key: key,
        fingerprint: key.map(|_| "f"),
        created_at: rows::then(),
        updated_at: rows::then(),
    }
}

on_both! {
    fn one_caller_makes_it(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let key = format!("k{round}");
            let won =
                racers.race(|db, _| create_broadcast(db, &broadcast(ada, Some(&key))).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        create_broadcast(&mut db, &broadcast(ada, Some("k"))).unwrap().unwrap();
        let again = diesel::insert_into(broadcasts::table).values(broadcast(ada, Some("k")));
        let error = again.execute(&mut db).unwrap_err();
        assert!(BROADCAST_KEY.stopped(&error), "{error:?}");
    }

    fn other_admins_and_no_keys_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (admin, key) in
            [(ada, Some("k")), (bob, Some("k")), (ada, Some("l")), (ada, None), (ada, None)]
        {
            let made = create_broadcast(&mut db, &broadcast(admin, key)).unwrap();
            assert!(made.is_some(), "{key:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            let key = format!("k{pair}");
            create_broadcast(db, &broadcast(ada, Some(&key))).unwrap().is_some()
        });
    }
}
