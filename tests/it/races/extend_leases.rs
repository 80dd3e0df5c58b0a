use super::claim_jobs::{held, kinds};
use crate::harness::overlap::{Ending, overlap};
use crate::harness::{Backend, Database, on_both, race::race_rounds};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use traverse::db::Db;
use traverse::jobs::guards::{complete_jobs, extend_leases, release_jobs};
use traverse::jobs::model::Held;
use traverse::jobs::store::find;
use traverse::schema::jobs;

fn extends(db: &mut Db, held: &Held) -> bool {
    extend_leases(db, &kinds(), std::slice::from_ref(held)).unwrap() == [held.id]
}

/// Makes the lease of a job run out in the past.
fn expire(db: &mut Db, id: i64) {
    let past = crate::harness::rows::then();

    diesel::update(jobs::table.find(id)).set(jobs::lease_until.eq(past)).execute(db).unwrap();
}

on_both! {
    fn only_what_is_held_is_lengthened(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let held = held(&mut db, &format!("job-{round}"));
            expire(&mut db, held.id);
            let stale = Held { token: format!("stale-{round}-{}", held.id), ..held.clone() };
            assert!(!extends(&mut db, &stale));
            let past = find(&mut db, held.id).unwrap().unwrap().lease_until;
            assert_eq!(past, Some(crate::harness::rows::then()), "round {round}");
            let kept = racers.race(|db, caller| match caller % 2 {
                0 => extends(db, &held),
                _ => !extends(db, &stale),
            });
            assert!(kept.iter().all(|right| *right), "round {round}");
            let until = find(&mut db, held.id).unwrap().unwrap().lease_until.unwrap();
            assert!(until > crate::harness::rows::then());
        });
    }

    fn what_has_ended_is_not_held(database: Database) {
        let mut db = database.connect();
        let (done, given, kept) =
            (held(&mut db, "done"), held(&mut db, "given"), held(&mut db, "kept"));
        complete_jobs(&mut db, std::slice::from_ref(&done)).unwrap();
        release_jobs(&mut db, std::slice::from_ref(&given)).unwrap();
        let all = [done, given, kept.clone()];
        assert_eq!(extend_leases(&mut db, &kinds(), &all).unwrap(), [kept.id]);
    }

    /// What is being settled delays no heartbeat, and counts as held until that has happened.
    fn what_is_locked_is_passed_over(database: Database) {
        let mut db = database.connect();
        let held = held(&mut db, "job");
        if database.backend == Backend::Sqlite {
            // There nobody else can be at it.
            let both = overlap(&database, Ending::Commit, |db| extends(db, &held));
            assert_eq!(both, (true, true));
            return;
        }
        let mut first = database.connect();
        first.batch_execute("begin").unwrap();
        complete_jobs(&mut first, std::slice::from_ref(&held)).unwrap();
        db.batch_execute("set lock_timeout = '1s'").unwrap();
        assert!(extends(&mut db, &held));
        first.batch_execute("commit").unwrap();
        assert!(!extends(&mut db, &held));
    }
}
