use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::schema::submissions;
use traverse::submissions::guards::{advance_verdict, triage_once};
use traverse::submissions::model::{Advance, NewSubmission, Verdict};

fn advance(verdict: Verdict) -> Advance<'static> {
    Advance {
        verdict,
        solve_id: None,
        language: None,
        runtime_ms: None,
        memory_kb: None,
        rating: None,
        attempts: None,
        minutes: None,
        hint_used: None,
        solution_viewed: None,
        source: None,
        notes: None,
        effects: None,
        updated_at: rows::then(),
    }
}

fn submit(db: &mut Db, user: User, problem: i64, key: &str, verdict: Verdict) -> i64 {
    let submission =
        NewSubmission { verdict: Some(verdict), ..rows::new_submission(user, problem, key) };
    rows::add_submission(db, &submission).id
}

fn verdict(db: &mut Db, id: i64) -> Option<Verdict> {
    submissions::table.find(id).select(submissions::verdict).first(db).unwrap()
}

on_both! {
    fn one_caller_brings_the_verdict(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        let said = [Verdict::Accepted, Verdict::WrongAnswer];
        race_rounds(&database, |racers, round| {
            let id = submit(&mut db, ada, problem, &format!("k{round}"), Verdict::Pending);
            let won = racers.race(|db, caller| {
                advance_verdict(db, id, None, &advance(said[caller % 2])).unwrap()
            });
            let mut winners = won.into_iter().flatten();
            let winner = winners.next().unwrap();
            assert_eq!(winners.count(), 0, "round {round}");
            assert_eq!(verdict(&mut db, id), winner.verdict);
        });
    }

    fn a_verdict_that_is_given_stays(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        let id = submit(&mut db, ada, problem, "k", Verdict::Pending);
        for (said, wins) in
            [(Verdict::WrongAnswer, true), (Verdict::WrongAnswer, false), (Verdict::Accepted, false)]
        {
            let won = advance_verdict(&mut db, id, None, &advance(said)).unwrap();
            assert_eq!(won.is_some(), wins, "{said:?}");
        }
        assert_eq!(verdict(&mut db, id), Some(Verdict::WrongAnswer));
        let judged = submit(&mut db, ada, problem, "l", Verdict::Accepted);
        assert!(advance_verdict(&mut db, judged, None, &advance(Verdict::Other)).unwrap().is_none());
    }

    fn who_has_not_seen_its_triage_loses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        let id = submit(&mut db, ada, problem, "k", Verdict::Pending);
        let at = rows::then();
        triage_once(&mut db, ada.id, id, "{}", at).unwrap().unwrap();
        assert!(advance_verdict(&mut db, id, None, &advance(Verdict::Accepted)).unwrap().is_none());
        let other = At::from(*at + chrono::TimeDelta::seconds(1));
        let seen = advance_verdict(&mut db, id, Some(other), &advance(Verdict::Accepted));
        assert!(seen.unwrap().is_none());
        let seen = advance_verdict(&mut db, id, Some(at), &advance(Verdict::Accepted));
        assert!(seen.unwrap().is_some());
    }

    fn each_submission_has_its_own(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        let [one, other] =
            ["k", "l"].map(|key| submit(&mut db, ada, problem, key, Verdict::Pending));
        assert!(advance_verdict(&mut db, one, None, &advance(Verdict::Accepted)).unwrap().is_some());
        assert_eq!(verdict(&mut db, other), Some(Verdict::Pending));
        assert!(advance_verdict(&mut db, other, None, &advance(Verdict::Accepted)).unwrap().is_some());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problem = rows::add_problem(&mut db, "two-sum");
        let ids = ["k", "l"].map(|key| submit(&mut db, ada, problem, key, Verdict::Pending));
        wins_only_after_a_rollback(&database, |db, pair| {
            advance_verdict(db, ids[pair], None, &advance(Verdict::Accepted)).unwrap().is_some()
        });
    }
}
