//! All that a database holds, as text: what did not change is equal.

use diesel::prelude::*;
use diesel::sql_types::Text;
use std::collections::BTreeMap;
use traverse::db::Db;

/// Tables that requests and imports write to whatever else they do.
const OTHERS: [&str; 5] =
    ["__diesel_schema_migrations", "import_rows", "imports", "sqlite_sequence", "tokens"];

/// Every row of a table, by the table's name.
pub type Dump = BTreeMap<String, Vec<String>>;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

fn lines(db: &mut Db, sql: &str) -> Vec<String> {
    let lines: Vec<Line> = match db {
        Db::Postgres(conn) => diesel::sql_query(sql).load(conn).unwrap(),
        Db::Sqlite(conn) => diesel::sql_query(sql).load(conn).unwrap(),
    };
    lines.into_iter().map(|line| line.line).collect()
}

/// Every row of every table but those of the imports themselves.
pub fn dump(db: &mut Db) -> Dump {
    let tables = match db {
        Db::Postgres(_) => {
            "select tablename::text as line from pg_tables where schemaname = current_schema()"
        }
        Db::Sqlite(_) => "select name as line from sqlite_schema where type = 'table'",
    };
    let mut tables = lines(db, tables);
    tables.retain(|table| !OTHERS.contains(&table.as_str()));
    assert!(tables.len() > 8, "{tables:?}");
    tables.into_iter().map(|table| (table.clone(), rows(db, &table))).collect()
}

fn rows(db: &mut Db, table: &str) -> Vec<String> {
    let row = match db {
        Db::Postgres(_) => "t::text".to_owned(),
        Db::Sqlite(_) => {
            let sql =
                format!("select 'quote(' || name || ')' as line from pragma_table_info('{table}')");
            lines(db, &sql).join(" || '|' || ")
        }
    };
    lines(db, &format!("select {row} as line from {table} t order by 1"))
}

/// Fails at the first row that is not in both.
#[track_caller]
pub fn assert_unchanged(before: &Dump, after: &Dump) {
    for (table, rows) in before {
        let now = &after[table];
        let gone = rows.iter().find(|row| !now.contains(row));
        let new = now.iter().find(|row| !rows.contains(row));
        assert!(rows == now, "{table} changed:\n- {gone:?}\n+ {new:?}");
    }
}
