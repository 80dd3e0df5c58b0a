//! An import of 100,000 rows, against a bare writing of the very rows that it made: on PostgreSQL
//! `COPY` and `INSERT … SELECT`, on SQLite prepared inserts in one transaction. And the memory that
//! one of 1,000,000 rows takes.

use super::load::{self, Connection};
use super::report::{self, Goal, Row};
use super::scale::size;
use super::seed;
use super::server::{Backend, Database, Server};
use rusqlite::types::ToSqlOutput;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use traverse::db::Location;

fn rounds() -> usize {
    size(5, 1)
}

fn rows_of_a_round() -> usize {
    size(100_000, 200)
}

/// Rows of the import whose memory is told.
fn many() -> usize {
    size(1_000_000, 400)
}

/// The tables that an import may write to, each behind those that it refers to.
const TABLES: [&str; 8] = [
    "imports",
    "problems",
    "solves",
    "submissions",
    "revisions",
    "schedule_entries",
    "xp_entries",
    "import_rows",
];

pub fn take() -> Vec<Row> {
    let file = csv(rows_of_a_round());
    let mut rows = Vec::new();
    for backend in [Backend::Postgres, Backend::Sqlite] {
        let (mut ours, mut theirs, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds() {
            let (database, rate, peak) = import(backend, &file, rows_of_a_round());
            ours.push(rate);
            peaks.push(peak);
            theirs.push(match backend {
                Backend::Postgres => copy(&database),
                Backend::Sqlite => insert(&database),
            });
        }
        let (one, other) = report::in_the_middle(&ours, &theirs);
        let detail = format!("{one:.0} rows/s against {other:.0} rows/s");
        let (way, command) = match backend {
            Backend::Postgres => (
                "COPY and INSERT … SELECT",
                "psql: \\copy into a staging table, then INSERT … SELECT, for each table",
            ),
            Backend::Sqlite => (
                "prepared inserts in one transaction",
                "a bare loop: one prepared INSERT for each row of each table, one transaction",
            ),
        };
        let what =
            format!("Import of {} rows on {}, against {way}", rows_of_a_round(), backend.name());
        let ratios = report::ratios(&ours, &theirs);
        rows.extend([
            Row::ratio(what, Goal::AtLeast(0.25), ratios, detail).against(command),
            peak(backend, rows_of_a_round(), peaks),
        ]);
    }
    let file = csv(many());
    for backend in [Backend::Postgres, Backend::Sqlite] {
        let (_, _, most) = import(backend, &file, many());
        rows.push(peak(backend, many(), vec![most]));
    }
    rows
}

fn peak(backend: Backend, rows: usize, peaks: Vec<f64>) -> Row {
    let what = format!("Peak memory of an import of {rows} rows on {}", backend.name());
    Row::plain(what, "MiB", peaks, "`VmHWM` of the server; every row another problem")
}

/// Every row another problem, over some years.
fn csv(rows: usize) -> String {
    let mut file = String::from("url,difficulty,date,language\n");
    for row in 0..rows {
        let (year, month, day) = (2016 + row % 10, 1 + row / 10 % 12, 1 + row / 120 % 28);
        let slug = seed::slug(row);
        writeln!(
            file,
            "https://leetcode.com/problems/{slug}/,Medium,{year}-{month:02}-{day:02},rust"
        )
        .unwrap();
    }
    file
}

/// Imports into a new database; gives rows a second, and the most memory in MiB.
fn import(backend: Backend, file: &str, rows: usize) -> (Database, f64, f64) {
    let database = Database::migrated(backend);
    seed::fill(&mut database.connect(), 1, 1);
    let server = Server::start(&database);
    let mut http = Connection::open(server.address);
    let request = format!(
        "POST /api/v1/imports?format=csv HTTP/1.1\r\nHost: traverse\r\n\
         Authorization: Bearer {}\r\nContent-Type: text/csv\r\nContent-Length: {}\r\n\r\n{file}",
        seed::token(1),
        file.len()
    );
    let began = Instant::now();
    let answer = http.send(request.as_bytes()).expect(201).json();
    let seconds = began.elapsed().as_secs_f64();
    assert_eq!(answer["imported"], rows, "{answer}");
    let peak = server.memory("VmHWM") / 1024.0 / 1024.0;
    (database, load::number(rows) / seconds, peak)
}

/// Writes the rows of an import once more, into an empty database, and gives rows of its file a
/// second.
fn copy(imported: &Database) -> f64 {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = |table: &str| folder.path().join(table).to_str().unwrap().to_owned();
    let mut out = String::new();
    for table in TABLES {
        writeln!(out, "\\copy {table} to '{}'", file(table)).unwrap();
    }
    psql(imported, folder.path(), &out);

    let mut statements = String::from("begin;\n");
    for table in TABLES {
        writeln!(
            statements,
            "create temporary table staging (like {table}) on commit drop;\n\
             \\copy staging from '{}'\n\
             insert into {table} overriding system value select * from staging \
               on conflict do nothing;\n\
             drop table staging;",
            file(table)
        )
        .unwrap();
    }
    statements.push_str("commit;\n");
    let database = Database::named(Backend::Postgres, "bench_reference");
    seed::fill(&mut database.connect(), 1, 1);
    let began = Instant::now();
    psql(&database, folder.path(), &statements);
    load::number(rows_of_a_round()) / began.elapsed().as_secs_f64()
}

/// The same on SQLite, by a bare loop.
fn insert(imported: &Database) -> f64 {
    let database = Database::migrated(Backend::Sqlite);
    seed::fill(&mut database.connect(), 1, 1);
    let source = rusqlite::Connection::open(imported.file("")).unwrap();
    let target = rusqlite::Connection::open(database.file("")).unwrap();
    target
        .execute_batch(
            "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; \
             pragma cache_size = -16000; pragma temp_store = memory;",
        )
        .unwrap();
    let began = Instant::now();
    target.execute_batch("begin immediate").unwrap();
    for table in TABLES {
        let mut select = source.prepare(&format!("select * from {table}")).unwrap();
        let columns = 1..=select.column_count();
        let places: Vec<String> = columns.clone().map(|column| format!("?{column}")).collect();
        let places = places.join(", ");
        let statement = format!("insert into {table} values ({places}) on conflict do nothing");
        let mut insert = target.prepare(&statement).unwrap();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in columns.clone() {
                let value = ToSqlOutput::Borrowed(row.get_ref_unwrap(column - 1));
                insert.raw_bind_parameter(column, value).unwrap();
            }
            insert.raw_execute().unwrap();
        }
    }
    target.execute_batch("commit").unwrap();
    load::number(rows_of_a_round()) / began.elapsed().as_secs_f64()
}

fn psql(database: &Database, folder: &Path, statements: &str) {
    let Location::Postgres(url) = &database.location else { panic!("psql is PostgreSQL's") };
    let script = folder.join("script.sql");
    std::fs::write(&script, statements).unwrap();
    let output = Command::new("psql")
        .args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file"])
        .arg(script)
        .arg(url)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
