//! An import of 100,000 rows, against `COPY` and `INSERT … SELECT` of the very rows that it made.

use super::load::{self, Connection};
use super::report::{self, Goal, Row, median};
use super::seed;
use super::server::{Backend, Database, Server};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use traverse::db::Location;

const ROUNDS: usize = 5;
const ROWS: usize = 100_000;

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
    let file = csv();
    let (mut ours, mut theirs, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (database, rate, peak) = import(Backend::Postgres, &file);
        ours.push(rate);
        peaks.push(peak);
        theirs.push(reference(&database));
    }
    let detail = format!("{:.0} rows/s against {:.0} rows/s", median(&ours), median(&theirs));
    let what = format!("Import of {ROWS} rows on PostgreSQL, against COPY and INSERT … SELECT");
    let mut rows = vec![
        Row::ratio(what, Goal::AtLeast(0.25), report::ratios(&ours, &theirs), detail)
            .against("psql: \\copy into a staging table, then INSERT … SELECT, for each table"),
        peak(Backend::Postgres, peaks),
    ];
    let (mut ours, mut peaks) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (_, rate, peak) = import(Backend::Sqlite, &file);
        ours.push(rate);
        peaks.push(peak);
    }
    let what = format!("Import of {ROWS} rows on SQLite");
    rows.extend([
        Row::plain(what, "rows/s", ours, "CSV, every row another problem"),
        peak(Backend::Sqlite, peaks),
    ]);
    rows
}

fn peak(backend: Backend, peaks: Vec<f64>) -> Row {
    let what = format!("Peak memory of that import on {}", backend.name());
    Row::plain(what, "MiB", peaks, "`VmHWM` of the server")
}

/// Every row another problem, over some years.
fn csv() -> String {
    let mut file = String::from("url,difficulty,date,language\n");
    for row in 0..ROWS {
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
fn import(backend: Backend, file: &str) -> (Database, f64, f64) {
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
    assert_eq!(answer["imported"], ROWS, "{answer}");
    let peak = server.memory("VmHWM") / 1024.0 / 1024.0;
    (database, load::number(ROWS) / seconds, peak)
}

/// Writes the rows of an import once more, into an empty database, and gives rows of its file a
/// second.
fn reference(imported: &Database) -> f64 {
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
    load::number(ROWS) / began.elapsed().as_secs_f64()
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
