use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::schema::submissions;
use traverse::submissions::guards::{bury_once, triage_once};

fn submit(db: &mut Db, user: User, key: &str) -> i64 {
    let problem = rows::add_problem(db, key);
    rows::add_submission(db, &rows::new_submission(user, problem, key)).id
}

fn stored(db: &mut Db, id: i64) -> Option<String> {
    submissions::table.find(id).select(submissions::triage).first(db).unwrap()
}

on_both! {
    fn one_caller_triages(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = submit(&mut db, ada, &format!("k{round}"));
            let won = racers.race(|db, caller| {
                triage_once(db, ada.id, id, &caller.to_string(), rows::then()).unwrap()
            });
            let mut winners = won.into_iter().flatten();
            let winner = winners.next().unwrap();
            assert_eq!(winners.count(), 0, "round {round}");
            assert_eq!(stored(&mut db, id), winner.triage);
        });
    }

    fn what_was_said_stays(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let id = submit(&mut db, ada, "k");
        for (said, wins) in [("easy", true), ("easy", false), ("hard", false)] {
            let won = triage_once(&mut db, ada.id, id, said, rows::then()).unwrap();
            assert_eq!(won.is_some(), wins, "{said}");
        }
        assert_eq!(stored(&mut db, id).as_deref(), Some("easy"));
    }

    fn nobody_triages_what_is_not_theirs_or_gone(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let [kept, deleted] = ["k", "l"].map(|key| submit(&mut db, ada, key));
        bury_once(&mut db, ada.id, deleted, rows::then()).unwrap();
        assert!(triage_once(&mut db, bob.id, kept, "t", rows::then()).unwrap().is_none());
        assert!(triage_once(&mut db, ada.id, deleted, "t", rows::then()).unwrap().is_none());
        assert!(triage_once(&mut db, ada.id, kept, "t", rows::then()).unwrap().is_some());
    }

    fn each_submission_has_its_own(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let [one, other] = ["k", "l"].map(|key| submit(&mut db, ada, key));
        assert!(triage_once(&mut db, ada.id, one, "t", rows::then()).unwrap().is_some());
        assert_eq!(stored(&mut db, other), None);
        assert!(triage_once(&mut db, ada.id, other, "t", rows::then()).unwrap().is_some());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = ["k", "l"].map(|key| submit(&mut db, ada, key));
        wins_only_after_a_rollback(&database, |db, pair| {
            triage_once(db, ada.id, ids[pair], "t", rows::then()).unwrap().is_some()
        });
    }
}
