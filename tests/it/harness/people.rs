//! People who know each other, for tests of what is between them.

use super::rows::{self, User};
use chrono::NaiveDate;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use traverse::db::Db;
use traverse::schema::{friend_requests, ring_days};
use traverse::social::guards::{befriend, open_pair};
use traverse::social::in_order;
use traverse::social::model::{NewRequest, Person, Status};

/// More pairs than a race has rounds, of 20 people.
pub fn couples(db: &mut Db) -> Vec<(User, User)> {
    let users: Vec<User> = (0..20).map(|number| User::add(db, &format!("user{number}"))).collect();
    let mut couples = Vec::new();
    for (at, one) in users.iter().enumerate() {
        couples.extend(users[at + 1..].iter().map(|other| (*one, *other)));
    }
    couples
}

/// The row of two people who are nothing to each other.
pub fn pair(db: &mut Db, (one, other): (User, User)) -> i64 {
    open_pair(db, in_order(one.id, other.id), rows::then()).unwrap().unwrap()
}

/// The row of two friends.
pub fn friends(db: &mut Db, couple: (User, User)) -> i64 {
    let pair = pair(db, couple);
    assert!(befriend(db, pair, rows::day(), rows::then()).unwrap());
    pair
}

pub fn person(user: User, name: &str) -> Person {
    Person { id: user.id, handle: name.to_owned(), display_name: None }
}

/// A request to be opened.
pub fn new_request((requester, addressee): (User, User)) -> NewRequest {
    NewRequest {
        requester_id: requester.id,
        addressee_id: addressee.id,
        status: Status::Pending,
        hidden: false,
        created_at: rows::then(),
    }
}

/// An open request.
pub fn add_request(db: &mut Db, couple: (User, User)) -> i64 {
    diesel::insert_into(friend_requests::table)
        .values(new_request(couple))
        .returning(friend_requests::id)
        .get_result(db)
        .unwrap()
}

/// A day that a user has begun.
pub fn open_day(db: &mut Db, user: User, day: NaiveDate) {
    diesel::insert_into(ring_days::table)
        .values((
            ring_days::user_id.eq(user.id),
            ring_days::day.eq(day),
            ring_days::goal_solves.eq(1),
            ring_days::goal_revisions.eq(0),
            ring_days::solves.eq(1),
            ring_days::revisions.eq(0),
        ))
        .execute(db)
        .unwrap();
}

/// Closes a day of a user, as the rings do. Whether this call did.
pub fn close_day(db: &mut Db, user: User, day: NaiveDate) -> bool {
    let open = ring_days::table
        .filter(ring_days::user_id.eq(user.id))
        .filter(ring_days::day.eq(day))
        .filter(ring_days::closed_at.is_null());
    diesel::update(open).set(ring_days::closed_at.eq(rows::then())).execute(db).unwrap() == 1
}

/// Adds so many accounts that nobody logs in to.
pub fn add_users(db: &mut Db, count: usize) {
    db.batch_execute(&format!(
        "insert into users (email, handle, password_hash, role, time_zone, day_starts_at, \
           scheduler, goal_solves, goal_revisions, daily_cap, digest_hour, created_at, updated_at) \
         select 'user-' || i || '@example.org', 'user-' || i, '-', 'user', 'UTC', '04:00', \
           'adaptive', 1, 3, 20, 8, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z' \
         from (with recursive n (i) as (select 1 union all select i + 1 from n where i < {count}) \
               select i from n) as numbers"
    ))
    .unwrap();
}
