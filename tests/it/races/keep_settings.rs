use super::create_account::account;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::auth::guards::create_account;
use traverse::db::Db;
use traverse::preferences::guards::{SETTINGS_CONTENT, keep_settings};
use traverse::schema::scheduler_settings;

fn user(db: &mut Db, name: &str) -> i64 {
    create_account(db, &account(&format!("{name}@example.org"), name)).unwrap().unwrap()
}

on_both! {
    fn one_caller_keeps_the_settings(database: Database) {
        let ada = user(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let content = format!("c{round}");
            let won = racers.race(|db, _| keep_settings(db, ada, &content).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let insert = |db: &mut Db| {
            diesel::insert_into(scheduler_settings::table)
                .values((
                    scheduler_settings::user_id.eq(ada),
                    scheduler_settings::content.eq("c"),
                ))
                .execute(db)
        };
        insert(&mut db).unwrap();
        let error = insert(&mut db).unwrap_err();
        assert!(SETTINGS_CONTENT.stopped(&error), "{error:?}");
    }

    fn other_users_and_contents_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (user(&mut db, "ada"), user(&mut db, "bob"));
        for (user_id, content) in [(ada, "c"), (bob, "c"), (ada, "d")] {
            assert!(keep_settings(&mut db, user_id, content).unwrap().is_some());
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = user(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            keep_settings(db, ada, &format!("c{pair}")).unwrap().is_some()
        });
    }
}
