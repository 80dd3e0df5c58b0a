use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::revisions::guards::{complete_revision, move_revision};
use traverse::revisions::model::State;
use traverse::revisions::rating::Rating;
use traverse::schema::revisions;

fn complete(db: &mut Db, id: i64, rating: Rating) -> bool {
    complete_revision(db, id, rating, rows::day(), rows::then()).unwrap().is_some()
}

fn stored(db: &mut Db, id: i64) -> (State, Option<Rating>) {
    revisions::table.find(id).select((revisions::state, revisions::rating)).first(db).unwrap()
}

on_both! {
    fn one_caller_completes(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        race_rounds(&database, |racers, round| {
            let number = i32::try_from(round).unwrap() + 1;
            let id = rows::add_revision(&mut db, ada, solve, number).id;
            let said = Rating::ALL;
            let won = racers.race(|db, caller| {
                let rating = said[caller % said.len()];
                complete_revision(db, id, rating, rows::day(), rows::then()).unwrap()
            });
            let mut winners = won.into_iter().flatten();
            let winner = winners.next().unwrap();
            assert_eq!(winners.count(), 0, "round {round}");
            assert_eq!(stored(&mut db, id), (State::Completed, winner.rating));
        });
    }

    fn only_a_pending_revision_is_completed(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        for (number, state) in (1..).zip(State::ALL) {
            let id = rows::add_revision(&mut db, ada, solve, number).id;
            if state != State::Pending {
                move_revision(&mut db, id, State::Pending, state, rows::then()).unwrap().unwrap();
            }
            let wins = complete(&mut db, id, Rating::Good);
            assert_eq!(wins, state == State::Pending, "{state:?}");
            let expected = if wins { State::Completed } else { state };
            assert_eq!(stored(&mut db, id).0, expected);
            assert!(!complete(&mut db, id, Rating::Good), "twice");
        }
    }

    fn each_revision_is_completed_on_its_own(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let [one, other] = [1, 2].map(|number| rows::add_revision(&mut db, ada, solve, number).id);
        assert!(complete(&mut db, one, Rating::Good));
        assert_eq!(stored(&mut db, other), (State::Pending, None));
        assert!(complete(&mut db, other, Rating::Good));
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let ids = [1, 2].map(|number| rows::add_revision(&mut db, ada, solve, number).id);
        wins_only_after_a_rollback(&database, |db, pair| complete(db, ids[pair], Rating::Good));
    }
}
