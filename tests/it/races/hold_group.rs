//! Who changes the members of a group holds it: the last place is taken once.

use super::create_group::{group, member};
use crate::harness::overlap::{Ending, overlap};
use crate::harness::people::friends;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::tx::write;
use traverse::social::guards::{end_group, hold_group, keep_member};
use traverse::social::model::Role;
use traverse::social::{MEMBERS, groups, store};

on_both! {
    fn the_last_place_is_taken_once(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let size = usize::try_from(MEMBERS).unwrap();
        let crowd: Vec<User> =
            (0..size).map(|number| User::add(&mut db, &format!("user{number}"))).collect();
        let waiting = &crowd[size - 2..];
        for friend in waiting {
            friends(&mut db, (ada, *friend));
        }
        let mut rounds = 0;
        race_rounds(&database, |racers, round| {
            // Much is to be written for a round.
            if rounds == 12 {
                return;
            }
            rounds += 1;
            let group = group(&mut db, ada);
            for user in &crowd[..size - 2] {
                keep_member(&mut db, &member(group, *user, Role::Viewer)).unwrap();
            }
            let added = racers.race(|db, caller| {
                let user = waiting[caller % 2];
                let put = write(db, |db| {
                    groups::put_member(db, ada.id, group, user.id, Role::Viewer, rows::then())
                });
                put.is_ok()
            });
            assert!(added.contains(&true), "round {round}");
            assert_eq!(store::count_members(&mut db, group).unwrap(), MEMBERS, "round {round}");
            // Groups of one owner are bounded too.
            assert!(end_group(&mut db, group, rows::then()).unwrap());
            store::remove_members(&mut db, group).unwrap();
        });
        assert!(rounds > 0);
    }

    fn a_group_that_ended_is_not_held(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let (one, other) = (group(&mut db, ada), group(&mut db, ada));
        end_group(&mut db, one, rows::then()).unwrap();
        assert_eq!(hold_group(&mut db, one, rows::then()).unwrap(), None);
        assert_eq!(hold_group(&mut db, other, rows::then()).unwrap().unwrap().id, other);
    }

    fn whoever_comes_second_waits(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let group = group(&mut db, ada);
        for ending in [Ending::Rollback, Ending::Commit] {
            let got = overlap(&database, ending, |db| {
                hold_group(db, group, rows::then()).unwrap().is_some()
            });
            assert_eq!(got, (true, true), "{ending:?}");
        }
    }
}
