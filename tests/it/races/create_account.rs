use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use traverse::auth::guards::{ACCOUNT_EMAIL, ACCOUNT_HANDLE, create_account};
use traverse::auth::model::{NewUser, Role};
use traverse::clock::Clock;
use traverse::schema::users;

pub fn account<'a>(email: &'a str, handle: &'a str) -> NewUser<'a> {
    let now = Clock::System.now();
    NewUser {
        email,
        handle,
        display_name: None,
        password_hash: "",
        role: Role::User,
        time_zone: "UTC",
        day_starts_at: "04:00",
        scheduler: "adaptive",
        goal_solves: 1,
        goal_revisions: 3,
        daily_cap: 20,
        digest_hour: 8,
        created_at: now,
        updated_at: now,
    }
}

on_both! {
    fn one_caller_gets_the_address(database: Database) {
        race_rounds(&database, |racers, round| {
            let email = format!("u{round}@example.org");
            let won = racers.race(|db, caller| {
                create_account(db, &account(&email, &format!("h{round}-{caller}"))).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn one_caller_gets_the_handle(database: Database) {
        race_rounds(&database, |racers, round| {
            let handle = format!("h{round}");
            let won = racers.race(|db, caller| {
                create_account(db, &account(&format!("u{round}-{caller}@example.org"), &handle))
                    .unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn the_guards_stop_a_plain_insert(database: Database) {
        let mut db = database.connect();
        for (guard, email, handle) in
            [(ACCOUNT_EMAIL, "a@example.org", "b"), (ACCOUNT_HANDLE, "b@example.org", "a")]
        {
            db.batch_execute("delete from users").unwrap();
            let insert = |db: &mut _, email, handle| {
                diesel::insert_into(users::table).values(account(email, handle)).execute(db)
            };
            insert(&mut db, "a@example.org", "a").unwrap();
            let error = insert(&mut db, email, handle).unwrap_err();
            assert!(guard.stopped(&error), "{guard:?}: {error:?}");
        }
    }

    fn others_do_not_collapse(database: Database) {
        let mut db = database.connect();
        for (email, handle) in [("a@example.org", "a"), ("b@example.org", "b")] {
            assert!(create_account(&mut db, &account(email, handle)).unwrap().is_some());
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        wins_only_after_a_rollback(&database, |db, pair| {
            let email = format!("u{pair}@example.org");
            create_account(db, &account(&email, &format!("h{pair}"))).unwrap().is_some()
        });
    }
}
