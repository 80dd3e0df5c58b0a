use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use traverse::revisions::guards::{schedule_revision, schedule_revisions};
use traverse::revisions::log::Kind;

on_both! {
    fn one_caller_schedules_each_number(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solve = rows::add_solve(&mut db, ada, "two-sum");
        race_rounds(&database, |racers, round| {
            let first = i32::try_from(round).unwrap() * 3 + 1;
            let won: usize = racers.race(|db, _| {
                let rows: Vec<_> = (first..first + 3)
                    .map(|number| rows::new_revision(ada, solve, number, Kind::Adaptive))
                    .collect();
                schedule_revisions(db, &rows).unwrap().len()
            }).into_iter().sum();
            assert_eq!(won, 3, "round {round}");
        });
    }

    fn it_says_which_revisions_it_made(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let [one, other] = ["1", "2"].map(|slug| rows::add_solve(&mut db, ada, slug));
        schedule_revision(&mut db, &rows::new_revision(ada, one, 1, Kind::Adaptive)).unwrap().unwrap();
        let rows = [
            rows::new_revision(ada, one, 1, Kind::Adaptive),
            rows::new_revision(ada, one, 1, Kind::Ladder),
            rows::new_revision(ada, one, 2, Kind::Adaptive),
            rows::new_revision(ada, other, 1, Kind::Adaptive),
        ];
        let made = schedule_revisions(&mut db, &rows).unwrap();
        let made: Vec<_> = made.into_iter().map(|(_, solve, kind, number)| (solve, kind, number)).collect();
        assert_eq!(made, [(one, Kind::Ladder, 1), (one, Kind::Adaptive, 2), (other, Kind::Adaptive, 1)]);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let solves = ["1", "2"].map(|slug| rows::add_solve(&mut db, ada, slug));
        wins_only_after_a_rollback(&database, |db, pair| {
            let row = rows::new_revision(ada, solves[pair], 1, Kind::Adaptive);
            !schedule_revisions(db, &[row]).unwrap().is_empty()
        });
    }
}
