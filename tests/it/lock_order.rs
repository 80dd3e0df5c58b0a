//! Whoever locks several rows does so in the order that `src/db/tx.rs` states: nobody waits in a
//! circle, and nobody is made to begin again.

use crate::harness::devices::register;
use crate::harness::invariants::{assert_hold, learners};
use crate::harness::people::friends;
use crate::harness::race::{Racers, race_rounds, rounds};
use crate::harness::rows::User;
use crate::harness::server::START;
use crate::harness::{Database, Server, on_both};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::db::tx::{Stopped, Work, write};
use traverse::import::batch::{self, Context, NotRunning, Progress, Run};
use traverse::import::formats::{Options, Row, read};
use traverse::import::guards::create_import;
use traverse::import::model::{NewImport, Status, Tally};
use traverse::import::standing::Standings;
use traverse::import::titles::Titles;
use traverse::notifications::model::Kind;
use traverse::revisions::rating::Rating;
use traverse::revisions::{Learner, imported as schedules};
use traverse::rings::revised;
use traverse::schema::{jobs, notifications, users};
use traverse::solves;
use traverse::submissions::content::{Order, SubmissionBody};
use traverse::submissions::guards::bury_once;
use traverse::submissions::triage::{Triage, triage};
use traverse::submissions::{Lost, accept};

on_both! {
    fn triage_and_the_deletion_of_the_solve(server: Server) {
        let ada = server.register("ada");
        let learner = learners(&mut server.database.connect()).into_values().next().unwrap();
        let now = server.app.clock.now();
        let easy = Triage { rating: Some(Rating::Easy), notes: None, dismiss: false };
        race_rounds(&server.database, |racers, round| {
            let body = json!({"verdict": "accepted",
                "problem": {"platform": "leetcode", "slug": format!("p{round}")}});
            let made = ada.post_with_key("/api/v1/submissions", &format!("k{round}"), &body);
            let made = made.expect(201).body;
            let id = made["submission"]["id"].as_i64().unwrap();
            let solve = made["solve"]["id"].as_i64().unwrap();
            let attempts = AtomicUsize::new(0);
            let callers = racers.race(|db, caller| {
                let begin = || attempts.fetch_add(1, Ordering::Relaxed);
                match caller % 4 {
                    1 => settled(write(db, |db| {
                        begin();
                        solves::delete(db, &learner, solve, now)
                    })),
                    3 => settled(write(db, |db: &mut Db| -> Work<bool> {
                        begin();
                        Ok(bury_once(db, learner.user_id, id, now)?)
                    })),
                    _ => settled(write(db, |db| {
                        begin();
                        triage(db, &learner, id, &easy, now)
                    })),
                }
            });
            assert_eq!(attempts.into_inner(), callers.len(), "somebody had to begin again");
        });
    }

    fn what_is_done_on_one_day(server: Server) {
        let ada = server.register("ada");
        let learner = learners(&mut server.database.connect()).into_values().next().unwrap();
        let now = server.app.clock.now();
        race_rounds(&server.database, |racers, round| {
            let due = solved(&format!("due{round}"), "2026-08-01T10:00:00Z", &format!("d{round}"));
            let due = ada.post("/api/v1/submissions", &due).expect(201).body;
            let revision = due["next_revisions"][0]["id"].as_i64().unwrap();
            let attempts = AtomicUsize::new(0);
            let callers = racers.race(|db, caller| {
                let begin = || attempts.fetch_add(1, Ordering::Relaxed);
                let new = |slug: &str| {
                    let number = format!("{slug}-{round}-{caller}");
                    order(solved(slug, "2026-09-01T11:00:00Z", &number), now)
                };
                match caller % 4 {
                    0 => settled(write(db, |db| -> Work<_, Lost> {
                        begin();
                        accept(db, &learner, &new(&format!("new{round}-{caller}")), now)
                    })),
                    1 => settled(write(db, |db| -> Work<_, Lost> {
                        begin();
                        accept(db, &learner, &new(&format!("due{round}")), now)
                    })),
                    2 => settled(write(db, |db| {
                        begin();
                        revised::complete(db, &learner, revision, Rating::Good, None, now)
                    })),
                    _ => settled(write(db, |db| {
                        begin();
                        revised::undo(db, &learner, revision, now)
                    })),
                }
            });
            assert_eq!(attempts.into_inner(), callers.len(), "somebody had to begin again");
        });
        assert_hold(&mut server.database.connect());
    }

    /// Ada's notification holds the run that sends it. Bob, her friend, holds the row of the two, and
    /// tells Carol of their streak, which wants that run.
    fn friends_who_close_a_day(database: Database) {
        let mut db = database.connect();
        let [ada, bob, carol] = ["ada", "bob", "carol"].map(|name| User::add(&mut db, name));
        for (number, user) in [ada, carol].into_iter().enumerate() {
            register(&mut db, user, &format!("https://push.example.org/{number}"));
        }
        friends(&mut db, (ada, bob));
        friends(&mut db, (bob, carol));
        // One solve closes a day, whatever is due.
        diesel::update(users::table).set(users::goal_revisions.eq(0)).execute(&mut db).unwrap();
        let learners = learners(&mut db);
        race_rounds(&database, |racers, round| {
            let days = TimeDelta::days(i64::try_from(round).unwrap());
            let now = At::from(*START.parse::<DateTime<Utc>>().map(At::from).unwrap() + days);
            let close = |db: &mut Db, user: User, number: usize| {
                let name = format!("{round}-{}-{number}", user.id);
                let order = order(solved(&name, &now.to_rfc3339(), &name), now);
                accept(db, &learners[&user.id], &order, now)
            };
            settled(write(&mut db, |db| close(db, carol, 0)));
            sent(&mut db);
            let attempts = AtomicUsize::new(0);
            let callers = racers.race(|db, caller| {
                settled(write(db, |db| {
                    attempts.fetch_add(1, Ordering::Relaxed);
                    close(db, if caller % 2 == 0 { ada } else { bob }, caller)
                }));
            });
            assert_eq!(attempts.into_inner(), callers.len(), "somebody had to begin again");
            let told: i64 = notifications::table
                .filter(notifications::kind.eq(Kind::FriendStreak))
                .count()
                .get_result(&mut db)
                .unwrap();
            assert_eq!(told, 4 * i64::try_from(round + 1).unwrap(), "two pairs, each of two");
        });
    }

    fn imports_and_submissions(server: Server) {
        let ada = server.register("ada");
        let learner = learners(&mut server.database.connect()).into_values().next().unwrap();
        let now = server.app.clock.now();
        let racers = Racers::new(&server.database, 8);
        for round in 0..rounds(server.database.backend, 8) {
            let slugs = ["a", "b"].map(|name| format!("{name}{round}"));
            for slug in &slugs {
                let first = solved(slug, "2026-08-20T10:00:00Z", &format!("first {slug}"));
                ada.post("/api/v1/submissions", &first).expect(201);
            }
            // All bring the same numbers; the files also an earlier first solve, each in its order.
            let mut bodies = slugs.each_ref().map(|slug| {
                solved(slug, "2026-08-10T10:00:00Z", &format!("second {slug}"))
            });
            let orders = bodies.clone().map(|body| order(body, now));
            let one = rows_of(&bodies, now);
            bodies.reverse();
            let files = [one, rows_of(&bodies, now)];
            let attempts = AtomicUsize::new(0);
            let callers = racers.race(|db, caller| {
                let begin = || attempts.fetch_add(1, Ordering::Relaxed);
                match caller % 4 {
                    which @ (0 | 1) => settled(write(db, |db| {
                        begin();
                        import(db, &learner, &files[which], now)
                    })),
                    which => settled(write(db, |db| -> Work<_, Lost> {
                        begin();
                        accept(db, &learner, &orders[which - 2], now)
                    })),
                }
            });
            assert_eq!(attempts.into_inner(), callers.len(), "somebody had to begin again");
        }
        assert_hold(&mut server.database.connect());
    }
}

/// Nothing waits to be sent.
fn sent(db: &mut Db) {
    diesel::delete(jobs::table).execute(db).unwrap();
}

fn solved(slug: &str, at: &str, number: &str) -> Value {
    json!({"problem": {"platform": "leetcode", "slug": slug}, "verdict": "accepted",
           "happened_at": at, "external_id": number})
}

fn order(body: Value, now: At) -> Order {
    serde_json::from_value::<SubmissionBody>(body).unwrap().read(None, now).unwrap()
}

/// The rows of a file of submissions.
fn rows_of(bodies: &[Value], now: At) -> Vec<Row> {
    let options = Options { format: None, time_zone: chrono_tz::UTC, date_order: None, now: *now };
    let mut rows = Vec::new();
    read(json!(bodies).to_string().as_bytes(), &options, &mut |row| {
        rows.push(row);
        ControlFlow::Continue(())
    })
    .unwrap();
    rows
}

/// Takes in a file of one batch.
fn import(db: &mut Db, learner: &Learner, rows: &[Row], now: At) -> Work<(), NotRunning> {
    let new = NewImport {
        user_id: learner.user_id,
        idempotency_key: None,
        fingerprint: None,
        status: Status::Running,
        format: "traverse".to_owned(),
        detected: None,
        zone_assumed: None,
        remarks: "[]".to_owned(),
        total: 2,
        tally: Tally::default(),
        attempt: 1,
        created_at: now,
        touched_at: now,
        file_id: None,
    };
    let import = create_import(db, &new)?.unwrap();
    let context = Context {
        learner: learner.clone(),
        run: Some(Run { import_id: import.id, attempt: 1 }),
        now,
        opened_at: now,
        is_fresh: Arc::default(),
        has_unlike: false,
        numbers: HashMap::new(),
        titles: Titles::default(),
    };
    let spread = schedules::spread(db, learner, now)?;
    let progress = Progress { standings: Standings::default(), spread };
    batch::take(db, &context, &progress, rows, now).map(drop)
}

/// What was done, or refused, or is to be looked at again; a failing statement is none of these.
fn settled<T, Reason>(done: Work<T, Reason>) {
    match done {
        // A batch that finds what has come in meanwhile is rolled back, and looked at again.
        Ok(_) | Err(Stopped::Because(_) | Stopped::Database(diesel::NotFound)) => {}
        Err(Stopped::Database(error)) => panic!("{error}"),
        Err(Stopped::Pool(error)) => panic!("{error}"),
    }
}
