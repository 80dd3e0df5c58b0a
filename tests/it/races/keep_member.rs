use super::create_group::{group, member};
use crate::harness::overlap::{Ending, overlap};
use crate::harness::rows::User;
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::group_members;
use traverse::social::guards::{MEMBER, keep_member};
use traverse::social::model::Role;
use traverse::social::store;

on_both! {
    fn all_callers_find_one_member(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        race_rounds(&database, |racers, round| {
            let group = group(&mut db, ada);
            racers.race(|db, caller| {
                let role = if caller % 2 == 0 { Role::Coach } else { Role::Viewer };
                let kept = keep_member(db, &member(group, bob, role)).unwrap();
                assert_eq!(kept.0, role);
            });
            assert_eq!(store::count_members(&mut db, group).unwrap(), 2, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let group = group(&mut db, ada);
        let again = diesel::insert_into(group_members::table)
            .values(member(group, ada, Role::Owner));
        let error = again.execute(&mut db).unwrap_err();
        assert!(MEMBER.stopped(&error), "{error:?}");
    }

    fn two_groups_and_two_members_stay_apart(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let (one, other) = (group(&mut db, ada), group(&mut db, ada));
        keep_member(&mut db, &member(one, bob, Role::Viewer)).unwrap();
        keep_member(&mut db, &member(other, bob, Role::Coach)).unwrap();
        assert_eq!(store::role(&mut db, one, ada.id).unwrap(), Some(Role::Owner));
        assert_eq!(store::role(&mut db, one, bob.id).unwrap(), Some(Role::Viewer));
        assert_eq!(store::role(&mut db, other, bob.id).unwrap(), Some(Role::Coach));
    }

    fn whoever_comes_second_waits(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let group = group(&mut db, ada);
        for ending in [Ending::Rollback, Ending::Commit] {
            overlap(&database, ending, |db| {
                keep_member(db, &member(group, bob, Role::Viewer)).unwrap()
            });
            assert_eq!(store::count_members(&mut db, group).unwrap(), 2, "{ending:?}");
        }
    }
}
