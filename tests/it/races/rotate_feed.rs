use super::create_feed::user;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, Server, on_both, race::race_rounds};
use serde_json::json;
use std::collections::BTreeSet;
use traverse::auth::Secrets;
use traverse::calendar;
use traverse::calendar::guards::{create_feed, rotate_feed};
use traverse::clock::Clock;
use traverse::db::tx::{self, Work};

on_both! {
    fn one_caller_rotates(database: Database) {
        let mut db = database.connect();
        let now = Clock::System.now();
        let ada = user(&mut db, "ada");
        create_feed(&mut db, ada, "n", now).unwrap().unwrap();
        race_rounds(&database, |racers, round| {
            let seen = calendar::of_user(&mut db, ada).unwrap().unwrap();
            let won = racers.race(|db, caller| {
                rotate_feed(db, seen.id, seen.generation, &format!("n{round}-{caller}")).unwrap()
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            let after = calendar::of_user(&mut db, ada).unwrap().unwrap();
            let winner = won.iter().position(|won| *won).unwrap();
            assert_eq!(after.nonce, format!("n{round}-{winner}"));
            assert_eq!(after.generation, seen.generation + 1);
        });
    }

    /// All who have seen the same address get the same new one, and the one before is retired.
    fn losers_get_the_newest_address(database: Database) {
        let secrets =
            Secrets { signing: b"signing".to_vec(), calendar_uids: b"uids".to_vec() };
        let mut db = database.connect();
        let now = Clock::System.now();
        let ada = user(&mut db, "ada");
        create_feed(&mut db, ada, "n", now).unwrap().unwrap();
        race_rounds(&database, |racers, round| {
            let seen = calendar::of_user(&mut db, ada).unwrap().unwrap();
            let nonces = racers.race(|db, _| {
                let rotated: Work<_, _> =
                    tx::write(db, |db| calendar::rotate(db, &secrets, &seen));
                rotated.unwrap().unwrap().nonce
            });
            let distinct: BTreeSet<_> = nonces.iter().collect();
            assert_eq!(distinct.len(), 1, "round {round}");
            assert!(!distinct.contains(&seen.nonce));
        });
    }

    fn the_feed_of_another_stays_where_it_is(database: Database) {
        let mut db = database.connect();
        let now = Clock::System.now();
        let feeds = ["ada", "bob"].map(|name| {
            let user_id = user(&mut db, name);
            create_feed(&mut db, user_id, "n", now).unwrap().unwrap();
            calendar::of_user(&mut db, user_id).unwrap().unwrap()
        });
        assert!(rotate_feed(&mut db, feeds[0].id, feeds[0].generation, "m").unwrap());
        let bob = calendar::of_user(&mut db, feeds[1].user_id).unwrap().unwrap();
        assert_eq!(bob, feeds[1]);
        assert!(rotate_feed(&mut db, bob.id, bob.generation, "m").unwrap());
    }

    /// Over HTTP some of them come later and rotate again. Each answer was true when it was given,
    /// and in the end all addresses but the last are gone.
    fn only_the_last_address_remains(server: Server) {
        let ada = server.register("ada");
        let urls: BTreeSet<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    let ada = ada.clone();
                    scope.spawn(move || {
                        let body = ada.post("/api/v1/calendar/rotate", &json!({})).expect(200).body;
                        body["url"].as_str().unwrap().to_owned()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let last = ada.get("/api/v1/calendar").expect(200).body["url"].clone();
        for url in urls {
            let path = url.strip_prefix(&server.url).unwrap();
            let expected = if json!(url) == last { 200 } else { 410 };
            server.anonymous().get(path).expect(expected);
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let feeds = ["ada", "bob"].map(|name| {
            let mut db = database.connect();
            let user_id = user(&mut db, name);
            create_feed(&mut db, user_id, "n", Clock::System.now()).unwrap().unwrap();
            calendar::of_user(&mut db, user_id).unwrap().unwrap()
        });
        wins_only_after_a_rollback(&database, |db, pair| {
            rotate_feed(db, feeds[pair].id, feeds[pair].generation, "m").unwrap()
        });
    }
}
