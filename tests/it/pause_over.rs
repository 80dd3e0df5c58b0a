//! A process that dies at any call of the database while it spreads what fell due in a pause: whoever
//! goes on ends with what a whole run ends with.

use crate::harness::faults::Kill;
use crate::harness::invariants::{assert_hold, learners};
use crate::harness::rows::User;
use crate::harness::server::START;
use crate::harness::{Database, on_both};
use actix_web::rt::System;
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use diesel::prelude::*;
use serde_json::json;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::db::pool::Pool;
use traverse::db::tx::{Work, write};
use traverse::pauses::model::{Pause, Span};
use traverse::pauses::{self, Overlaps};
use traverse::revisions::Learner;
use traverse::rings::pause_over::spread_all;
use traverse::schema::{pauses as rows_of_pauses, revisions, schedule_entries, users};
use traverse::submissions::content::{Order, SubmissionBody};
use traverse::submissions::{Lost, accept};

/// Revisions that are overdue.
const OVERDUE: i64 = 3;

fn start() -> At {
    At::from(START.parse::<DateTime<Utc>>().unwrap())
}

/// Somebody who does one revision a day, has some overdue, and a pause that ended yesterday.
fn somebody(db: &mut Db, number: i64) -> (Learner, Pause) {
    let now = start();
    let id = User::add(db, &format!("user{number}")).id;
    diesel::update(users::table.find(id)).set(users::daily_cap.eq(1)).execute(db).unwrap();
    let learner = learners(db).remove(&id).unwrap();
    for problem in 0..OVERDUE {
        let at = *now - TimeDelta::days(20) + TimeDelta::minutes(problem);
        let body = json!({"problem": {"platform": "leetcode", "slug": format!("p{problem}")},
            "verdict": "accepted", "happened_at": at, "external_id": problem.to_string()});
        let order: Order =
            serde_json::from_value::<SubmissionBody>(body).unwrap().read(None, now).unwrap();
        let taken: Work<_, Lost> = write(db, |db| accept(db, &learner, &order, now));
        taken.unwrap();
    }
    let today = now.date_naive();
    let yesterday = today - Days::new(1);
    let span = Span::new(yesterday, yesterday, today).unwrap();
    let pause: Work<_, Overlaps> = write(db, |db| pauses::begin(db, id, span, now));
    (learner, pause.unwrap())
}

/// Spreads over a pool of its own, as a process does that begins and ends.
fn live(database: &Database, learner: &Learner, pause: &Pause, call: i64) -> bool {
    let kill = Kill::watch(database);
    let pool = Pool::open(&database.location, 1).unwrap();
    kill.arm(call);
    let spread: Work<()> = System::new().block_on(spread_all(&pool, learner, pause.id, start()));
    // Before the pool closes, which calls the database too.
    let struck = kill.has_struck();
    kill.disarm(database);
    drop(pool);
    assert_eq!(spread.is_err(), struck, "{spread:?}");
    struck
}

on_both! {
    fn at_any_call_all_is_spread_once(database: Database) {
        // It is open before anybody watches.
        let mut db = database.connect();
        let today = start().date_naive();
        let mut struck = 0;
        for call in 1.. {
            let (learner, pause) = somebody(&mut db, call);
            let was_killed = live(&database, &learner, &pause, call);
            // Somebody goes on, and somebody else comes when all is done.
            live(&database, &learner, &pause, 0);
            live(&database, &learner, &pause, 0);
            let due: Vec<NaiveDate> = revisions::table
                .filter(revisions::user_id.eq(learner.user_id))
                .order(revisions::due_on)
                .select(revisions::due_on)
                .load(&mut db)
                .unwrap();
            assert_eq!(due, [0, 1, 2].map(|days| today + Days::new(days)), "call {call}");
            let entries = schedule_entries::table
                .filter(schedule_entries::user_id.eq(learner.user_id))
                .filter(schedule_entries::event.eq("pause_spread"));
            assert_eq!(entries.count().get_result(&mut db), Ok(OVERDUE), "call {call}");
            let spread_at = rows_of_pauses::table.find(pause.id).select(rows_of_pauses::spread_at);
            let spread_at: Option<At> = spread_at.first(&mut db).unwrap();
            assert_eq!(spread_at, Some(start()), "call {call}");
            if !was_killed {
                break;
            }
            struck += 1;
        }
        assert!(struck > 20, "only {struck} kills struck");
        assert_hold(&mut db);
    }
}
