use super::claim_jobs::{held, hold};
use crate::harness::overlap::Ending;
use crate::harness::overlap::overlap;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::Db;
use traverse::jobs::guards::{complete_jobs, release_jobs};
use traverse::jobs::model::{Held, State};
use traverse::jobs::store::find;

fn completes(db: &mut Db, held: &Held) -> bool {
    complete_jobs(db, std::slice::from_ref(held)).unwrap() == [held.id]
}

fn state(db: &mut Db, id: i64) -> State {
    find(db, id).unwrap().unwrap().state
}

on_both! {
    /// An acknowledgement may be sent again, as often as one likes; another's never counts.
    fn every_repetition_is_as_the_first(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let held = held(&mut db, &format!("job-{round}"));
            let stale = Held { token: format!("stale-{round}-{}", held.id), ..held.clone() };
            let won = racers.race(|db, caller| {
                let one = if caller % 2 == 0 { &held } else { &stale };
                completes(db, one) == (caller % 2 == 0)
            });
            assert!(won.iter().all(|right| *right), "round {round}");
            assert_eq!(state(&mut db, held.id), State::Done);
        });
    }

    fn a_stale_one_changes_nothing(database: Database) {
        let mut db = database.connect();
        let old = held(&mut db, "job");
        assert_eq!(release_jobs(&mut db, std::slice::from_ref(&old)).unwrap(), 1);
        assert!(!completes(&mut db, &old), "nobody holds it");
        let new = hold(&mut db, "again");
        assert!(!completes(&mut db, &old), "another holds it");
        assert_eq!(state(&mut db, new.id), State::Running);
        assert!(completes(&mut db, &new));
    }

    fn each_of_many_is_told(database: Database) {
        let mut db = database.connect();
        let (one, two) = (held(&mut db, "one"), held(&mut db, "two"));
        let stale = Held { token: one.token.clone(), ..two.clone() };
        assert_eq!(complete_jobs(&mut db, &[one.clone(), stale]).unwrap(), [one.id]);
        assert_eq!(state(&mut db, two.id), State::Running);
        assert!(complete_jobs(&mut db, &[]).unwrap().is_empty());
    }

    fn whoever_comes_second_is_told_the_same(database: Database) {
        let mut db = database.connect();
        for ending in [Ending::Rollback, Ending::Commit] {
            let held = held(&mut db, &format!("{ending:?}"));
            assert_eq!(overlap(&database, ending, |db| completes(db, &held)), (true, true));
        }
    }
}
