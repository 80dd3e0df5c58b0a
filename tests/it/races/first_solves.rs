use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::schema::solves;
use traverse::solves::guards::{first_solve, first_solves};

on_both! {
    fn one_caller_solves_each_first(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let problems: Vec<i64> =
                (0..3).map(|n| rows::add_problem(&mut db, &format!("p{round}-{n}"))).collect();
            // Half of them import, and half report one problem each.
            let won: usize = racers.race(|db, caller| {
                if caller % 2 == 0 {
                    let new = problems.iter().map(|id| rows::new_solve(ada, *id)).collect();
                    first_solves(db, new, 7).unwrap().len()
                } else {
                    let new = rows::new_solve(ada, problems[caller % problems.len()]);
                    usize::from(first_solve(db, &new).unwrap().is_some())
                }
            }).into_iter().sum();
            assert_eq!(won, problems.len(), "round {round}");
        });
    }

    fn it_says_which_solves_it_made(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        let [one, other] = ["1", "2"].map(|slug| rows::add_problem(&mut db, slug));
        let live = first_solve(&mut db, &rows::new_solve(ada, one)).unwrap().unwrap();
        let new = [(ada, one), (ada, other), (bob, one)].map(|(user, id)| rows::new_solve(user, id));
        let made = first_solves(&mut db, new.into(), 7).unwrap();
        assert_eq!(made.iter().map(|(_, problem)| *problem).collect::<Vec<_>>(), [other, one]);
        let imports: Vec<(i64, Option<i64>)> =
            solves::table.order(solves::id).select((solves::id, solves::import_id)).load(&mut db).unwrap();
        assert_eq!(imports, [(live.id, None), (made[0].0, Some(7)), (made[1].0, Some(7))]);
    }

    fn more_than_one_statement_takes(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problems: Vec<i64> =
            (0..1001).map(|n| rows::add_problem(&mut db, &format!("p{n}"))).collect();
        let new = problems.iter().map(|id| rows::new_solve(ada, *id)).collect();
        assert_eq!(first_solves(&mut db, new, 7).unwrap().len(), 1001);
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let problems = ["1", "2"].map(|slug| rows::add_problem(&mut db, slug));
        wins_only_after_a_rollback(&database, |db, pair| {
            !first_solves(db, vec![rows::new_solve(ada, problems[pair])], 7).unwrap().is_empty()
        });
    }
}
