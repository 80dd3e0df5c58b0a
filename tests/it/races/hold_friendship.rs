//! Who adds a friend to a group holds the friendship: a block at once takes them out again, or came
//! before.

use super::create_group::group;
use crate::harness::overlap::{Ending, overlap};
use crate::harness::people::{couples, friends, pair};
use crate::harness::rows;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::tx::{Work, write};
use traverse::social::guards::{hold_friendship, part};
use traverse::social::model::Role;
use traverse::social::{blocks, groups, store};

on_both! {
    fn who_is_blocked_is_in_no_group(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        race_rounds(&database, |racers, round| {
            let (ada, bob) = couples[round];
            friends(&mut db, (ada, bob));
            let group = group(&mut db, ada);
            racers.race(|db, caller| {
                if caller == 0 {
                    let blocked: Work<_, blocks::Refusal> =
                        write(db, |db| blocks::block(db, bob.id, ada.id, rows::then()));
                    blocked.unwrap();
                    return;
                }
                // Or nobody is there to be added.
                drop(write(db, |db| {
                    groups::put_member(db, ada.id, group, bob.id, Role::Viewer, rows::then())
                }));
            });
            assert_eq!(store::role(&mut db, group, bob.id).unwrap(), None, "round {round}");
        });
    }

    fn only_friends_are_held(database: Database) {
        let mut db = database.connect();
        let couples = couples(&mut db);
        let (strangers, there) = (pair(&mut db, couples[0]), friends(&mut db, couples[1]));
        assert!(!hold_friendship(&mut db, strangers, rows::then()).unwrap());
        assert!(hold_friendship(&mut db, there, rows::then()).unwrap());
        part(&mut db, there, rows::then()).unwrap();
        assert!(!hold_friendship(&mut db, there, rows::then()).unwrap());
    }

    fn whoever_comes_second_waits(database: Database) {
        let mut db = database.connect();
        let couple = couples(&mut db)[0];
        let pair = friends(&mut db, couple);
        for ending in [Ending::Rollback, Ending::Commit] {
            let got = overlap(&database, ending, |db| {
                hold_friendship(db, pair, rows::then()).unwrap()
            });
            assert_eq!(got, (true, true), "{ending:?}");
        }
    }
}
