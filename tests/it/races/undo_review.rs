use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::{Days, TimeDelta};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::revisions::guards::undo_review;
use traverse::revisions::log::Kind;
use traverse::schema::reviews;

fn review(db: &mut Db, user: User, solve: i64, day: usize) -> i64 {
    let day = rows::day() + Days::new(u64::try_from(day).unwrap());
    rows::add_review(db, &rows::new_review(user, solve, Kind::Adaptive, day)).id
}

fn at(second: usize) -> At {
    At::from(*rows::then() + TimeDelta::seconds(i64::try_from(second).unwrap()))
}

fn stored(db: &mut Db, id: i64) -> Option<At> {
    reviews::table.find(id).select(reviews::undone_at).first(db).unwrap()
}

on_both! {
    fn one_caller_takes_back(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        race_rounds(&database, |racers, round| {
            let id = review(&mut db, ada, solve, round);
            let won = racers.race(|db, caller| undo_review(db, id, at(caller)).unwrap());
            let mut winners = won.into_iter().flatten();
            let winner = winners.next().unwrap();
            assert_eq!(winners.count(), 0, "round {round}");
            assert_eq!(stored(&mut db, id), winner.undone_at);
        });
    }

    fn it_keeps_when_it_was_first_taken_back(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let [one, other] = [0, 1].map(|day| review(&mut db, ada, solve, day));
        assert!(undo_review(&mut db, one, at(1)).unwrap().is_some());
        assert!(undo_review(&mut db, one, at(2)).unwrap().is_none());
        assert_eq!(stored(&mut db, one), Some(at(1)));
        assert_eq!(stored(&mut db, other), None);
        assert!(undo_review(&mut db, other, at(3)).unwrap().is_some());
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let ids = [0, 1].map(|day| review(&mut db, ada, solve, day));
        wins_only_after_a_rollback(&database, |db, pair| {
            undo_review(db, ids[pair], at(0)).unwrap().is_some()
        });
    }
}
