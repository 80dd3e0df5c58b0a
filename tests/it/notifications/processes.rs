//! Several worker processes, failures and kills: each message is sent, and twice only where a kill
//! fell between sending and marking.

use super::{pass_time, tell};
use crate::harness::devices::register;
use crate::harness::push_service::{Received, Reply};
use crate::harness::rows::User;
use crate::harness::{Backend, Database, Process, PushService, on_both};
use diesel::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use traverse::db::Db;
use traverse::notifications::model::{Channel, State};
use traverse::schema::deliveries;

/// How many messages there are; `scripts/soak` wants more.
fn messages() -> usize {
    let set = std::env::var("TRAVERSE_DELIVERIES").ok();
    set.map_or(300, |text| text.parse().expect("TRAVERSE_DELIVERIES is a number"))
}

/// Between a kill and the reading of what it left unmarked, on a busy machine too.
const SHORTLY: Duration = Duration::from_secs(3);

/// Three in ten fail.
fn fails() -> bool {
    rand::random::<f64>() < 0.3
}

fn open(db: &mut Db) -> i64 {
    deliveries::table.filter(deliveries::finished_at.is_null()).count().get_result(db).unwrap()
}

fn count(db: &mut Db, state: State) -> usize {
    let count: i64 = deliveries::table
        .filter(deliveries::channel.eq(Channel::Push))
        .filter(deliveries::state.eq(state))
        .count()
        .get_result(db)
        .unwrap();
    usize::try_from(count).unwrap()
}

/// Those that were taken more often than once by one device, each with when.
fn doubled(received: &[Received]) -> Vec<Vec<Instant>> {
    let mut taken: BTreeMap<(i64, &str), Vec<Instant>> = BTreeMap::new();
    for one in received.iter().filter(|one| one.is_taken()) {
        taken.entry((one.notification(), one.path.as_str())).or_default().push(one.at);
    }
    taken.into_values().filter(|times| times.len() > 1).collect()
}

on_both! {
    fn each_is_sent_through_failures_and_kills(database: Database) {
        let service = PushService::start();
        service.answers(|_, _| {
            let reply = if fails() { Reply::of(500) } else { Reply::of(201) };
            reply.after(Duration::from_millis(rand::random_range(0..40)))
        });
        let mut db = database.connect();
        let users: Vec<User> = (0..10)
            .map(|number| {
                let user = User::add(&mut db, &format!("user-{number}"));
                for device in 0..=number % 2 {
                    register(&mut db, user, &format!("{}/{number}-{device}", service.url));
                }
                user
            })
            .collect();
        let all = messages();
        for number in 0..all {
            tell(&mut db, users[number % 10].id, &number.to_string());
        }
        let workers = match database.backend {
            Backend::Postgres => 3,
            Backend::Sqlite => 1,
        };
        let (began, mut kills, mut in_flight) = (Instant::now(), Vec::new(), 0);
        while open(&mut db) > 0 {
            assert!(began.elapsed() < Duration::from_mins(20), "{} are open", open(&mut db));
            pass_time(&mut db);
            let mut processes: Vec<Process> = (0..workers)
                .map(|_| Process::worker_with(&database, &["--allow-targets", "127.0.0.1"]))
                .collect();
            // Not before something is on its way, and at any instant after that.
            let before = service.received().len();
            let lives = Duration::from_millis(rand::random_range(20..1500));
            let started = Instant::now();
            while started.elapsed() < Duration::from_secs(10) && open(&mut db) > 0 {
                let is_working = service.received().len() > before;
                if is_working && started.elapsed() > lives {
                    break;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            for process in &mut processes {
                process.kill();
            }
            kills.push(Instant::now());
            in_flight += count(&mut db, State::Sending);
        }
        let received = service.received();
        let sent = count(&mut db, State::Sent);
        let dead = count(&mut db, State::Dead);
        assert_eq!((sent + dead, open(&mut db)), (all, 0));
        // Ten failures in a row are that rare.
        assert!(dead * 100 <= all, "{dead} are dead");
        let told: BTreeSet<i64> =
            received.iter().filter(|one| one.is_taken()).map(Received::notification).collect();
        assert!(told.len() >= sent, "{} of {sent}", told.len());
        let doubled = doubled(&received);
        eprintln!(
            "{all} messages, {} requests, {} kills with {in_flight} on their way, {} taken twice, \
             {dead} dead, {:?}",
            received.len(),
            kills.len(),
            doubled.len(),
            began.elapsed(),
        );
        // What was taken twice was taken shortly before a kill; or after it, where the request was on
        // its way and read late.
        for times in &doubled {
            let explained = times.windows(2).all(|pair| {
                kills.iter().any(|kill| {
                    let before = kill.saturating_duration_since(pair[0]);
                    let late = pair[0].saturating_duration_since(*kill);
                    *kill <= pair[1] && before.max(late) < SHORTLY
                })
            });
            assert!(explained, "it was sent twice, and no kill says why: {times:?}");
        }
        assert!(doubled.len() <= 2 * in_flight, "{} of {in_flight}", doubled.len());
    }
}
