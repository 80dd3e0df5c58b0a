use super::create_account::account;
use crate::harness::overlap::{Ending, overlap};
use crate::harness::server::PASSWORD;
use crate::harness::{Database, Server, on_both, race::race_rounds};
use diesel::prelude::*;
use serde_json::json;
use traverse::auth::guards::{confirm_password, create_account};
use traverse::auth::{Proven, by_address, change_password, log_in};
use traverse::db::Db;
use traverse::db::tx::write;
use traverse::schema::{tokens, users};

fn proven(db: &mut Db, name: &str) -> Proven {
    create_account(db, &account(&format!("{name}@example.org"), name)).unwrap().unwrap();
    by_address(db, &format!("{name}@example.org")).unwrap().unwrap()
}

on_both! {
    fn of_changes_with_one_password_one_wins(database: Database) {
        let now = traverse::clock::Clock::System.now();
        race_rounds(&database, |racers, round| {
            let ada = proven(&mut database.connect(), &format!("ada{round}"));
            let won = racers.race(|db, caller| {
                let hash = format!("hash {caller}");
                write(db, |db| change_password(db, &ada, &hash, now)).unwrap().is_some()
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            let sessions: i64 = tokens::table
                .filter(tokens::user_id.eq(ada.user.id))
                .count()
                .get_result(&mut database.connect())
                .unwrap();
            assert_eq!(sessions, 1, "round {round}");
        });
    }

    fn no_login_with_the_old_password_outlives_its_change(database: Database) {
        let now = traverse::clock::Clock::System.now();
        let address = "192.0.2.1".parse().unwrap();
        race_rounds(&database, |racers, round| {
            let ada = proven(&mut database.connect(), &format!("ada{round}"));
            racers.race(|db, caller| {
                if caller == 0 {
                    write(db, |db| change_password(db, &ada, "another", now)).unwrap();
                } else {
                    write(db, |db| log_in(db, &ada, address, now)).unwrap();
                }
            });
            let sessions: i64 = tokens::table
                .filter(tokens::user_id.eq(ada.user.id))
                .count()
                .get_result(&mut database.connect())
                .unwrap();
            assert_eq!(sessions, 1, "round {round}");
        });
    }

    fn another_hash_and_another_account_are_not_confirmed(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (proven(&mut db, "ada"), proven(&mut db, "bob"));
        assert!(confirm_password(&mut db, ada.user.id, &ada.password_hash).unwrap());
        assert!(!confirm_password(&mut db, ada.user.id, "another").unwrap());
        assert!(!confirm_password(&mut db, bob.user.id + 1, &bob.password_hash).unwrap());
        diesel::update(users::table.find(ada.user.id))
            .set(users::password_hash.eq("changed"))
            .execute(&mut db)
            .unwrap();
        assert!(!confirm_password(&mut db, ada.user.id, &ada.password_hash).unwrap());
        assert!(confirm_password(&mut db, bob.user.id, &bob.password_hash).unwrap());
    }

    /// Two logins with the right password are both right, one after the other; a change comes
    /// before or after each of them.
    fn whoever_comes_second_sees_what_the_first_left(database: Database) {
        let mut db = database.connect();
        let ada = proven(&mut db, "ada");
        let confirm =
            |db: &mut Db| confirm_password(db, ada.user.id, &ada.password_hash).unwrap();
        let change = |db: &mut Db| {
            let confirmed = confirm(db);
            diesel::update(users::table.find(ada.user.id))
                .set(users::password_hash.eq("changed"))
                .execute(db)
                .unwrap();
            confirmed
        };
        assert_eq!(overlap(&database, Ending::Commit, confirm), (true, true));
        assert_eq!(overlap(&database, Ending::Commit, change), (true, false));
    }

    fn over_http_one_change_wins(server: Server) {
        let ada = server.register("ada");
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let changes: Vec<_> = (0..8)
                .map(|number| {
                    let ada = &ada;
                    scope.spawn(move || {
                        let body = json!({"current_password": PASSWORD,
                                          "new_password": format!("another battery {number}")});
                        ada.post("/api/v1/auth/password", &body).status
                    })
                })
                .collect();
            changes.into_iter().map(|change| change.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| [200, 401, 403].contains(status)), "{statuses:?}");
    }
}
