//! Jobs that come back.

use super::{Base, Recount, STOP, Starts, pause, run, settings};
use crate::harness::on_both;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use rstest::rstest;
use std::sync::Barrier;
use std::time::Duration;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::db::tx::{self, Work};
use traverse::jobs::registry::Registry;
use traverse::jobs::schedule::{Schedule, due, keep, last_tick, next_tick};
use traverse::jobs::{Failed, enqueue, store};
use traverse::schema::job_ticks;

const HOURLY: Schedule = Schedule {
    name: "recount-hourly",
    when: "0 0 * * * *",
    enqueue: |db, _| enqueue(db, &Recount),
};

const EACH_SECOND: &[Schedule] = &[Schedule {
    name: "recount-each-second",
    when: "* * * * * *",
    enqueue: |db, _| enqueue(db, &Recount),
}];

fn at(text: &str) -> At {
    text.parse::<DateTime<Utc>>().unwrap().into()
}

fn kept(db: &mut Db, schedule: &Schedule) -> bool {
    let kept: Work<bool> = tx::write(db, |db| Ok(keep(db, schedule)?));
    kept.unwrap()
}

/// Says that the last tick was so long ago.
fn set_back(db: &mut Db, by: TimeDelta) {
    let last: At = job_ticks::table.select(job_ticks::tick_at).first(db).unwrap();
    diesel::update(job_ticks::table)
        .set(job_ticks::tick_at.eq(At::from(*last - by)))
        .execute(db)
        .unwrap();
}

#[rstest]
#[case::on_it(
    "0 0 * * * *",
    "2026-11-30T12:00:00Z",
    "2026-11-30T12:00:00Z",
    "2026-11-30T13:00:00Z"
)]
#[case::behind(
    "0 0 * * * *",
    "2026-11-30T12:00:01Z",
    "2026-11-30T12:00:00Z",
    "2026-11-30T13:00:00Z"
)]
#[case::before(
    "0 0 * * * *",
    "2026-11-30T11:59:59.999999Z",
    "2026-11-30T11:00:00Z",
    "2026-11-30T12:00:00Z"
)]
#[case::quarter(
    "0 */15 * * * *",
    "2026-11-30T12:14:00Z",
    "2026-11-30T12:00:00Z",
    "2026-11-30T12:15:00Z"
)]
#[case::year(
    "0 30 3 1 1 *",
    "2026-11-30T12:00:00Z",
    "2026-01-01T03:30:00Z",
    "2027-01-01T03:30:00Z"
)]
fn ticks_come_from_the_schedule(
    #[case] when: &str,
    #[case] now: &str,
    #[case] last: &str,
    #[case] next: &str,
) {
    assert_eq!(last_tick(when, at(now)).unwrap(), Some(at(last)));
    assert_eq!(next_tick(when, at(now)).unwrap(), Some(at(next)));
}

#[test]
fn a_text_that_is_no_schedule_is_refused() {
    assert!(last_tick("every now and then", at("2026-11-30T12:00:00Z")).is_err());
}

on_both! {
    fn a_tick_has_one_job(base: Base) {
        let mut db = base.database.connect();
        // A new schedule begins with its next tick.
        assert!(!kept(&mut db, &HOURLY));
        assert!(!kept(&mut db, &HOURLY));
        assert_eq!(base.states(), "");
        // A missed tick runs once; of three missed ones, the last.
        set_back(&mut db, TimeDelta::hours(3));
        assert!(kept(&mut db, &HOURLY));
        assert!(!kept(&mut db, &HOURLY));
        assert_eq!(base.states(), "pending0");
    }

    fn a_clock_that_was_set_back_makes_no_tick(base: Base) {
        const ALL: &[Schedule] = &[HOURLY];
        let mut db = base.database.connect();
        assert_eq!(due(&mut db, ALL).unwrap().0.len(), 1);
        assert!(!kept(&mut db, &HOURLY));
        assert_eq!(due(&mut db, ALL).unwrap().0.len(), 0);
        set_back(&mut db, TimeDelta::hours(-5));
        let (found, wait) = due(&mut db, ALL).unwrap();
        assert!(found.is_empty());
        assert!(wait <= Duration::from_mins(1));
    }

    fn of_many_that_see_a_tick_one_makes_the_job(base: Base) {
        let mut db = base.database.connect();
        assert!(!kept(&mut db, &HOURLY));
        set_back(&mut db, TimeDelta::hours(1));
        let gate = Barrier::new(8);
        let made = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let mut db = base.database.connect();
                        gate.wait();
                        kept(&mut db, &HOURLY)
                    })
                })
                .collect();
            threads.into_iter().map(|one| one.join().unwrap()).filter(|made| *made).count()
        });
        assert_eq!(made, 1);
    }

    /// Workers that live shorter than the period neither skip a tick nor double one.
    fn restarts_neither_skip_nor_double(base: Base) {
        run(async move {
            let runs = Starts::default();
            let began = store::clock(&mut base.database.connect()).unwrap();
            for _ in 0..8 {
                let counted = runs.clone();
                let registry = Registry::default().on::<Recount, _, _>(move |_: Recount| {
                    counted.add();
                    async { Ok::<(), Failed>(()) }
                });
                let worker = base.start_with(settings(), registry, EACH_SECOND);
                pause(600).await;
                worker.stop(STOP).await;
            }
            let mut db = base.database.connect();
            let ended = store::clock(&mut db).unwrap();
            let ticks: i64 = job_ticks::table.count().get_result(&mut db).unwrap();
            let seconds = (*ended - *began).num_seconds();
            assert!(ticks >= 3 && ticks <= seconds + 2, "{ticks} ticks in {seconds} s");
            let jobs = base.states().split_whitespace().count();
            // The first tick only says since when there is the schedule.
            assert!(jobs < usize::try_from(ticks).unwrap(), "{jobs} of {ticks}");
            assert!(runs.get() >= 2, "{}", runs.get());
        });
    }
}
