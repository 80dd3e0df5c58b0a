//! Ingest on SQLite: whole transactions a second over HTTP, against a bare loop that runs the same
//! statements, prepared, in a transaction each, as durably, on the same disk.

use super::load;
use super::report::{self, Goal, Row};
use super::scale::size;
use super::seed;
use super::server::{Backend, Database, Server};
use super::submission;
use rusqlite::{Connection, OptionalExtension, params};
use std::time::{Duration, Instant};

fn rounds() -> usize {
    size(7, 1)
}

const CONNECTIONS: usize = 16;

fn seconds() -> u64 {
    size(5, 1)
}

const NOW: &str = "2026-09-01T12:00:00.123456Z";
const FINGERPRINT: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const EFFECTS: &str = r#"{"first_solve":true,"became_first":false,"xp_awarded":20,"revisions_completed":[],"next_revisions":[{"id":1234567,"solve_id":1234567,"revision_number":1,"kind":"adaptive","state":"pending","scheduled_on":"2026-09-01","due_on":"2026-09-03","interval_days":2,"ladder_step":null,"stability":2.3065,"difficulty":2.11810397,"rating":null,"completed_on":null,"created_at":"2026-09-01T12:00:00.123456Z","updated_at":"2026-09-01T12:00:00.123456Z"}]}"#;

pub fn take() -> Vec<Row> {
    let database = Database::migrated(Backend::Sqlite);
    seed::fill(&mut database.connect(), seed::USERS, seed::PROBLEMS);
    let reference = open(&database);
    let server = Server::start(&database);
    let (mut ours, mut theirs, mut processor) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds() {
        let time = Duration::from_secs(if round == 0 { 2 } else { seconds() });
        let before = server.processor();
        let load = load::rate(server.address, CONNECTIONS, time, 201, |connection, number| {
            submission::new(round, connection, number)
        });
        let used = server.processor() - before;
        let bare = bare_loop(&reference, round, time);
        if round == 0 {
            seed::settle(&mut database.connect());
        } else {
            ours.push(load.rate);
            processor.push(used / load.sent);
            theirs.push(bare);
        }
    }
    let (one, other) = report::in_the_middle(&ours, &theirs);
    let detail = format!("{one:.0}/s over {CONNECTIONS} connections against {other:.0}/s");
    let what = "`POST /submissions` on SQLite: full transactions a second, against the same \
                statements in a bare loop, `synchronous=FULL`";
    vec![
        Row::ratio(what, Goal::AtLeast(0.8), report::ratios(&ours, &theirs), detail),
        Row::plain(
            "Processor time for a submission on SQLite",
            "ms",
            processor,
            "of the server's process",
        ),
    ]
}

fn open(database: &Database) -> Connection {
    let connection = Connection::open(database.file("")).unwrap();
    connection
        .execute_batch(
            "pragma busy_timeout = 10000; pragma journal_mode = wal; pragma synchronous = full; \
             pragma foreign_keys = on; pragma cache_size = -16000; pragma temp_store = memory;",
        )
        .unwrap();
    connection.set_prepared_statement_cache_capacity(32);
    connection
}

fn bare_loop(connection: &Connection, round: usize, time: Duration) -> f64 {
    let began = Instant::now();
    let mut written = 0;
    while began.elapsed() < time {
        let (user, problem) = submission::pair(round, CONNECTIONS, written);
        write(connection, user, problem, &submission::key(round, CONNECTIONS, written)).unwrap();
        written += 1;
    }
    load::number(written) / began.elapsed().as_secs_f64()
}

/// What a new submission makes the program do in its transaction.
fn write(db: &Connection, user: usize, problem: usize, key: &str) -> rusqlite::Result<()> {
    let user = i64::try_from(user).unwrap();
    db.prepare_cached("begin immediate")?.execute([])?;
    let problem: i64 = db
        .prepare_cached(
            "select id from problems where platform = ?1 and slug = ?2 and owner_id is null",
        )?
        .query_row(params!["leetcode", seed::slug(problem)], |row| row.get(0))?;
    let solve: Option<i64> = db
        .prepare_cached(
            "insert into solves (user_id, problem_id, first_solved_at, first_day, time_precision, \
               rating, rating_source, settings_id, created_at, updated_at) \
             values (?1, ?2, ?3, '2026-09-01', 'exact', 'good', 'rule-1', ?1, ?3, ?3) \
             on conflict (user_id, problem_id) do nothing returning id",
        )?
        .query_row(params![user, problem, NOW], |row| row.get(0))
        .optional()?;
    if solve.is_some() {
        db.prepare_cached(
            "insert into xp_entries (user_id, reason, subject_id, amount, solve_id, local_day, \
               created_at) \
             values (?1, 'first_solve', ?2, 20, ?3, '2026-09-01', ?4) \
             on conflict (user_id, reason, subject_id) where turn = 0 do nothing",
        )?
        .execute(params![user, problem, solve, NOW])?;
        db.prepare_cached(
            "insert into revisions (user_id, solve_id, revision_number, kind, state, \
               scheduled_on, due_on, interval_days, stability, difficulty, settings_id, \
               created_at, updated_at) \
             values (?1, ?2, 1, 'adaptive', 'pending', '2026-09-01', '2026-09-03', 2, 2.3065, \
               2.11810397, ?1, ?3, ?3) \
             on conflict (solve_id, revision_number, kind) do nothing returning id",
        )?
        .query_row(params![user, solve, NOW], |_| Ok(()))
        .optional()?;
    }
    db.prepare_cached(
        "insert into submissions (user_id, problem_id, solve_id, judge, idempotency_key, \
           fingerprint, verdict, language, runtime_ms, memory_kb, happened_at, local_day, \
           time_precision, attempts, minutes, source, effects, received_at, updated_at) \
         values (?1, ?2, ?3, 'leetcode', ?4, ?5, 'accepted', 'rust', 12, 2048, ?6, '2026-09-01', \
           'exact', 1, 14.5, 'extension', ?7, ?6, ?6) \
         on conflict do nothing returning id",
    )?
    .query_row(params![user, problem, solve, key, FINGERPRINT, NOW, EFFECTS], |_| Ok(()))?;
    db.prepare_cached("commit")?.execute([])?;
    Ok(())
}
