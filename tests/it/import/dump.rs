//! All that a database holds, as text: what did not change is equal.

use diesel::prelude::*;
use diesel::sql_types::Text;
use std::collections::BTreeMap;
use traverse::db::Db;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// The tables that an import writes to, or must not.
const TABLES: [&str; 11] = [
    "users",
    "problems",
    "solves",
    "submissions",
    "revisions",
    "reviews",
    "schedule_entries",
    "xp_entries",
    "scheduler_settings",
    "calendar_feeds",
    "calendar_retired_tokens",
];

/// Every row of every table but those of the imports themselves.
pub fn dump(db: &mut Db) -> BTreeMap<&'static str, Vec<String>> {
    TABLES.into_iter().map(|table| (table, rows(db, table))).collect()
}

fn rows(db: &mut Db, table: &str) -> Vec<String> {
    let lines: Vec<Line> = match db {
        Db::Postgres(conn) => {
            diesel::sql_query(format!("select t::text as line from {table} t order by 1"))
                .load(conn)
                .unwrap()
        }
        Db::Sqlite(conn) => {
            #[derive(QueryableByName)]
            struct Column {
                #[diesel(sql_type = Text)]
                name: String,
            }
            let columns: Vec<Column> =
                diesel::sql_query(format!("select name from pragma_table_info('{table}')"))
                    .load(conn)
                    .unwrap();
            let quoted: Vec<_> =
                columns.iter().map(|column| format!("quote({})", column.name)).collect();
            let list = quoted.join(" || '|' || ");
            diesel::sql_query(format!("select {list} as line from {table} order by 1"))
                .load(conn)
                .unwrap()
        }
    };
    lines.into_iter().map(|line| line.line).collect()
}

/// What differs, in few lines.
#[track_caller]
pub fn assert_unchanged(
    before: &BTreeMap<&'static str, Vec<String>>,
    after: &BTreeMap<&'static str, Vec<String>>,
) {
    for (table, rows) in before {
        assert!(
            rows == &after[table],
            "{table} changed:\n{:?}",
            first_difference(rows, &after[table])
        );
    }
}

fn first_difference<'a>(
    a: &'a [String],
    b: &'a [String],
) -> (Option<&'a String>, Option<&'a String>) {
    (a.iter().find(|row| !b.contains(row)), b.iter().find(|row| !a.contains(row)))
}
