//! A request begins on the row of the two: against the block of whoever asks.

use crate::harness::overlap::{Ending, overlap};
use crate::harness::people::{couples, friends, pair, person};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::tx::{Stopped, Work, write};
use traverse::schema::friend_requests;
use traverse::social::blocks;
use traverse::social::guards::{approach, raise_block};
use traverse::social::model::Status;
use traverse::social::requests::{self, Refusal};

on_both! {
    /// One of the callers blocks, the others ask: no request stays open behind the block.
    fn who_blocks_has_nothing_open(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let handle = |id: i64| format!("user{}", id - couples[0].0.id);
        race_rounds(&database, |racers, round| {
            let (ada, bob) = couples[round];
            racers.race(|db, caller| {
                if caller == 0 {
                    let blocked: Work<_, blocks::Refusal> =
                        write(db, |db| blocks::block(db, ada.id, bob.id, rows::then()));
                    blocked.unwrap();
                    return;
                }
                let asked = write(db, |db| {
                    let ada = person(ada, "ada");
                    requests::ask(db, &ada, &handle(bob.id), rows::day(), rows::then())
                });
                match asked {
                    Ok(_) | Err(Stopped::Because(Refusal::YouBlockThem)) => {}
                    other => panic!("{other:?}"),
                }
            });
            let open: i64 = friend_requests::table
                .filter(friend_requests::status.eq(Status::Pending))
                .count()
                .get_result(&mut db)
                .unwrap();
            assert_eq!(open, 0, "round {round}");
        });
    }

    fn friends_and_those_one_blocks_are_not_asked(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let then = rows::then();
        for couple in [couples[0], (couples[1].1, couples[1].0)] {
            let strangers = pair(&mut db, couple);
            assert!(approach(&mut db, strangers, couple.0.id, then).unwrap().is_some());
            // Whoever is blocked may ask as anybody.
            assert!(raise_block(&mut db, strangers, couple.1.id, then).unwrap());
            let found = approach(&mut db, strangers, couple.0.id, then).unwrap().unwrap();
            assert!(found.is_blocked_by(couple.1.id) && !found.is_blocked_by(couple.0.id));
            assert!(approach(&mut db, strangers, couple.1.id, then).unwrap().is_none());
        }
        let (ada, bob) = couples[2];
        let friends = friends(&mut db, (ada, bob));
        for user in [ada, bob] {
            assert!(approach(&mut db, friends, user.id, then).unwrap().is_none());
        }
    }

    fn whoever_comes_second_waits(database: Database) {
        let mut db = database.connect();
        let couple = couples(&mut db)[0];
        let pair = pair(&mut db, couple);
        for ending in [Ending::Rollback, Ending::Commit] {
            let got = overlap(&database, ending, |db| {
                approach(db, pair, couple.0.id, rows::then()).unwrap().is_some()
            });
            assert_eq!(got, (true, true), "{ending:?}");
        }
    }
}
