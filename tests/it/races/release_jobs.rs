use super::claim_jobs::{held, hold};
use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::db::Db;
use traverse::jobs::guards::release_jobs;
use traverse::jobs::model::Held;
use traverse::jobs::store::find;

fn releases(db: &mut Db, held: &Held) -> bool {
    release_jobs(db, std::slice::from_ref(held)).unwrap() == 1
}

on_both! {
    fn it_is_given_back_once(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let held = held(&mut db, &format!("job-{round}"));
            let won = racers.race(|db, _| releases(db, &held));
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
            assert_eq!(find(&mut db, held.id).unwrap().unwrap().attempts, 0);
            // So that the next round finds one job only.
            let again = hold(&mut db, &format!("again-{round}"));
            assert!(!releases(&mut db, &held), "another holds it");
            assert_eq!(find(&mut db, again.id).unwrap().unwrap().attempts, 1);
        });
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let both = ["one", "two"].map(|name| held(&mut db, name));
        wins_only_after_a_rollback(&database, |db, pair| releases(db, &both[pair]));
    }
}
