//! Whoever locks several rows does so in the order that `src/db/tx.rs` states: nobody waits in a
//! circle, and nobody is made to begin again.

use crate::harness::invariants::learners;
use crate::harness::{Server, on_both, race::race_rounds};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use traverse::db::Db;
use traverse::db::tx::{Stopped, Work, write};
use traverse::revisions::rating::Rating;
use traverse::solves;
use traverse::submissions::guards::bury_once;
use traverse::submissions::triage::{Triage, triage};

on_both! {
    fn triage_and_the_deletion_of_the_solve(server: Server) {
        let ada = server.register("ada");
        let learner = learners(&mut server.database.connect()).into_values().next().unwrap();
        let now = server.app.clock.now();
        let easy = Triage { rating: Some(Rating::Easy), notes: None, dismiss: false };
        race_rounds(&server.database, |racers, round| {
            let body = json!({"verdict": "accepted",
                "problem": {"platform": "leetcode", "slug": format!("p{round}")}});
            let made = ada.post_with_key("/api/v1/submissions", &format!("k{round}"), &body);
            let made = made.expect(201).body;
            let id = made["submission"]["id"].as_i64().unwrap();
            let solve = made["solve"]["id"].as_i64().unwrap();
            let attempts = AtomicUsize::new(0);
            let callers = racers.race(|db, caller| {
                let begin = || attempts.fetch_add(1, Ordering::Relaxed);
                match caller % 4 {
                    1 => settled(write(db, |db| {
                        begin();
                        solves::delete(db, &learner, solve, now)
                    })),
                    3 => settled(write(db, |db: &mut Db| -> Work<bool> {
                        begin();
                        Ok(bury_once(db, learner.user_id, id, now)?)
                    })),
                    _ => settled(write(db, |db| {
                        begin();
                        triage(db, &learner, id, &easy, now)
                    })),
                }
            });
            assert_eq!(attempts.into_inner(), callers.len(), "somebody had to begin again");
        });
    }
}

/// What was done, or refused; a failing statement is neither.
fn settled<T, Reason>(done: Work<T, Reason>) {
    match done {
        Ok(_) | Err(Stopped::Because(_)) => {}
        Err(Stopped::Database(error)) => panic!("{error}"),
        Err(Stopped::Pool(error)) => panic!("{error}"),
    }
}
