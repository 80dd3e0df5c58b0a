use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::import::guards::{IMPORT_KEY, create_import};
use traverse::import::model::{NewImport, Status, Tally};
use traverse::schema::imports;

pub fn new_import(user: User, key: Option<&str>, status: Status) -> NewImport {
    NewImport {
        user_id: user.id,
        idempotency_key: key.map(str::to_owned),
        fingerprint: Some("f".to_owned()),
        status,
        format: "csv".to_owned(),
        detected: None,
        zone_assumed: None,
        remarks: "[]".to_owned(),
        total: 10,
        tally: Tally::default(),
        attempt: 1,
        created_at: rows::then(),
        touched_at: rows::then(),
        file_id: None,
    }
}

/// Stores an import without a key.
pub fn add_import(db: &mut Db, user: User, status: Status) -> i64 {
    create_import(db, &new_import(user, None, status)).unwrap().unwrap().id
}

on_both! {
    fn one_caller_imports_with_the_key(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let key = format!("k{round}");
            let won = racers.race(|db, _| {
                create_import(db, &new_import(ada, Some(&key), Status::Running)).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let import = new_import(ada, Some("k"), Status::Running);
        assert!(create_import(&mut db, &import).unwrap().is_some());
        let otherwise = NewImport { format: "codeforces".to_owned(), ..import };
        assert!(create_import(&mut db, &otherwise).unwrap().is_none());
        let formats: Vec<String> = imports::table.select(imports::format).load(&mut db).unwrap();
        assert_eq!(formats, ["csv"]);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let import = new_import(ada, Some("k"), Status::Running);
        create_import(&mut db, &import).unwrap().unwrap();
        let error =
            diesel::insert_into(imports::table).values(&import).execute(&mut db).unwrap_err();
        assert!(IMPORT_KEY.stopped(&error), "{error:?}");
    }

    fn other_users_keys_and_no_keys_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (user, key) in
            [(ada, Some("k")), (bob, Some("k")), (ada, Some("l")), (ada, None), (ada, None)]
        {
            let made = create_import(&mut db, &new_import(user, key, Status::Running)).unwrap();
            assert!(made.is_some(), "{user:?} {key:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            let key = pair.to_string();
            create_import(db, &new_import(ada, Some(&key), Status::Running)).unwrap().is_some()
        });
    }
}
