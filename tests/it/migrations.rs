//! Migrations: they go up and down, one process at a time, and never under a program that does not
//! know them.

use crate::harness::process::command;
use crate::harness::{Backend, Database, Process, on_both};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Output;
use std::thread;
use traverse::db::{Db, migrate};

/// Processes that start at once.
const PROCESSES: usize = 8;

#[derive(QueryableByName, PartialEq, Eq, Debug)]
struct Thing {
    #[diesel(sql_type = Text)]
    thing: String,
}

/// Everything that the schema has, as text, but for Diesel's notes and the counters of SQLite.
fn dump(db: &mut Db) -> Vec<Thing> {
    match db {
        Db::Postgres(conn) => diesel::sql_query(
            "with here as (select current_schema()::regnamespace::oid as schema)
             select thing from (
               select c.relkind::text || ' ' || c.relname || ' ' || coalesce(a.attname || ' ' ||
                      format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull, '') as thing
                 from pg_class c
                 left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
                where c.relnamespace = (select schema from here)
               union all
               select 'constraint ' || conname || ' ' || pg_get_constraintdef(oid)
                 from pg_constraint where connamespace = (select schema from here)
               union all
               select 'index ' || indexdef from pg_indexes where schemaname = current_schema()
               union all
               select 'function ' || proname from pg_proc
                where pronamespace = (select schema from here)
               union all
               select 'type ' || typname from pg_type where typnamespace = (select schema from here)
             ) things where thing not like '%__diesel_schema_migrations%' order by thing",
        )
        .load(conn)
        .unwrap(),
        Db::Sqlite(conn) => diesel::sql_query(
            "select type || ' ' || name || ' ' || coalesce(sql, '') as thing from sqlite_schema
              where tbl_name not in ('__diesel_schema_migrations', 'sqlite_sequence')
              order by thing",
        )
        .load(conn)
        .unwrap(),
    }
}

fn run(database: &Database, arguments: &[&str]) -> Output {
    command(database).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// A database that nobody has touched.
struct Empty(Database);

impl Empty {
    fn fresh(backend: Backend) -> Self {
        Self(Database::empty(backend))
    }
}

on_both! {
    fn down_undoes_up(empty: Empty) {
        let Empty(database) = empty;
        let nothing = dump(&mut database.connect());
        let ran = migrate::run(&database.location).unwrap();
        assert!(!ran.is_empty());
        let full = dump(&mut database.connect());
        assert!(full.len() > nothing.len() + 50, "only {} things", full.len());
        assert_eq!(migrate::run(&database.location).unwrap(), Vec::<String>::new());
        migrate::undo_all(&database.location).unwrap();
        assert_eq!(dump(&mut database.connect()), nothing);
        assert_eq!(migrate::run(&database.location).unwrap(), ran);
        assert_eq!(dump(&mut database.connect()), full);
    }

    fn a_check_changes_nothing(empty: Empty) {
        let Empty(database) = empty;
        let check = run(&database, &["migrate", "--check"]);
        assert_eq!(check.status.code(), Some(1), "{}", said(&check));
        let doctor = run(&database, &["doctor"]);
        assert_eq!(doctor.status.code(), Some(1), "{}", said(&doctor));
        assert!(said(&doctor).contains("to be migrated"), "{}", said(&doctor));
        match &database.location {
            traverse::db::Location::Sqlite(path) => assert!(!Path::new(path).exists()),
            traverse::db::Location::Postgres(_) => {
                let mut db = database.connect();
                let migrated = "select 1 from __diesel_schema_migrations";
                assert!(db.batch_execute(migrated).is_err(), "the check has made a table");
            }
        }
        let migrated = run(&database, &["migrate"]);
        assert!(migrated.status.success(), "{}", said(&migrated));
        assert_eq!(migrated.stdout, check.stdout, "it runs what the check has named");
        let check = run(&database, &["migrate", "--check"]);
        assert!(check.status.success() && check.stdout.is_empty(), "{}", said(&check));
        let doctor = run(&database, &["doctor"]);
        assert!(doctor.status.success(), "{}", said(&doctor));
        let guards = traverse::app::guards().len();
        assert!(said(&doctor).contains(&format!("all {guards} are kept")), "{}", said(&doctor));
    }

    fn processes_that_start_at_once_migrate_once(empty: Empty) {
        let Empty(database) = empty;
        let processes: Vec<Process> = thread::scope(|scope| {
            let starts: Vec<_> =
                (0..PROCESSES).map(|_| scope.spawn(|| Process::on(&database))).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        let known = migrations("postgres").len();
        let migrated: Vec<usize> = processes
            .iter()
            .map(|process| process.log().matches("\"message\":\"migrated\"").count())
            .collect();
        assert_eq!(migrated.iter().sum::<usize>(), known, "{migrated:?}");
        assert_eq!(migrated.iter().filter(|count| **count > 0).count(), 1, "{migrated:?}");
    }

    fn a_newer_schema_is_refused(database: Database) {
        let mut db = database.connect();
        db.batch_execute("insert into __diesel_schema_migrations (version) values ('99991231')")
            .unwrap();
        let before = dump(&mut db);
        for arguments in
            [&["serve"][..], &["migrate"], &["migrate", "--check"], &["doctor"], &["user", "list"]]
        {
            let refused = run(&database, arguments);
            assert!(!refused.status.success(), "{arguments:?}");
            assert!(said(&refused).contains("newer than this program"), "{}", said(&refused));
        }
        assert_eq!(dump(&mut db), before);
    }

    /// One that fails leaves nothing behind, so that it can be run again.
    fn a_migration_that_fails_is_rolled_back(empty: Empty) {
        let Empty(database) = empty;
        let mut db = database.connect();
        // One of the last tables that are made is there already.
        db.batch_execute("create table xp_entries (id integer)").unwrap();
        let before = dump(&mut db);
        migrate::run(&database.location).unwrap_err();
        assert_eq!(dump(&mut db), before);
        db.batch_execute("drop table xp_entries").unwrap();
        assert!(!migrate::run(&database.location).unwrap().is_empty());
    }
}

/// The files of each migration of a database.
fn migrations(backend: &str) -> BTreeMap<String, BTreeSet<String>> {
    let names = |path: &Path| -> BTreeSet<String> {
        std::fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(backend);
    names(&folder).into_iter().map(|name| (name.clone(), names(&folder.join(name)))).collect()
}

#[test]
fn both_databases_have_the_same_migrations() {
    let (sqlite, postgres) = (migrations("sqlite"), migrations("postgres"));
    assert!(!sqlite.is_empty(), "there is none");
    assert_eq!(sqlite, postgres);
    let both = BTreeSet::from(["up.sql".to_owned(), "down.sql".to_owned()]);
    for (name, files) in sqlite {
        assert_eq!(files, both, "{name}");
    }
}
