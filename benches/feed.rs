//! What it costs to fetch a feed of 2,000 revisions: a whole one, and one that the client has.
//!
//! `cargo bench --bench feed`, over HTTP to a server in this process, on SQLite, and on PostgreSQL
//! where `TRAVERSE_TEST_POSTGRES` names a server (`scripts/postgres run cargo bench --bench feed`).
//! Prints medians of rounds in which both are measured in turn.
#![expect(clippy::unwrap_used, reason = "a figure that cannot be taken is no figure")]

#[path = "../tests/it/harness/seed.rs"]
#[expect(dead_code, reason = "the tests need more of it")]
mod seed;

use diesel::connection::SimpleConnection;
use reqwest::blocking::{Client, Response};
use seed::{Problem, Revision, Solve};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use traverse::app::App;
use traverse::clock::Clock;
use traverse::config::{Config, Registration};
use traverse::db::{Db, Location};

const REVISIONS: i32 = 2_000;
const ROUNDS: usize = 7;
const FETCHES: u32 = 40;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.db");
    measure("sqlite", &Location::Sqlite(path.to_str().unwrap().to_owned()));
    if let Ok(server) = std::env::var("TRAVERSE_TEST_POSTGRES") {
        let mut db = Db::open(&Location::Postgres(format!("{server}/postgres"))).unwrap();
        db.batch_execute("drop database if exists bench_feed").unwrap();
        db.batch_execute("create database bench_feed").unwrap();
        measure("postgres", &Location::Postgres(format!("{server}/bench_feed")));
    }
}

fn measure(name: &str, location: &Location) {
    let (url, app) = serve(location.clone());
    let http = Client::new();
    let account = json!({"email": "ada@example.org", "password": "correct horse battery"});
    let session: Value = http
        .post(format!("{url}/api/v1/auth/register"))
        .json(&account)
        .send()
        .unwrap()
        .json()
        .unwrap();
    let user_id = session["user"]["id"].as_i64().unwrap();
    fill(&mut Db::open(location).unwrap(), user_id, &app.clock);
    let token = session["token"].as_str().unwrap();
    let calendar: Value = http
        .get(format!("{url}/api/v1/calendar"))
        .bearer_auth(token)
        .send()
        .unwrap()
        .json()
        .unwrap();
    let feed = calendar["url"].as_str().unwrap();

    let first = http.get(feed).send().unwrap();
    let etag = first.headers()["etag"].to_str().unwrap().to_owned();
    let bytes = first.bytes().unwrap();
    let events = String::from_utf8_lossy(&bytes).matches("BEGIN:VEVENT").count();
    assert_eq!(events, usize::try_from(REVISIONS).unwrap());

    let (mut whole, mut known) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        whole.push(fetches(200, || http.get(feed).send().unwrap()));
        known.push(fetches(304, || http.get(feed).header("If-None-Match", &etag).send().unwrap()));
    }
    let (whole, known) = (median(whole), median(known));
    println!(
        "{name}: {events} events, {} bytes; 200 in {:.2} ms, 304 in {:.2} ms: {:.1} times cheaper",
        bytes.len(),
        whole.as_secs_f64() * 1e3,
        known.as_secs_f64() * 1e3,
        whole.as_secs_f64() / known.as_secs_f64(),
    );
}

/// The time of one of several fetches.
fn fetches(status: u16, fetch: impl Fn() -> Response) -> Duration {
    let began = Instant::now();
    for _ in 0..FETCHES {
        let answer = fetch();
        assert_eq!(answer.status().as_u16(), status);
        assert_eq!(answer.bytes().unwrap().is_empty(), status == 304);
    }
    began.elapsed() / FETCHES
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Half of the revisions pending, half of them completed, four of a solve.
fn fill(db: &mut Db, user_id: i64, clock: &Clock) {
    let today = clock.now().date_naive();
    db.batch_execute("begin").unwrap();
    let mut solve_id = 0;
    for number in 0..REVISIONS {
        let of_solve = number % 4;
        if of_solve == 0 {
            let slug = format!("number-of-problems-{number}");
            let title = format!("Number of Problems {number}");
            let problem_id =
                Problem { slug: &slug, title: Some(&title), ..Problem::default() }.insert(db);
            solve_id = Solve { user_id, problem_id, title: None, difficulty: None }.insert(db);
        }
        let days = chrono::Days::new(u64::try_from(number % 150).unwrap());
        let pending = of_solve >= 2;
        let day = if pending { today + days } else { today - days };
        let day = day.to_string();
        Revision {
            number: of_solve + 1,
            state: if pending { "pending" } else { "completed" },
            due_on: &day,
            completed_on: (!pending).then_some(&day),
            rating: (!pending).then_some("good"),
            ..Revision::default()
        }
        .insert(db, user_id, solve_id);
    }
    db.batch_execute("commit").unwrap();
    db.batch_execute("analyze").unwrap();
}

fn serve(database: Location) -> (String, App) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = listener.local_addr().unwrap();
    let config = Config {
        database,
        connections: 8,
        listen,
        public_url: None,
        secret: None,
        registration: Registration::Open,
        trusted_proxies: Vec::new(),
    };
    let app = App::start(config, Clock::System).unwrap();
    let (sender, receiver) = channel();
    let shared = app.clone();
    std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let server = traverse::http::server::start(shared, listener).unwrap();
            sender.send(()).unwrap();
            server.await.unwrap();
        });
    });
    receiver.recv().unwrap();
    (format!("http://{listen}"), app)
}
