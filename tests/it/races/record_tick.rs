use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::then;
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::TimeDelta;
use diesel::prelude::*;
use traverse::db::instant::At;
use traverse::jobs::guards::{TICK, record_tick};
use traverse::schema::job_ticks;

fn tick(number: usize) -> At {
    (*then() + TimeDelta::minutes(i64::try_from(number).unwrap())).into()
}

on_both! {
    fn one_caller_has_the_tick(database: Database) {
        race_rounds(&database, |racers, round| {
            let won = racers.race(|db, _| record_tick(db, "drain", tick(round)).unwrap());
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        assert!(record_tick(&mut db, "drain", tick(0)).unwrap());
        let error = diesel::insert_into(job_ticks::table)
            .values((job_ticks::schedule.eq("drain"), job_ticks::tick_at.eq(tick(0))))
            .execute(&mut db)
            .unwrap_err();
        assert!(TICK.stopped(&error), "{error:?}");
    }

    fn other_schedules_and_other_ticks_do_not_collapse(database: Database) {
        let mut db = database.connect();
        for (schedule, number) in [("drain", 0), ("drain", 1), ("digest", 0)] {
            assert!(record_tick(&mut db, schedule, tick(number)).unwrap());
            assert!(!record_tick(&mut db, schedule, tick(number)).unwrap());
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        wins_only_after_a_rollback(&database, |db, pair| {
            record_tick(db, "drain", tick(pair)).unwrap()
        });
    }
}
