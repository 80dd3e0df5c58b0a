//! The self-check at start: every guard is in the database as the code believes.

use super::Db;
use super::guard::Guard;
use diesel::prelude::*;
use diesel::sql_types::{Nullable, Text};

/// A guard that the database does not keep.
#[derive(Debug, thiserror::Error)]
pub enum Unguarded {
    /// There is nothing of that name that is unique and valid.
    #[error("the unique index `{0}` is missing or not valid")]
    Missing(&'static str),
    /// It guards something else.
    #[error("the index `{name}` is `{found}`, expected `{expected}`")]
    Differs {
        /// Its name.
        name: &'static str,
        /// What the catalogue says.
        found: String,
        /// What the code relies on.
        expected: String,
    },
    /// The catalogue cannot be read.
    #[error("the catalogue cannot be read: {0}")]
    Database(#[from] diesel::result::Error),
}

#[derive(QueryableByName)]
struct Index {
    #[diesel(sql_type = Text)]
    columns: String,
    #[diesel(sql_type = Nullable<Text>)]
    predicate: Option<String>,
}

const ON_POSTGRES: &str = "\
    select string_agg(pg_get_indexdef(i.indexrelid, k.n, true), ', ' order by k.n) as columns, \
           pg_get_expr(i.indpred, i.indrelid) as predicate \
      from pg_index i \
      join pg_class c on c.oid = i.indexrelid \
      join pg_class t on t.oid = i.indrelid \
      cross join lateral generate_series(1, i.indnkeyatts) as k (n) \
     where c.relname = $1 and t.relname = $2 and c.relnamespace = current_schema()::regnamespace \
       and i.indisunique and i.indisvalid \
     group by i.indexrelid, i.indpred, i.indrelid";

/// SQLite keeps the predicate only in the text of the statement.
const ON_SQLITE: &str = "\
    select (select group_concat(name, ', ') from \
               (select name from pragma_index_info(l.name) order by seqno)) as columns, \
           case when l.partial then substr(m.sql, instr(m.sql, ' where ') + 7) end as predicate \
      from sqlite_schema m \
      join pragma_index_list(m.tbl_name) l on l.name = m.name \
     where m.type = 'index' and m.name = ?1 and m.tbl_name = ?2 and l.\"unique\"";

/// Compares each guard with the catalogue: unique, valid, its columns and its predicate.
///
/// # Errors
/// The first guard that is not kept.
pub fn check(db: &mut Db, guards: &[Guard]) -> Result<(), Unguarded> {
    for guard in guards {
        let index = find(db, guard)?.ok_or(Unguarded::Missing(guard.name))?;
        let predicate = guard.predicate.map(|(sqlite, postgres)| match db {
            Db::Postgres(_) => postgres,
            Db::Sqlite(_) => sqlite,
        });
        let expected = shape(&guard.columns.join(", "), predicate);
        let found = shape(&index.columns, index.predicate.as_deref());
        if found != expected {
            return Err(Unguarded::Differs { name: guard.name, found, expected });
        }
    }
    Ok(())
}

fn shape(columns: &str, predicate: Option<&str>) -> String {
    match predicate {
        None => format!("({columns})"),
        Some(predicate) => format!("({columns}) where {predicate}"),
    }
}

fn find(db: &mut Db, guard: &Guard) -> QueryResult<Option<Index>> {
    let sql = match db {
        Db::Postgres(_) => ON_POSTGRES,
        Db::Sqlite(_) => ON_SQLITE,
    };
    let query = diesel::sql_query(sql).bind::<Text, _>(guard.name).bind::<Text, _>(guard.table);
    match db {
        Db::Postgres(conn) => query.get_result(conn).optional(),
        Db::Sqlite(conn) => query.get_result(conn).optional(),
    }
}
