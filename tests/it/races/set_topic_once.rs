use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::{Database, on_both, race::race_rounds, rows};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::problems::guards::set_topic_once;
use traverse::schema::problems;

fn stored(db: &mut Db, id: i64) -> Option<String> {
    problems::table.find(id).select(problems::topic).first(db).unwrap()
}

on_both! {
    fn one_caller_sets_the_topic(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let id = rows::add_problem(&mut db, &format!("p{round}"));
            let won = racers.race(|db, caller| {
                set_topic_once(db, id, &format!("said by {caller}"), rows::then()).unwrap()
            });
            let mut winners = won.into_iter().flatten();
            let winner = winners.next().unwrap();
            assert_eq!(winners.count(), 0, "round {round}");
            assert_eq!(stored(&mut db, id), winner.topic);
        });
    }

    fn what_is_set_stays(database: Database) {
        let mut db = database.connect();
        let id = rows::add_problem(&mut db, "two-sum");
        for (said, wins) in [("arrays", true), ("arrays", false), ("graphs", false)] {
            let won = set_topic_once(&mut db, id, said, rows::then()).unwrap();
            assert_eq!(won.is_some(), wins, "{said:?}");
        }
        assert_eq!(stored(&mut db, id), Some("arrays".to_owned()));
    }

    fn each_problem_has_its_own(database: Database) {
        let mut db = database.connect();
        let (one, other) = (rows::add_problem(&mut db, "1"), rows::add_problem(&mut db, "2"));
        assert!(set_topic_once(&mut db, one, "arrays", rows::then()).unwrap().is_some());
        assert_eq!(stored(&mut db, other), None);
        assert!(set_topic_once(&mut db, other, "arrays", rows::then()).unwrap().is_some());
        assert!(set_topic_once(&mut db, 999, "arrays", rows::then()).unwrap().is_none());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ids = ["1", "2"].map(|slug| rows::add_problem(&mut database.connect(), slug));
        wins_only_after_a_rollback(&database, |db, pair| {
            set_topic_once(db, ids[pair], "arrays", rows::then()).unwrap().is_some()
        });
    }
}
