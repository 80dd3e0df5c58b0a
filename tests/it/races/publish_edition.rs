use super::create_feed::user;
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Answer, Database, Server, on_both, race::race_rounds, seed};
use std::collections::BTreeSet;
use traverse::calendar;
use traverse::calendar::guards::{create_feed, publish_edition};
use traverse::calendar::model::NewEdition;
use traverse::clock::Clock;

on_both! {
    fn one_caller_publishes(database: Database) {
        let mut db = database.connect();
        let now = Clock::System.now();
        let ada = user(&mut db, "ada");
        create_feed(&mut db, ada, "n", now).unwrap().unwrap();
        race_rounds(&database, |racers, round| {
            let seen = calendar::of_user(&mut db, ada).unwrap().unwrap();
            let won = racers.race(|db, caller| {
                let etag = format!("e{round}-{caller}");
                let new = NewEdition { basis: "b", etag: &etag, modified_at: now };
                publish_edition(db, seen.id, seen.edition, &new).unwrap()
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            let after = calendar::of_user(&mut db, ada).unwrap().unwrap();
            let winner = won.iter().position(|won| *won).unwrap();
            assert_eq!(after.etag, Some(format!("e{round}-{winner}")));
        });
    }

    fn a_slow_one_overwrites_nothing_newer(database: Database) {
        let mut db = database.connect();
        let now = Clock::System.now();
        let ada = user(&mut db, "ada");
        create_feed(&mut db, ada, "n", now).unwrap().unwrap();
        let seen = calendar::of_user(&mut db, ada).unwrap().unwrap();
        let new = |etag| NewEdition { basis: "b", etag, modified_at: now };
        assert!(publish_edition(&mut db, seen.id, seen.edition, &new("newer")).unwrap());
        assert!(!publish_edition(&mut db, seen.id, seen.edition, &new("older")).unwrap());
        let after = calendar::of_user(&mut db, ada).unwrap().unwrap();
        assert_eq!(after.etag.as_deref(), Some("newer"));
    }

    fn the_feed_of_another_is_another(database: Database) {
        let mut db = database.connect();
        let now = Clock::System.now();
        for name in ["ada", "bob"] {
            let user_id = user(&mut db, name);
            let id = create_feed(&mut db, user_id, "n", now).unwrap().unwrap();
            let new = NewEdition { basis: "b", etag: "e", modified_at: now };
            assert!(publish_edition(&mut db, id, 0, &new).unwrap());
        }
    }

    /// Fetches at once after a change agree on the bytes, the tag and the date.
    fn fetches_at_once_agree(server: Server) {
        let ada = server.register("ada");
        let user_id = ada.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        let url = ada.get("/api/v1/calendar").expect(200).body["url"].clone();
        let path = url.as_str().unwrap().strip_prefix(&server.url).unwrap().to_owned();
        for round in 0..10 {
            let slug = format!("p{round}");
            seed::pending(&mut server.database.connect(), user_id, &slug, "2026-09-10");
            let answers: Vec<Answer> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8)
                    .map(|_| {
                        let client = server.anonymous();
                        let path = &path;
                        scope.spawn(move || client.get(path).expect(200))
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let distinct: BTreeSet<_> = answers
                .iter()
                .map(|answer| {
                    let header = |name| answer.header(name).map(str::to_owned);
                    (answer.bytes.clone(), header("etag"), header("last-modified"))
                })
                .collect();
            assert_eq!(distinct.len(), 1, "round {round}");
            let (bytes, _, last_modified) = distinct.first().unwrap();
            assert!(String::from_utf8_lossy(bytes).contains(&format!("SUMMARY:{slug} ")));
            assert!(last_modified.is_some());
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let now = Clock::System.now();
        let feeds = ["ada", "bob"].map(|name| {
            let mut db = database.connect();
            let user_id = user(&mut db, name);
            create_feed(&mut db, user_id, "n", now).unwrap().unwrap()
        });
        wins_only_after_a_rollback(&database, |db, pair| {
            let new = NewEdition { basis: "b", etag: "e", modified_at: now };
            publish_edition(db, feeds[pair], 0, &new).unwrap()
        });
    }
}
