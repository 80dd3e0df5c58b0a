//! Ingest on PostgreSQL: whole transactions a second over HTTP, against the same rows written by
//! one statement each through pgbench.

use super::load;
use super::report::{self, Goal, Row};
use super::scale::size;
use super::seed;
use super::server::{Backend, Database, Server};
use super::submission;
use diesel::RunQueryDsl;
use diesel::sql_types::Text;
use std::process::Command;
use std::time::Duration;
use traverse::db::{Db, Location};

fn rounds() -> usize {
    size(7, 1)
}

const CONNECTIONS: usize = 16;

fn seconds() -> u64 {
    size(5, 1)
}

/// Without the script and the address.
const PGBENCH: [&str; 4] = ["--no-vacuum", "--protocol=prepared", "--client=16", "--jobs=2"];
const SCRIPT: &str = "benches/figures/ingest.sql";

pub fn take() -> Vec<Row> {
    let database = Database::migrated(Backend::Postgres);
    seed::fill(&mut database.connect(), seed::USERS, seed::PROBLEMS);
    let server = Server::start(&database);
    let (mut ours, mut theirs, mut processor) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds() {
        let time = Duration::from_secs(if round == 0 { 2 } else { seconds() });
        let before = server.processor();
        let load = load::rate(server.address, CONNECTIONS, time, 201, |connection, number| {
            submission::new(round, connection, number)
        });
        let used = server.processor() - before;
        let reference = pgbench(&database.location, time);
        if round == 0 {
            // It has filled the caches and the pool; its rows can be compared.
            let mut db = database.connect();
            assert_same_rows(&mut db);
            // As the database itself does after some time: until then plans count on empty tables.
            seed::settle(&mut db);
        } else {
            ours.push(load.rate);
            processor.push(used / load.sent);
            theirs.push(reference);
        }
    }
    let (one, other) = report::in_the_middle(&ours, &theirs);
    let detail = format!("{one:.0}/s against {other:.0}/s, {CONNECTIONS} connections each");
    let what = "`POST /submissions` on PostgreSQL: full transactions a second, against pgbench \
                with one statement each";
    let command = format!("pgbench {} --time={} --file={SCRIPT}", PGBENCH.join(" "), seconds());
    vec![
        Row::ratio(what, Goal::AtLeast(0.5), report::ratios(&ours, &theirs), detail)
            .against(command),
        Row::plain(
            "Processor time for a submission on PostgreSQL",
            "ms",
            processor,
            "of the server's process, without the database's",
        ),
    ]
}

fn pgbench(location: &Location, time: Duration) -> f64 {
    let Location::Postgres(url) = location else { panic!("{location:?} is not PostgreSQL") };
    let output = Command::new("pgbench")
        .args(PGBENCH)
        .arg(format!("--time={}", time.as_secs()))
        .arg(format!("--file={}/{SCRIPT}", env!("CARGO_MANIFEST_DIR")))
        .arg(url)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{failed}");
    text.lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| panic!("pgbench tells no rate: {text}{failed}"))
}

#[derive(diesel::QueryableByName)]
struct Filled {
    #[diesel(sql_type = Text)]
    columns: String,
}

/// The reference writes the same columns of the same tables, so that the ratio compares like with
/// like also when the schema has changed.
fn assert_same_rows(db: &mut Db) {
    // Which of the two entries of a first solve comes first is nobody's concern.
    let xp = "xp_entries where reason = 'first_solve'";
    let closing = ["ring_days", "notifications", "deliveries"];
    for rows in ["solves", xp, "revisions", "submissions"].into_iter().chain(closing) {
        let filled = |order: &str| -> String {
            let statement = format!(
                "select string_agg(key, ' ' order by key) as columns \
                   from jsonb_each((select to_jsonb(one) from \
                          (select * from {rows} order by id {order} limit 1) as one)) \
                  where value <> 'null'"
            );
            let Db::Postgres(connection) = &mut *db else { panic!("this is PostgreSQL's") };
            diesel::sql_query(statement).get_result::<Filled>(connection).unwrap().columns
        };
        let ((ours, theirs), mut filled) = (("asc", "desc"), filled);
        assert_eq!(filled(ours), filled(theirs), "the columns that are filled in {rows}");
    }
}
