use super::notify_once::tell;
use crate::harness::devices::register;
use crate::harness::overlap::passes_over;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use std::collections::HashSet;
use std::time::Duration;
use traverse::db::Db;
use traverse::notifications::guards::{claim_deliveries, deliver_once};
use traverse::notifications::model::{Channel, Claimed, Held};
use traverse::schema::deliveries;

/// As long as nobody waits for it.
const LEASE: Duration = Duration::from_hours(1);

/// A user with a device.
pub fn user(db: &mut Db, name: &str) -> User {
    let user = User::add(db, name);
    register(db, user, &format!("https://push.example.org/{name}"));
    user
}

/// A delivery through push that is due.
pub fn due(db: &mut Db, user: User, key: &str) -> i64 {
    let told = tell(db, user, key).unwrap();
    deliver_once(db, &[told]).unwrap();
    deliveries::table
        .filter(deliveries::notification_id.eq(told))
        .filter(deliveries::channel.eq(Channel::Push))
        .select(deliveries::id)
        .first(db)
        .unwrap()
}

pub fn claim(db: &mut Db, name: &str, limit: i64) -> Vec<Claimed> {
    claim_deliveries(db, Channel::Push, name, LEASE, limit).unwrap()
}

/// The one delivery that is due, held under a name.
pub fn hold(db: &mut Db, name: &str) -> Held {
    let rows = claim(db, name, 10);
    assert_eq!(rows.len(), 1);
    Held { id: rows[0].id, token: rows[0].lease_token.clone() }
}

/// Its lease runs out, or its time comes.
pub fn expire(db: &mut Db, id: i64) {
    diesel::update(deliveries::table.find(id))
        .set(deliveries::due_at.eq(rows::then()))
        .execute(db)
        .unwrap();
}

on_both! {
    fn a_delivery_has_one_claim(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            for number in 0..3 {
                due(&mut db, ada, &format!("digest:{round}-{number}"));
            }
            let claims = racers.race(|db, caller| claim(db, &format!("{round}-{caller}"), 2));
            let all: Vec<_> = claims.iter().flatten().collect();
            assert!(claims.iter().all(|rows| rows.len() <= 2), "no more than was asked for");
            let ids: HashSet<_> = all.iter().map(|row| row.id).collect();
            let tokens: HashSet<_> = all.iter().map(|row| &row.lease_token).collect();
            assert_eq!((all.len(), ids.len(), tokens.len()), (3, 3, 3), "round {round}");
            assert!(all.iter().all(|row| row.attempts == 1));
        });
    }

    fn what_is_held_is_claimed_when_its_lease_has_run_out(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        let id = due(&mut db, ada, "digest:1");
        let first = hold(&mut db, "first");
        assert_eq!(claim(&mut db, "second", 10), []);
        expire(&mut db, id);
        let again = claim(&mut db, "second", 10);
        assert_eq!(again.iter().map(|row| (row.id, row.attempts)).collect::<Vec<_>>(), [(id, 2)]);
        assert_ne!(again[0].lease_token, first.token);
    }

    fn another_channel_stays_where_it_is(database: Database) {
        let mut db = database.connect();
        let ada = user(&mut db, "ada");
        due(&mut db, ada, "digest:1");
        for channel in [Channel::InApp, Channel::Email] {
            let claimed = claim_deliveries(&mut db, channel, "other", LEASE, 10).unwrap();
            assert_eq!(claimed, [], "{channel:?}");
        }
        assert_eq!(claim(&mut db, "one", 10).len(), 1);
    }

    fn whoever_comes_second_passes_over(database: Database) {
        let ada = user(&mut database.connect(), "ada");
        passes_over(
            &database,
            |db, pair| {
                due(db, ada, &format!("digest:{pair}"));
            },
            |db, pair| !claim(db, &format!("pair-{pair}"), 5).is_empty(),
        );
    }
}
