//! The inbox a million submissions deep, against its first page.

use super::load::Connection;
use super::report::{self, Goal, Row, median};
use super::scale::size;
use super::seed;
use super::server::{Backend, Database, Server};
use diesel::connection::SimpleConnection;
use std::time::Instant;

fn rounds() -> usize {
    size(7, 1)
}

fn depth() -> usize {
    size(1_000_000, 1_000)
}

/// To each of the two pages, in a round.
fn requests() -> usize {
    size(1000, 3)
}

pub fn take() -> Vec<Row> {
    Backend::BOTH.map(on).to_vec()
}

fn on(backend: Backend) -> Row {
    let database = Database::migrated(backend);
    let mut db = database.connect();
    seed::fill(&mut db, 2, seed::PROBLEMS);
    db.batch_execute(&submissions()).unwrap();
    seed::settle(&mut db);
    let server = Server::start(&database);
    let mut http = Connection::open(server.address);
    let deep = deepest(&mut http);
    let (mut firsts, mut deeps) = (Vec::new(), Vec::new());
    for _ in 0..rounds() {
        // Page by page in turn, so that what else happens on the machine hits both alike.
        let (mut first, mut far) = (Vec::new(), Vec::new());
        for _ in 0..requests() {
            first.push(milliseconds(&mut http, ""));
            far.push(milliseconds(&mut http, &format!("&cursor={deep}")));
        }
        firsts.push(median(&first));
        deeps.push(median(&far));
    }
    let (far, first) = report::in_the_middle(&deeps, &firsts);
    let detail = format!(
        "{far:.3} ms against {first:.3} ms, medians of {} requests each, in turn",
        requests()
    );
    let what = format!(
        "A page of the inbox on {} with {} before it, against the first page",
        backend.name(),
        depth()
    );
    Row::ratio(what, Goal::AtMost(1.2), report::ratios(&deeps, &firsts), detail)
}

/// All of one user, with 50 more than are walked past.
fn submissions() -> String {
    format!(
        "insert into submissions (user_id, problem_id, judge, idempotency_key, fingerprint, \
           verdict, language, happened_at, local_day, time_precision, effects, received_at, \
           updated_at) \
         select 1, 1 + i % {}, 'leetcode', 'key-' || i, 'fingerprint', 'wrong_answer', 'rust', \
           '2026-01-01T00:00:00.000000Z', '2026-01-01', 'exact', \
           '{{\"first_solve\":false,\"became_first\":false,\"xp_awarded\":0,\
              \"revisions_completed\":[],\"next_revisions\":[]}}', \
           '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z' \
         from (with recursive n (i) as (select 1 union all select i + 1 from n where i < {}) \
               select i from n) as numbers",
        seed::PROBLEMS,
        depth() + 50
    )
}

fn request(query: &str) -> Vec<u8> {
    format!(
        "GET /api/v1/inbox?{query} HTTP/1.1\r\nHost: traverse\r\nAuthorization: Bearer {}\r\n\r\n",
        seed::token(1)
    )
    .into_bytes()
}

/// Walks past all but the last 50, as a client would.
fn deepest(http: &mut Connection) -> String {
    let mut cursor = String::new();
    for page in 0..depth() / 200 {
        let query = match page {
            0 => "limit=200".to_owned(),
            _ => format!("limit=200&cursor={cursor}"),
        };
        let answer = http.send(&request(&query)).expect(200).json();
        assert_eq!(answer["items"].as_array().unwrap().len(), 200);
        answer["next_cursor"].as_str().unwrap().clone_into(&mut cursor);
    }
    cursor
}

fn milliseconds(http: &mut Connection, cursor: &str) -> f64 {
    let request = request(&format!("limit=50{cursor}"));
    let began = Instant::now();
    let answer = http.send(&request);
    let milliseconds = began.elapsed().as_secs_f64() * 1e3;
    assert_eq!(answer.expect(200).json()["items"].as_array().unwrap().len(), 50);
    milliseconds
}
