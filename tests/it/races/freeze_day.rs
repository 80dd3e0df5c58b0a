use crate::harness::overlap::wins_only_after_a_rollback;
use crate::harness::rows::{self, User};
use crate::harness::{Database, on_both, race::race_rounds};
use chrono::{Days, Months, NaiveDate};
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use traverse::db::tx::{Work, write};
use traverse::rings::freezes::{self, Refusal, month_of};
use traverse::rings::guards::{FREEZE_SLOT, FROZEN_DAY, freeze_day};
use traverse::rings::model::NewFreeze;
use traverse::schema::streak_freezes;

/// A day of a month that has at least 28.
fn day(month: usize, day: usize) -> NaiveDate {
    let first = month_of(rows::day()) + Months::new(u32::try_from(month).unwrap());
    first + Days::new(u64::try_from(day % 28).unwrap())
}

fn new(user: User, day: NaiveDate, slot: i32) -> NewFreeze {
    NewFreeze { user_id: user.id, day, month: month_of(day), slot, created_at: rows::then() }
}

on_both! {
    fn one_caller_freezes_a_day(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            // All want one day, of either slot.
            let day = day(round, 0);
            let won = racers.race(|db, caller| {
                let slot = if caller % 2 == 0 { 1 } else { 2 };
                freeze_day(db, &new(ada, day, slot)).unwrap()
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn one_caller_gets_a_slot(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        race_rounds(&database, |racers, round| {
            let won = racers.race(|db, caller| {
                // SQLite has days of 28, and 64 callers come for them.
                freeze_day(db, &new(ada, day(round, caller), 1)).unwrap()
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        });
    }

    fn two_of_many_days_are_frozen(database: Database) {
        let mut db = database.connect();
        race_rounds(&database, |racers, round| {
            let ada = User::add(&mut db, &format!("ada{round}"));
            let won = racers.race(|db, caller| {
                let day = day(0, caller);
                let work: Work<_, Refusal> = write(db, |db| {
                    freezes::freeze(db, ada.id, day, rows::day(), rows::then())
                });
                work.is_ok_and(|(_, is_made)| is_made)
            });
            assert_eq!(won.iter().filter(|won| **won).count(), 2, "round {round}");
        });
    }

    fn the_guards_stop_a_plain_insert(database: Database) {
        let mut db = database.connect();
        let ada = User::add(&mut db, "ada");
        assert!(freeze_day(&mut db, &new(ada, day(0, 0), 1)).unwrap());
        let mut insert = |freeze: NewFreeze| {
            diesel::insert_into(streak_freezes::table).values(&freeze).execute(&mut db).unwrap_err()
        };
        let again = insert(new(ada, day(0, 0), 2));
        assert!(FROZEN_DAY.stopped(&again), "{again:?}");
        let taken = insert(new(ada, day(0, 1), 1));
        assert!(FREEZE_SLOT.stopped(&taken), "{taken:?}");
        // A check, so that there is no third.
        for wrong in [new(ada, day(0, 1), 3), NewFreeze { month: day(1, 0), ..new(ada, day(0, 1), 2) }] {
            let error = insert(wrong);
            let is_check = matches!(
                error, Error::DatabaseError(DatabaseErrorKind::CheckViolation, _)
            );
            assert!(is_check, "{error:?}");
        }
    }

    fn other_users_days_months_and_slots_do_not_collapse(database: Database) {
        let mut db = database.connect();
        let (ada, bob) = (User::add(&mut db, "ada"), User::add(&mut db, "bob"));
        for freeze in [
            new(ada, day(0, 0), 1),
            new(bob, day(0, 0), 1),
            new(ada, day(0, 1), 2),
            new(ada, day(1, 0), 1),
        ] {
            assert!(freeze_day(&mut db, &freeze).unwrap(), "{freeze:?}");
            assert!(!freeze_day(&mut db, &freeze).unwrap(), "{freeze:?}");
        }
    }

    fn whoever_comes_second_wins_only_after_a_rollback(database: Database) {
        let ada = User::add(&mut database.connect(), "ada");
        wins_only_after_a_rollback(&database, |db, pair| {
            freeze_day(db, &new(ada, day(pair, 0), 1)).unwrap()
        });
    }
}
