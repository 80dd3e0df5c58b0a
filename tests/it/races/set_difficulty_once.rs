use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds, rows};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::problems::difficulty::Difficulty;
use traverse::problems::guards::set_difficulty_once;
use traverse::schema::problems;

fn stored(db: &mut Db, id: i64) -> Option<Difficulty> {
    problems::table.find(id).select(problems::difficulty).first(db).unwrap()
}

on_both! {
    fn one_caller_sets_the_difficulty(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let id = rows::add_problem(&mut db, &format!("p{round}"));
            let said = Difficulty::ALL;
            let won = racers.race(|db, caller| {
                set_difficulty_once(db, id, said[caller % said.len()], rows::then()).unwrap()
            });
            let mut winners = won.into_iter().flatten();
            let winner = winners.next().unwrap();
            assert_eq!(winners.count(), 0, "round {round}");
            assert_eq!(stored(&mut db, id), winner.difficulty);
        });
    }

    fn what_is_set_stays(database: Database) {
        let mut db = database.connect();
        let id = rows::add_problem(&mut db, "two-sum");
        for (said, wins) in [(Difficulty::Easy, true), (Difficulty::Easy, false), (Difficulty::Hard, false)] {
            let won = set_difficulty_once(&mut db, id, said, rows::then()).unwrap();
            assert_eq!(won.is_some(), wins, "{said:?}");
        }
        assert_eq!(stored(&mut db, id), Some(Difficulty::Easy));
    }

    fn each_problem_has_its_own(database: Database) {
        let mut db = database.connect();
        let (one, other) = (rows::add_problem(&mut db, "1"), rows::add_problem(&mut db, "2"));
        assert!(set_difficulty_once(&mut db, one, Difficulty::Easy, rows::then()).unwrap().is_some());
        assert_eq!(stored(&mut db, other), None);
        assert!(set_difficulty_once(&mut db, other, Difficulty::Easy, rows::then()).unwrap().is_some());
        assert!(set_difficulty_once(&mut db, 999, Difficulty::Easy, rows::then()).unwrap().is_none());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ids = ["1", "2"].map(|slug| rows::add_problem(&mut database.connect(), slug));
        wins_only_after_a_rollback(&database, |db, pair| {
            set_difficulty_once(db, ids[pair], Difficulty::Easy, rows::then()).unwrap().is_some()
        });
    }
}
