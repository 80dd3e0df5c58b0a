//! A broadcast to a large audience, against plain statements that write the same rows at once.

use super::load::Connection;
use super::report::{self, Goal, Row};
use super::scale::size;
use super::seed;
use super::server::{Backend, Database, Server};
use diesel::connection::SimpleConnection;
use std::time::{Duration, Instant};
use traverse::db::Db;

fn rounds() -> usize {
    size(5, 1)
}

fn users() -> usize {
    size(100_000, 1500)
}

pub fn take() -> Vec<Row> {
    Backend::BOTH.into_iter().flat_map(on).collect()
}

fn on(backend: Backend) -> Vec<Row> {
    let database = Database::migrated(backend);
    let mut db = database.connect();
    seed::fill(&mut db, users(), 1);
    db.batch_execute(
        "update users set role = 'admin' where id = 1; \
         update tokens set scopes = 'read write submit admin' where user_id = 1",
    )
    .unwrap();
    let server = Server::start(&database);
    let mut http = Connection::open(server.address);
    let before = server.memory("VmRSS");
    let (mut walked, mut plain) = (Vec::new(), Vec::new());
    for round in 0..rounds() {
        walked.push(rate(broadcast(&mut http)));
        plain.push(rate(at_once(&mut db, round)));
    }
    let grown = (server.memory("VmHWM") - before) / 1024.0 / 1024.0;
    let name = backend.name();
    let (walk, statement) = report::in_the_middle(&walked, &plain);
    vec![
        Row::ratio(
            format!(
                "A broadcast to {} on {name}: notifications with their deliveries a second, \
                 against one `INSERT … SELECT` for each of the two tables",
                users()
            ),
            Goal::AtLeast(0.6),
            report::ratios(&walked, &plain),
            format!("{walk:.0}/s against {statement:.0}/s, from the request to the last row"),
        ),
        Row::plain(
            format!("Memory that the broadcasts took on {name}"),
            "MiB",
            vec![grown],
            "`VmHWM` after them less `VmRSS` before",
        ),
    ]
}

/// Users told in a second.
fn rate(took: Duration) -> f64 {
    super::load::number(users()) / took.as_secs_f64()
}

fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} /api/v1/admin/broadcasts{path} HTTP/1.1\r\nHost: traverse\r\n\
         Authorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n\
         {body}",
        seed::token(1),
        body.len()
    )
    .into_bytes()
}

/// From the request to the last row. It is asked so rarely that asking costs nothing.
fn broadcast(http: &mut Connection) -> Duration {
    let body = r#"{"title": "Down on Sunday", "body": "For an hour", "audience": "all"}"#;
    let began = Instant::now();
    let made = http.send(&request("POST", "", body)).expect(201).json();
    let show = request("GET", &format!("/{}", made["id"]), "");
    loop {
        let shown = http.send(&show).expect(200).json();
        if shown["status"] == "completed" {
            assert_eq!(shown["progress"]["told"], users());
            return began.elapsed();
        }
        assert!(began.elapsed() < Duration::from_mins(10), "{shown}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The same rows, by a statement for each table and nothing else.
fn at_once(db: &mut Db, round: usize) -> Duration {
    let now = "2026-01-01T00:00:00.000000Z";
    let began = Instant::now();
    db.batch_execute(&format!(
        "begin; \
         insert into notifications (user_id, kind, dedup_key, title, body, created_at) \
         select id, 'broadcast', 'broadcast:plain-{round}', 'Down on Sunday', 'For an hour', \
           '{now}' from users; \
         insert into deliveries (notification_id, channel, state, due_at, finished_at) \
         select id, 'in_app', 'sent', '{now}', '{now}' from notifications \
         where dedup_key = 'broadcast:plain-{round}'; \
         commit"
    ))
    .unwrap();
    began.elapsed()
}
