use crate::harness::overlap::passes_over;
use crate::harness::{Database, on_both, race::race_rounds};
use std::collections::HashSet;
use traverse::db::Db;
use traverse::jobs::guards::{
    claim_jobs, complete_jobs, enqueue_coalesced, enqueue_once, fail_attempt, release_jobs,
};
use traverse::jobs::model::{Claimed, Held, Mode, NewJob, Place, State, Verdict};
use traverse::jobs::registry::{Kinds, Registry};
use traverse::jobs::{Failed, Job};

/// The kind of all jobs of the race tests.
#[derive(serde::Serialize, serde::Deserialize)]
struct Any;

impl Job for Any {
    const KIND: &'static str = "any";
    const MODE: Mode = Mode::Once;

    fn id(&self) -> String {
        "any".to_owned()
    }
}

pub fn kinds() -> Kinds {
    Registry::default().on::<Any, _, _>(|_: Any| async { Ok::<(), Failed>(()) }).kinds()
}

pub fn new(job_id: &str) -> NewJob<'_> {
    let mode = Mode::Once;
    NewJob { job_id, kind: "any", payload: "null", mode, priority: 0, max_attempts: 3 }
}

pub fn coalesced(job_id: &str) -> NewJob<'_> {
    NewJob { mode: Mode::Coalesce, ..new(job_id) }
}

pub fn claim(db: &mut Db, name: &str, limit: i64) -> Vec<Claimed> {
    claim_jobs(db, &kinds(), name, limit, None).unwrap()
}

/// A job that is held under the name.
pub fn held(db: &mut Db, name: &str) -> Held {
    assert!(enqueue_once(db, &new(name), None).unwrap());
    hold(db, name)
}

/// The one job that waits, held under the name.
pub fn hold(db: &mut Db, name: &str) -> Held {
    let rows = claim(db, name, 10);
    assert_eq!(rows.len(), 1);
    held_by(&rows[0])
}

fn held_by(row: &Claimed) -> Held {
    Held { id: row.id, token: row.lease_token.clone() }
}

on_both! {
    fn a_job_has_one_claim(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            for number in 0..3 {
                let id = format!("{round}-{number}");
                assert!(enqueue_once(&mut db, &new(&id), None).unwrap());
            }
            let claims = racers.race(|db, caller| claim(db, &format!("{round}-{caller}"), 2));
            let all: Vec<_> = claims.iter().flatten().collect();
            assert!(claims.iter().all(|rows| rows.len() <= 2), "no more than was asked for");
            let ids: HashSet<_> = all.iter().map(|row| row.id).collect();
            let tokens: HashSet<_> = all.iter().map(|row| &row.lease_token).collect();
            assert_eq!((all.len(), ids.len(), tokens.len()), (3, 3, 3), "round {round}");
        });
    }

    fn a_run_waits_for_the_run_of_its_id(database: Database) {
        let mut db = database.connect();
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        assert_eq!(claim(&mut db, "one", 5).len(), 1);
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        assert!(enqueue_coalesced(&mut db, &coalesced("other"), None).unwrap());
        let rows = claim(&mut db, "two", 5);
        assert_eq!(rows.iter().map(|row| row.job_id.as_str()).collect::<Vec<_>>(), ["other"]);
    }

    /// One that failed, and waits to be tried again, and a younger one.
    fn two_runs_of_an_id_that_wait_are_not_taken_together(database: Database) {
        let mut db = database.connect();
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        let failed = hold(&mut db, "first");
        let verdict = Verdict::Failed { error: "no".to_owned(), wait: Some(0.0) };
        assert_eq!(fail_attempt(&mut db, &failed, &verdict).unwrap(), Some(State::Pending));
        assert!(enqueue_coalesced(&mut db, &coalesced("recount"), None).unwrap());
        let again = hold(&mut db, "again");
        assert_eq!(again.id, failed.id);
        assert!(claim(&mut db, "meanwhile", 5).is_empty());
        assert_eq!(complete_jobs(&mut db, std::slice::from_ref(&again)).unwrap(), [again.id]);
        assert_ne!(hold(&mut db, "younger").id, failed.id);
    }

    fn in_part_it_looks_from_its_place_on(database: Database) {
        let mut db = database.connect();
        for name in ["one", "two", "three"] {
            assert!(enqueue_once(&mut db, &new(name), None).unwrap());
        }
        let urgent = NewJob { priority: 1, ..new("urgent") };
        let first = claim(&mut db, "first", 1).remove(0);
        assert!(enqueue_once(&mut db, &urgent, None).unwrap());
        assert!(release_jobs(&mut db, &[held_by(&first)]).unwrap() == 1);
        let place = Place { priority: 0, run_at: first.run_at, id: first.id + 1 };
        let mut names = |from, limit| -> Vec<String> {
            let rows = claim_jobs(&mut db, &kinds(), "next", limit, from).unwrap();
            let mut rows: Vec<_> = rows.into_iter().map(|row| (row.id, row.job_id)).collect();
            rows.sort();
            rows.into_iter().map(|(_, name)| name).collect()
        };
        assert_eq!(names(Some(place), 9), ["two", "three"]);
        assert_eq!(names(None, 9), ["one", "urgent"]);
    }

    fn whoever_comes_second_passes_over(database: Database) {
        passes_over(
            &database,
            |db, pair| assert!(enqueue_once(db, &new(&format!("job-{pair}")), None).unwrap()),
            |db, pair| !claim(db, &format!("pair-{pair}"), 5).is_empty(),
        );
    }
}
