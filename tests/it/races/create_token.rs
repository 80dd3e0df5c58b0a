use super::create_account::account;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::auth::guards::{TOKEN_KEY, create_account, create_token};
use traverse::auth::model::{NewToken, TokenKind};
use traverse::clock::Clock;
use traverse::db::Db;
use traverse::schema::tokens;

pub fn user(db: &mut Db, name: &str) -> i64 {
    create_account(db, &account(&format!("{name}@example.org"), name)).unwrap().unwrap()
}

pub fn token(user_id: i64, key: Option<&str>, secret: String) -> NewToken<'_> {
    NewToken {
        user_id,
        kind: TokenKind::Api,
        name: "extension",
        scopes: "submit".to_owned(),
        token_hash: secret,
        idempotency_key: key,
        fingerprint: None,
        created_at: Clock::System.now(),
        expires_at: None,
    }
}

on_both! {
    fn one_caller_makes_the_token(database: Database) {
        let ada = user(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let key = format!("k{round}");
            let won = racers.race(|db, caller| {
                let secret = format!("{round}-{caller}");
                create_token(db, &token(ada, Some(&key), secret)).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let insert = |db: &mut Db, secret: &str| {
            diesel::insert_into(tokens::table)
                .values(token(ada, Some("k"), secret.to_owned()))
                .execute(db)
        };
        insert(&mut db, "1").unwrap();
        let error = insert(&mut db, "2").unwrap_err();
        assert!(TOKEN_KEY.stopped(&error), "{error:?}");
    }

    fn other_users_and_no_keys_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (user(&mut db, "ada"), user(&mut db, "bob"));
        for (number, (user_id, key)) in
            [(ada, Some("k")), (bob, Some("k")), (ada, Some("l")), (ada, None), (ada, None)]
                .into_iter()
                .enumerate()
        {
            let made = create_token(&mut db, &token(user_id, key, number.to_string())).unwrap();
            assert!(made.is_some(), "{user_id} {key:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = user(&mut database.connect(), "ada");
        let secret = std::sync::atomic::AtomicUsize::new(0);
        wins_only_after_a_rollback(&database, |db, pair| {
            let number = secret.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let key = format!("k{pair}");
            create_token(db, &token(ada, Some(&key), number.to_string())).unwrap().is_some()
        });
    }
}
