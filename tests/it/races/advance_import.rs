use super::create_import::new_import;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use diesel::prelude::*;
use traverse::import::guards::{advance_import, create_import, finish_import};
use traverse::import::model::{Status, Tally, Verdict};
use traverse::schema::imports;

fn one() -> Tally {
    let mut tally = Tally::default();
    tally.count(Verdict::Ignored);
    tally
}

on_both! {
    fn every_caller_counts(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let id = create_import(&mut db, &new_import(ada, None)).unwrap().unwrap().id;
            let advanced = racers.race(|db, _| advance_import(db, id, &one()).unwrap());
            assert!(advanced.iter().all(|advanced| *advanced));
            let counted: (i64, i64) = imports::table.find(id)
                .select((imports::received, imports::ignored)).first(&mut db).unwrap();
            let callers = i64::try_from(advanced.len()).unwrap();
            assert_eq!(counted, (callers, callers), "round {round}");
        });
    }

    fn nothing_counts_once_it_has_ended(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        for status in [Status::Completed, Status::Failed] {
            let id = create_import(&mut db, &new_import(ada, None)).unwrap().unwrap().id;
            finish_import(&mut db, id, status, rows::then()).unwrap().unwrap();
            assert!(!advance_import(&mut db, id, &one()).unwrap());
            let counted: i64 =
                imports::table.find(id).select(imports::received).first(&mut db).unwrap();
            assert_eq!(counted, 0);
        }
    }
}
