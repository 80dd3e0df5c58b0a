//! The self-check at start: a database whose guards are not those of the program is refused.

use crate::harness::process::command;
use crate::harness::{Backend, Database, on_both};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use std::collections::HashSet;
use traverse::app::guards;
use traverse::db::Db;
use traverse::db::catalogue::{Unguarded, check};
use traverse::db::guard::Guard;

#[derive(QueryableByName)]
struct Definition {
    #[diesel(sql_type = Text)]
    definition: String,
}

/// The statement that makes the index again.
fn definition(db: &mut Db, guard: &Guard) -> String {
    let found: Definition = match db {
        Db::Postgres(conn) => {
            diesel::sql_query("select indexdef as definition from pg_indexes where indexname = $1")
                .bind::<Text, _>(guard.name)
                .get_result(conn)
        }
        Db::Sqlite(conn) => {
            diesel::sql_query("select sql as definition from sqlite_schema where name = ?")
                .bind::<Text, _>(guard.name)
                .get_result(conn)
        }
    }
    .unwrap_or_else(|error| panic!("{}: {error}", guard.name));
    found.definition
}

fn replace(db: &mut Db, guard: &Guard, statement: &str) {
    db.batch_execute(&format!("drop index {}; {statement}", guard.name)).unwrap();
}

on_both! {
    fn every_guard_is_missed(database: Database) {
        let mut db = database.connect();
        let all = guards();
        assert!(all.len() >= 14, "only {}", all.len());
        check(&mut db, &all).unwrap();
        for guard in &all {
            let whole = definition(&mut db, guard);
            replace(&mut db, guard, "");
            assert_missing(&mut db, guard);
            db.batch_execute(&whole).unwrap();
            check(&mut db, &all).unwrap();
        }
    }

    fn a_guard_that_is_not_unique_is_none(database: Database) {
        let mut db = database.connect();
        for guard in &guards() {
            let whole = definition(&mut db, guard);
            let plain = whole.to_lowercase().replace("create unique index", "create index");
            assert_ne!(plain, whole.to_lowercase());
            replace(&mut db, guard, &plain);
            assert_missing(&mut db, guard);
            replace(&mut db, guard, &whole);
        }
        check(&mut db, &guards()).unwrap();
    }

    fn a_guard_has_its_own_columns_in_their_order(database: Database) {
        let mut db = database.connect();
        for guard in &guards() {
            let whole = definition(&mut db, guard);
            let number = number_of(guard);
            let mut others = vec![vec![number], [guard.columns, &[number]].concat()];
            if guard.columns.len() > 1 {
                others.push(guard.columns.iter().rev().copied().collect());
                others.push(guard.columns[1..].to_vec());
            }
            for columns in others {
                replace(&mut db, guard, &unique(database.backend, guard, &columns.join(", "), true));
                assert_differs(&mut db, guard);
            }
            replace(&mut db, guard, &whole);
        }
        check(&mut db, &guards()).unwrap();
    }

    fn a_guard_has_its_own_predicate(database: Database) {
        let mut db = database.connect();
        for guard in &guards() {
            let whole = definition(&mut db, guard);
            let columns = guard.columns.join(", ");
            let other = match guard.predicate {
                Some(_) => unique(database.backend, guard, &columns, false),
                None => format!(
                    "{} where {} > 0",
                    unique(database.backend, guard, &columns, false),
                    number_of(guard),
                ),
            };
            replace(&mut db, guard, &other);
            assert_differs(&mut db, guard);
            if guard.predicate.is_some() {
                let narrower = format!(
                    "{} and {} > 0",
                    unique(database.backend, guard, &columns, true),
                    number_of(guard),
                );
                replace(&mut db, guard, &narrower);
                assert_differs(&mut db, guard);
            }
            replace(&mut db, guard, &whole);
        }
        check(&mut db, &guards()).unwrap();
    }

    fn a_process_does_not_start_without_its_guards(database: Database) {
        let mut db = database.connect();
        db.batch_execute("drop index solves_user_id_problem_id").unwrap();
        for arguments in [&["serve"][..], &["doctor"], &["user", "list"]] {
            let output = command(&database).args(arguments).output().unwrap();
            assert!(!output.status.success(), "{arguments:?}");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("solves_user_id_problem_id"), "{said}");
        }
    }
}

/// A column of numbers that the guard does not guard.
fn number_of(guard: &Guard) -> &'static str {
    match guard.table {
        "problem_keys" => "problem_id",
        "login_throttles" => "failures",
        _ => "id",
    }
}

/// A unique index of the guard's name.
fn unique(backend: Backend, guard: &Guard, columns: &str, with_predicate: bool) -> String {
    let predicate = match (guard.predicate.filter(|_| with_predicate), backend) {
        (None, _) => String::new(),
        (Some((sqlite, _)), Backend::Sqlite) => format!(" where {sqlite}"),
        (Some((_, postgres)), Backend::Postgres) => format!(" where {postgres}"),
    };
    format!("create unique index {} on {} ({columns}){predicate}", guard.name, guard.table)
}

#[track_caller]
fn assert_missing(db: &mut Db, guard: &Guard) {
    match check(db, &guards()) {
        Err(Unguarded::Missing(name)) => assert_eq!(name, guard.name),
        other => panic!("{}: {other:?}", guard.name),
    }
}

#[track_caller]
fn assert_differs(db: &mut Db, guard: &Guard) {
    match check(db, &guards()) {
        Err(Unguarded::Differs { name, .. }) => assert_eq!(name, guard.name),
        other => panic!("{}: {other:?}", guard.name),
    }
}

/// An index that PostgreSQL could not finish building guards nothing.
#[test]
fn an_invalid_index_is_none() {
    let database = Database::fresh(Backend::Postgres);
    let mut db = database.connect();
    let guard = &guards()[0];
    db.batch_execute(&format!(
        "update pg_index set indisvalid = false where indexrelid = '{}'::regclass",
        guard.name
    ))
    .unwrap();
    assert_missing(&mut db, guard);
}

#[test]
fn a_guard_is_named_after_what_it_guards() {
    let all = guards();
    let names: HashSet<_> = all.iter().map(|guard| guard.name).collect();
    assert_eq!(names.len(), all.len(), "two have one name");
    for guard in &all {
        assert_eq!(guard.name, format!("{}_{}", guard.table, guard.columns.join("_")));
        let columns = format!("({})", guard.columns.join(", "));
        let predicate = guard.predicate.map_or(String::new(), |(text, _)| format!(" where {text}"));
        assert_eq!(guard.target, format!("{columns}{predicate}"));
    }
}
