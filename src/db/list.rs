//! Many values as one parameter: an array on PostgreSQL, JSON on SQLite. However many there are, the
//! statement has one text, so that a connection keeps it prepared.

use diesel::pg::Pg;
use diesel::query_builder::QueryId;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Array, BigInt, SqlType, Text};
use diesel::sqlite::Sqlite;
use std::fmt::Debug;

/// The SQL type of a list of numbers: `= any($1)`, or `in (select value from json_each($1))`.
#[derive(Copy, Clone, Debug, SqlType, QueryId)]
#[diesel(postgres_type(oid = 1016, array_oid = 0))]
#[diesel(sqlite_type(name = "Text"))]
pub struct Numbers;

/// The SQL type of a list of texts.
#[derive(Copy, Clone, Debug, SqlType, QueryId)]
#[diesel(postgres_type(oid = 1009, array_oid = 0))]
#[diesel(sqlite_type(name = "Text"))]
pub struct Texts;

/// Values that go in as one.
#[derive(Copy, Clone, Debug)]
pub struct List<'a, T>(pub &'a [T]);

impl<T> ToSql<Numbers, Pg> for List<'_, T>
where
    [T]: ToSql<Array<BigInt>, Pg>,
    T: Debug,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Array<BigInt>, Pg>::to_sql(self.0, out)
    }
}

impl<T> ToSql<Texts, Pg> for List<'_, T>
where
    [T]: ToSql<Array<Text>, Pg>,
    T: Debug,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Array<Text>, Pg>::to_sql(self.0, out)
    }
}

impl<T: serde::Serialize + Debug> ToSql<Numbers, Sqlite> for List<'_, T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(serde_json::to_string(self.0)?);
        Ok(IsNull::No)
    }
}

impl<T: serde::Serialize + Debug> ToSql<Texts, Sqlite> for List<'_, T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(serde_json::to_string(self.0)?);
        Ok(IsNull::No)
    }
}
