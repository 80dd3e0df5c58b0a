use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::schema::groups;
use traverse::social::guards::{GROUP_KEY, create_group, keep_member};
use traverse::social::model::{NewGroup, NewMember, Role};

pub fn new_group(owner: User, key: Option<&str>) -> NewGroup<'_> {
    NewGroup {
        user_id: owner.id,
        name: "Tuesday evenings",
        idempotency_key: key,
        fingerprint: key.map(|_| "f"),
        created_at: rows::then(),
        updated_at: rows::then(),
    }
}

/// A group with its owner.
pub fn group(db: &mut Db, owner: User) -> i64 {
    let group = create_group(db, &new_group(owner, None)).unwrap().unwrap();
    keep_member(db, &member(group.id, owner, Role::Owner)).unwrap();
    group.id
}

pub fn member(group_id: i64, user: User, role: Role) -> NewMember {
    NewMember { group_id, user_id: user.id, role, created_at: rows::then() }
}

on_both! {
    fn one_caller_makes_the_group(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        race_rounds(&database, |racers, round| {
            let key = format!("k{round}");
            let won =
                racers.race(|db, _| create_group(db, &new_group(ada, Some(&key))).unwrap());
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        create_group(&mut db, &new_group(ada, Some("k"))).unwrap().unwrap();
        let again = diesel::insert_into(groups::table).values(new_group(ada, Some("k")));
        let error = again.execute(&mut db).unwrap_err();
        assert!(GROUP_KEY.stopped(&error), "{error:?}");
    }

    fn other_owners_and_no_keys_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (owner, key) in
            [(ada, Some("k")), (bob, Some("k")), (ada, Some("l")), (ada, None), (ada, None)]
        {
            assert!(create_group(&mut db, &new_group(owner, key)).unwrap().is_some(), "{key:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            let key = format!("k{pair}");
            create_group(db, &new_group(ada, Some(&key))).unwrap().is_some()
        });
    }
}
