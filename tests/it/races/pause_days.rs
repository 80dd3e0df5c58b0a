use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::Days;
use diesel::prelude::*;
use traverse::db::Db;
use traverse::db::tx::{Work, write};
use traverse::pauses::guards::{PAUSED_DAY, pause_days};
use traverse::pauses::model::{NewPausedDay, Span};
use traverse::pauses::{self, Overlaps};
use traverse::schema::{paused_days, pauses as rows_of_pauses};

/// Five days, so many days from the first.
fn span(from: u64) -> Span {
    let from = rows::day() + Days::new(from);
    Span::new(from, from + Days::new(4), from).unwrap()
}

fn add(db: &mut Db, user: User, span: Span) -> i64 {
    pauses::store::add(db, user.id, span, rows::then()).unwrap().id
}

fn days(user: User, span: Span, pause_id: i64) -> Vec<NewPausedDay> {
    span.days().map(|day| NewPausedDay { user_id: user.id, day, pause_id }).collect()
}

on_both! {
    fn each_day_is_paused_by_one_caller(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let span = span(5 * u64::try_from(round).unwrap());
            let id = add(&mut db, ada, span);
            let days = days(ada, span, id);
            let paused = racers.race(|db, _| pause_days(db, &days).unwrap());
            assert_eq!(paused.iter().sum::<usize>(), 5, "round {round}");
        });
    }

    fn one_of_overlapping_pauses_begins(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let ada = User::add(&mut db, &format!("ada{round}"));
            let begun = racers.race(|db, caller| {
                let span = span(u64::try_from(caller % 3).unwrap());
                let work: Work<_, Overlaps> =
                    write(db, |db| pauses::begin(db, ada.id, span, rows::then()));
                work.is_ok()
            });
            assert_eq!(begun.iter().filter(|begun| **begun).count(), 1, "round {round}");
            let of_ada = rows_of_pauses::table.filter(rows_of_pauses::user_id.eq(ada.id));
            assert_eq!(of_ada.count().get_result(&mut db), Ok(1_i64), "round {round}");
        });
    }

    fn the_guard_stops_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let id = add(&mut db, ada, span(0));
        let days = days(ada, span(0), id);
        assert_eq!(pause_days(&mut db, &days).unwrap(), 5);
        assert_eq!(pause_days(&mut db, &days).unwrap(), 0);
        let error =
            diesel::insert_into(paused_days::table).values(&days[0]).execute(&mut db).unwrap_err();
        assert!(PAUSED_DAY.stopped(&error), "{error:?}");
    }

    fn other_users_and_days_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for (user, from, paused) in [(ada, 0, 5), (bob, 0, 5), (ada, 5, 5), (ada, 8, 3)] {
            let id = add(&mut db, user, span(from));
            assert_eq!(pause_days(&mut db, &days(user, span(from), id)).unwrap(), paused);
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        let ids = [0, 5].map(|from| add(&mut db, ada, span(from)));
        wins_only_after_a_rollback(&database, |db, pair| {
            let span = span(5 * u64::try_from(pair).unwrap());
            pause_days(db, &days(ada, span, ids[pair])).unwrap() == 5
        });
    }
}
