use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::import::guards::{IMPORT_KEY, create_import};
use traverse::import::model::{NewImport, Status, Tally};
use traverse::schema::imports;

/// An import that begins.
pub fn new_import(user: User, key: Option<&str>) -> NewImport {
    NewImport {
        user_id: user.id,
        idempotency_key: key.map(str::to_owned),
        fingerprint: Some("f".to_owned()),
        status: Status::Running,
        format: "csv".to_owned(),
        detected: None,
        zone_assumed: None,
        remarks: "[]".to_owned(),
        total: 1,
        tally: Tally::default(),
        created_at: rows::then(),
    }
}

on_both! {
    fn one_caller_creates_the_import(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let key = format!("k{round}");
            let won = racers.race(|db, _| create_import(db, &new_import(ada, Some(&key))).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let import = new_import(ada, Some("k"));
        assert!(create_import(&mut db, &import).unwrap().is_some());
        let otherwise = NewImport { fingerprint: Some("g".to_owned()), total: 9, ..import };
        assert!(create_import(&mut db, &otherwise).unwrap().is_none());
        assert_eq!(imports::table.count().get_result::<i64>(&mut db).unwrap(), 1);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        create_import(&mut db, &new_import(ada, Some("k"))).unwrap().unwrap();
        let error = diesel::insert_into(imports::table)
            .values(new_import(ada, Some("k")))
            .execute(&mut db)
            .unwrap_err();
        assert!(IMPORT_KEY.stopped(&error), "{error:?}");
    }

    fn other_users_and_no_keys_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (user, key) in
            [(ada, Some("k")), (bob, Some("k")), (ada, Some("l")), (ada, None), (ada, None)]
        {
            assert!(create_import(&mut db, &new_import(user, key)).unwrap().is_some(), "{key:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            let key = pair.to_string();
            create_import(db, &new_import(ada, Some(&key))).unwrap().is_some()
        });
    }
}
