//! `src/schema.rs` is written by hand: it says of every table and column what both databases have.

use crate::harness::{Database, on_both};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use std::collections::BTreeMap;
use traverse::db::Db;

/// A column: its type, and whether it may be null.
type Columns = BTreeMap<String, (String, bool)>;

/// What the file says.
fn written() -> BTreeMap<String, Columns> {
    let text = include_str!("../../src/schema.rs");
    let mut tables = BTreeMap::new();
    for block in text.split("diesel::table! {").skip(1) {
        let block = block.split_once("\n}").unwrap().0;
        let (head, columns) = block.split_once(") {").unwrap();
        let (name, _) = head.rsplit_once('(').unwrap();
        let name = name.split_whitespace().last().unwrap();
        let columns: Columns = columns
            .lines()
            .filter_map(|line| line.trim().trim_end_matches(',').split_once(" -> "))
            .map(|(column, kind)| {
                let inner = kind.strip_prefix("Nullable<").and_then(|kind| kind.strip_suffix('>'));
                (column.to_owned(), (inner.unwrap_or(kind).to_owned(), inner.is_some()))
            })
            .collect();
        tables.insert(name.to_owned(), columns);
    }
    tables
}

#[derive(QueryableByName)]
#[expect(clippy::struct_field_names, reason = "the names of the catalogue")]
struct Column {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    column_name: String,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Bool)]
    nullable: bool,
}

/// What the database has.
fn found(db: &mut Db) -> BTreeMap<String, Columns> {
    let columns: Vec<Column> = match db {
        Db::Postgres(conn) => diesel::sql_query(
            "select table_name::text, column_name::text, data_type::text as kind,
                    is_nullable = 'YES' as nullable
               from information_schema.columns
              where table_schema = current_schema() and table_name not like '\\_\\_diesel%'",
        )
        .load(conn)
        .unwrap(),
        Db::Sqlite(conn) => diesel::sql_query(
            "select t.name as table_name, c.name as column_name, lower(c.type) as kind,
                    c.\"notnull\" = 0 and c.pk = 0 as nullable
               from sqlite_schema t join pragma_table_info(t.name) c
              where t.type = 'table' and t.name not like '\\_\\_diesel%' escape '\\'
                and t.name not like 'sqlite\\_%' escape '\\'",
        )
        .load(conn)
        .unwrap(),
    };
    let mut tables: BTreeMap<String, Columns> = BTreeMap::new();
    for column in columns {
        let table = tables.entry(column.table_name).or_default();
        table.insert(column.column_name, (column.kind, column.nullable));
    }
    tables
}

/// The name that a database has for a type.
fn kind_on(db: &Db, kind: &str) -> &'static str {
    match (db, kind) {
        (Db::Postgres(_), "BigInt") => "bigint",
        (Db::Postgres(_), "Integer")
        | (Db::Sqlite(_), "BigInt" | "Integer" | "SmallInt" | "Bool") => "integer",
        (Db::Postgres(_), "SmallInt") => "smallint",
        (_, "Text") | (Db::Sqlite(_), "Instant" | "Date") => "text",
        (Db::Postgres(_), "Bool") => "boolean",
        (Db::Postgres(_), "Date") => "date",
        (Db::Postgres(_), "Instant") => "timestamp with time zone",
        (Db::Postgres(_), "Double") => "double precision",
        (Db::Sqlite(_), "Double") => "real",
        (Db::Postgres(_), "Binary") => "bytea",
        (Db::Sqlite(_), "Binary") => "blob",
        other => panic!("no test knows the type {}", other.1),
    }
}

on_both! {
    fn every_column_is_as_it_is_written(database: Database) {
        let mut db = database.connect();
        let mut expected = written();
        let count: usize = expected.values().map(BTreeMap::len).sum();
        assert!(expected.len() >= 16 && count >= 150, "only {} with {count}", expected.len());
        for columns in expected.values_mut() {
            for (kind, _) in columns.values_mut() {
                kind_on(&db, kind).clone_into(kind);
            }
        }
        assert_eq!(found(&mut db), expected);
    }

    fn every_column_can_be_selected(database: Database) {
        let mut db = database.connect();
        let mut selected = 0;
        for (table, columns) in written() {
            let names: Vec<&str> = columns.keys().map(String::as_str).collect();
            db.batch_execute(&format!("select {} from {table}", names.join(", "))).unwrap();
            selected += names.len();
        }
        assert!(selected >= 150, "only {selected}");
    }
}
