use super::create_token::{token, user};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::auth::guards::{create_token, revoke_token};
use traverse::auth::model::{NewToken, TokenKind};
use traverse::clock::Clock;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::schema::tokens;

fn made(db: &mut Db, user_id: i64, secret: &str) -> i64 {
    create_token(db, &token(user_id, None, secret.to_owned())).unwrap().unwrap().id
}

fn revoked_at(db: &mut Db, id: i64) -> Option<At> {
    tokens::table.find(id).select(tokens::revoked_at).first(db).unwrap()
}

on_both! {
    fn one_caller_revokes(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let now = Clock::System.now();
        race_rounds(&database, |racers, round| {
            let id = made(&mut db, ada, &round.to_string());
            let won =
                racers.race(|db, _| revoke_token(db, ada, id, TokenKind::Api, now).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn the_first_time_stays(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let id = made(&mut db, ada, "s");
        let first = Clock::System.now();
        let later = At::from(*first + chrono::TimeDelta::days(1));
        assert!(revoke_token(&mut db, ada, id, TokenKind::Api, first).unwrap());
        assert!(!revoke_token(&mut db, ada, id, TokenKind::Api, later).unwrap());
        assert_eq!(revoked_at(&mut db, id), Some(first));
    }

    fn nobody_revokes_what_is_not_theirs_or_of_another_kind(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (user(&mut db, "ada"), user(&mut db, "bob"));
        let now = Clock::System.now();
        let api = made(&mut db, ada, "1");
        let other = made(&mut db, ada, "2");
        let new = NewToken { kind: TokenKind::Session, ..token(ada, None, "3".to_owned()) };
        let session = create_token(&mut db, &new).unwrap().unwrap().id;
        for (user_id, id, kind, revokes) in [
            (bob, api, TokenKind::Api, false),
            (ada, api, TokenKind::Session, false),
            (ada, session, TokenKind::Api, false),
            (ada, api, TokenKind::Api, true),
            (ada, session, TokenKind::Session, true),
        ] {
            let revoked = revoke_token(&mut db, user_id, id, kind, now).unwrap();
            assert_eq!(revoked, revokes, "{user_id} {id} {kind:?}");
        }
        assert_eq!(revoked_at(&mut db, other), None);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let ids = ["1", "2"].map(|secret| made(&mut db, ada, secret));
        wins_only_after_a_rollback(&database, |db, pair| {
            revoke_token(db, ada, ids[pair], TokenKind::Api, Clock::System.now()).unwrap()
        });
    }
}
