use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::revisions::guards::move_revision;
use traverse::revisions::model::State;
use traverse::schema::revisions;

fn moves(db: &mut Db, id: i64, from: State, to: State) -> bool {
    move_revision(db, id, from, to, rows::then()).unwrap().is_some()
}

fn stored(db: &mut Db, id: i64) -> State {
    revisions::table.find(id).select(revisions::state).first(db).unwrap()
}

on_both! {
    fn one_caller_moves(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let targets = [State::Skipped, State::Suspended, State::Withdrawn];
        race_rounds(&database, |racers, round| {
            let number = i32::try_from(round).unwrap() + 1;
            let id = rows::add_revision(&mut db, ada, solve, number).id;
            let won = racers.race(|db, caller| {
                let to = targets[caller % targets.len()];
                move_revision(db, id, State::Pending, to, rows::then()).unwrap()
            });
            let mut winners = won.into_iter().flatten();
            let winner = winners.next().unwrap();
            assert_eq!(winners.count(), 0, "round {round}");
            assert_eq!(stored(&mut db, id), winner.state);
        });
    }

    fn it_moves_from_the_expected_state_only(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let id = rows::add_revision(&mut db, ada, solve, 1).id;
        for expected in State::ALL.into_iter().filter(|state| *state != State::Pending) {
            assert!(!moves(&mut db, id, expected, State::Withdrawn), "{expected:?}");
        }
        assert!(moves(&mut db, id, State::Pending, State::Suspended));
        assert!(!moves(&mut db, id, State::Pending, State::Suspended), "twice");
        assert!(moves(&mut db, id, State::Suspended, State::Pending));
    }

    fn each_revision_moves_on_its_own(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let [one, other] = [1, 2].map(|number| rows::add_revision(&mut db, ada, solve, number).id);
        assert!(moves(&mut db, one, State::Pending, State::Skipped));
        assert_eq!(stored(&mut db, other), State::Pending);
        assert!(moves(&mut db, other, State::Pending, State::Skipped));
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let ids = [1, 2].map(|number| rows::add_revision(&mut db, ada, solve, number).id);
        wins_only_after_a_rollback(&database, |db, pair| {
            moves(db, ids[pair], State::Pending, State::Skipped)
        });
    }
}
