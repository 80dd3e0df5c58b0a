use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::db::Db;
use traverse::revisions::guards::{REVISION, schedule_revisions};
use traverse::revisions::log::Kind;
use traverse::revisions::model::NewRevision;
use traverse::schema::revisions;

fn solves(db: &mut Db, user: User, of: usize) -> Vec<i64> {
    (0..5).map(|number| rows::add_solve(db, user, &format!("p{of}-{number}"))).collect()
}

fn batch(user: User, solves: &[i64], number: i32, kind: Kind) -> Vec<NewRevision> {
    solves.iter().map(|solve| rows::new_revision(user, *solve, number, kind)).collect()
}

on_both! {
    fn each_schedule_of_a_batch_is_begun_by_one_caller(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let solves = solves(&mut db, ada, round);
            let won = racers.race(|db, _| {
                schedule_revisions(db, &batch(ada, &solves, 1, Kind::Ladder)).unwrap()
            });
            let mut begun: Vec<i64> =
                won.into_iter().flatten().map(|(_, solve_id, ..)| solve_id).collect();
            begun.sort_unstable();
            assert_eq!(begun, solves, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solves = solves(&mut db, ada, 0);
        let rows = batch(ada, &solves, 1, Kind::Adaptive);
        assert_eq!(schedule_revisions(&mut db, &rows).unwrap().len(), 5);
        assert!(schedule_revisions(&mut db, &rows).unwrap().is_empty());
        let error =
            diesel::insert_into(revisions::table).values(&rows[0]).execute(&mut db).unwrap_err();
        assert!(REVISION.stopped(&error), "{error:?}");
    }

    fn other_solves_numbers_and_kinds_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let (one, other) = (solves(&mut db, ada, 0), solves(&mut db, ada, 1));
        for (solves, number, kind) in [
            (&one, 1, Kind::Adaptive),
            (&one, 1, Kind::Ladder),
            (&one, 2, Kind::Adaptive),
            (&other, 1, Kind::Adaptive),
        ] {
            let rows = batch(ada, solves, number, kind);
            assert_eq!(schedule_revisions(&mut db, &rows).unwrap().len(), 5);
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solves = [solves(&mut db, ada, 0), solves(&mut db, ada, 1)];
        wins_only_after_a_rollback(&database, |db, pair| {
            schedule_revisions(db, &batch(ada, &solves[pair], 1, Kind::Ladder)).unwrap().len() == 5
        });
    }
}
