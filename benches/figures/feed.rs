//! The calendar feed with 2,000 revisions: a whole one, against one that the client has already.

use super::load::{self, Connection};
use super::report::{self, Goal, Row};
use super::scale::size;
use super::seed;
use super::server::{Backend, Database, Server};
use chrono::Days;
use diesel::connection::SimpleConnection;
use std::fmt::Write;
use std::time::Instant;
use traverse::clock::Clock;
use traverse::db::Db;

fn rounds() -> usize {
    size(7, 1)
}

fn revisions() -> u64 {
    size(2_000, 40)
}

fn fetches() -> usize {
    size(40, 2)
}

/// The numbers are what a new user gets in a database without any.
const USER: i64 = 1;

pub fn take() -> Vec<Row> {
    Backend::BOTH.into_iter().flat_map(on).collect()
}

fn on(backend: Backend) -> Vec<Row> {
    let database = Database::migrated(backend);
    let server = Server::start(&database);
    let mut http = Connection::open(server.address);
    let token = register(&mut http);
    fill(&mut database.connect());

    let calendar = format!(
        "GET /api/v1/calendar HTTP/1.1\r\nHost: traverse\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    let calendar = http.send(calendar.as_bytes()).expect(200).json();
    let url = calendar["url"].as_str().unwrap();
    let path = url.splitn(4, '/').nth(3).unwrap();
    let whole = format!("GET /{path} HTTP/1.1\r\nHost: traverse\r\n\r\n");
    let answer = http.send(whole.as_bytes());
    answer.expect(200);
    let events = String::from_utf8_lossy(answer.body).matches("BEGIN:VEVENT").count();
    assert_eq!(u64::try_from(events).unwrap(), revisions());
    let bytes = load::number(answer.body.len());
    let etag = answer.header("etag").unwrap();
    let known = format!("GET /{path} HTTP/1.1\r\nHost: traverse\r\nIf-None-Match: {etag}\r\n\r\n");

    let (mut wholes, mut knowns) = (Vec::new(), Vec::new());
    for _ in 0..rounds() {
        wholes.push(milliseconds(&mut http, &whole, 200));
        knowns.push(milliseconds(&mut http, &known, 304));
    }
    let name = backend.name();
    let (in_full, unchanged) = report::in_the_middle(&wholes, &knowns);
    let detail = format!("304 in {unchanged:.2} ms, 200 in {in_full:.2} ms");
    let what = format!("The feed on {name}: how many times cheaper 304 is than 200");
    vec![
        Row::ratio(what, Goal::AtLeast(5.0), report::ratios(&wholes, &knowns), detail),
        Row::plain(
            format!("The feed on {name}: size"),
            "bytes",
            vec![bytes],
            format!("{} revisions", revisions()),
        ),
    ]
}

fn register(http: &mut Connection) -> String {
    let body = r#"{"email":"ada@example.org","handle":"ada","password":"correct horse battery"}"#;
    let request = format!(
        "POST /api/v1/auth/register HTTP/1.1\r\nHost: traverse\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let session = http.send(request.as_bytes()).expect(201).json();
    assert_eq!(session["user"]["id"], USER);
    session["token"].as_str().unwrap().to_owned()
}

/// Four revisions of each solve: two completed, two pending.
fn fill(db: &mut Db) {
    let today = Clock::System.now().date_naive();
    let made = "2026-01-01T00:00:00.000000Z";
    db.batch_execute("begin").unwrap();
    let solves = revisions() / 4;
    for solve in 1..=solves {
        db.batch_execute(&format!(
            "insert into problems (platform, slug, title, difficulty, created_at, updated_at) \
             values ('leetcode', 'ordinary-problem-{solve}', 'Ordinary Problem {solve}', 'medium', \
               '{made}', '{made}'); \
             insert into solves (user_id, problem_id, first_solved_at, first_day, time_precision, \
               rating, rating_source, settings_id, created_at, updated_at) \
             values ({USER}, {solve}, '{made}', '2026-01-01', 'exact', 'good', 'rule-1', \
               (select settings_id from users where id = {USER}), '{made}', '{made}')"
        ))
        .unwrap();
    }
    let mut insert = String::from(
        "insert into revisions (user_id, solve_id, revision_number, kind, state, scheduled_on, \
           due_on, interval_days, stability, difficulty, settings_id, rating, completed_on, \
           created_at, updated_at) values ",
    );
    for number in 0..revisions() {
        let (solve, step) = (1 + number / 4, 1 + number % 4);
        let days = Days::new(number % 150);
        let (state, day, rest) = if step > 2 {
            ("pending", today + days, "null, null".to_owned())
        } else {
            ("completed", today - days, format!("'good', '{}'", today - days))
        };
        let comma = if number == 0 { "" } else { ", " };
        write!(
            insert,
            "{comma}({USER}, {solve}, {step}, 'adaptive', '{state}', '{day}', '{day}', 3, 3.5, \
             5.5, (select settings_id from users where id = {USER}), {rest}, '{made}', '{made}')"
        )
        .unwrap();
    }
    db.batch_execute(&insert).unwrap();
    db.batch_execute("commit").unwrap();
    seed::settle(db);
}

fn milliseconds(http: &mut Connection, request: &str, status: u16) -> f64 {
    let began = Instant::now();
    for _ in 0..fetches() {
        http.send(request.as_bytes()).expect(status);
    }
    began.elapsed().as_secs_f64() * 1e3 / load::number(fetches())
}
