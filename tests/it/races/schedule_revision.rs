use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::revisions::guards::{REVISION, schedule_revision};
use traverse::revisions::log::Kind;
use traverse::schema::revisions;

on_both! {
    fn one_caller_schedules_the_number(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        race_rounds(&database, |racers, round| {
            let number = i32::try_from(round).unwrap() + 1;
            let won = racers.race(|db, _| {
                let revision = rows::new_revision(ada, solve, number, Kind::Adaptive);
                schedule_revision(db, &revision).unwrap()
            });
            assert_eq!(won.iter().flatten().count(), 1, "round {round}");
        });
    }

    fn a_duplicate_collapses(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        let revision = rows::new_revision(ada, solve, 1, Kind::Adaptive);
        assert!(schedule_revision(&mut db, &revision).unwrap().is_some());
        let mut otherwise = revision;
        otherwise.derived.interval_days = 9;
        assert!(schedule_revision(&mut db, &otherwise).unwrap().is_none());
        let days: Vec<i32> =
            revisions::table.select(revisions::interval_days).load(&mut db).unwrap();
        assert_eq!(days, [1]);
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        rows::add_revision(&mut db, ada, solve, 1);
        let error = diesel::insert_into(revisions::table)
            .values(rows::new_revision(ada, solve, 1, Kind::Adaptive))
            .execute(&mut db)
            .unwrap_err();
        assert!(REVISION.stopped(&error), "{error:?}");
    }

    fn other_solves_numbers_and_kinds_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let [one, other] = ["1", "2"].map(|slug| rows::add_solve(&mut db, ada, slug));
        for (solve, number, kind) in [
            (one, 1, Kind::Adaptive),
            (one, 1, Kind::Ladder),
            (one, 2, Kind::Adaptive),
            (other, 1, Kind::Adaptive),
        ] {
            let revision = rows::new_revision(ada, solve, number, kind);
            assert!(schedule_revision(&mut db, &revision).unwrap().is_some(), "{revision:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solves = ["1", "2"].map(|slug| rows::add_solve(&mut db, ada, slug));
        wins_only_after_a_rollback(&database, |db, pair| {
            let revision = rows::new_revision(ada, solves[pair], 1, Kind::Ladder);
            schedule_revision(db, &revision).unwrap().is_some()
        });
    }
}
