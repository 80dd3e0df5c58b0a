//! Instants: `timestamptz` on PostgreSQL, RFC 3339 text of fixed width on SQLite (so that text
//! order is time order), [`At`] in Rust. Both keep microseconds.

use super::MultiBackend;
use chrono::{DateTime, Datelike, SecondsFormat, SubsecRound, Utc};
use diesel::backend::Backend;
use diesel::deserialize::{FromSql, FromSqlRow, Result};
use diesel::expression::AsExpression;
use diesel::pg::Pg;
use diesel::query_builder::QueryId;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{HasSqlType, SqlOrd, SqlType, Text, Timestamptz};
use diesel::sqlite::Sqlite;
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use utoipa::ToSchema;

/// The SQL type of an instant.
#[derive(Copy, Clone, Debug, SqlType, QueryId)]
#[diesel(postgres_type(name = "timestamptz"))]
#[diesel(sqlite_type(name = "Text"))]
pub struct Instant;

/// Both databases know the first and the last of instants.
impl SqlOrd for Instant {}

impl HasSqlType<Instant> for MultiBackend {
    fn metadata(lookup: &mut Self::MetadataLookup) -> Self::TypeMetadata {
        MultiBackend::lookup_sql_type::<Instant>(lookup)
    }
}

/// An instant as it is stored: in UTC, to the microsecond.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    AsExpression,
    FromSqlRow,
    ToSchema,
)]
#[diesel(sql_type = Instant)]
#[serde(try_from = "String", into = "DateTime<Utc>")]
#[schema(value_type = DateTime<Utc>)]
pub struct At(DateTime<Utc>);

impl From<DateTime<Utc>> for At {
    /// Cuts off what is finer than a microsecond, so that what is stored is what was meant. A leap
    /// second is the second after it: neither database has one.
    fn from(instant: DateTime<Utc>) -> Self {
        let micros = instant.timestamp_micros();
        Self(DateTime::from_timestamp_micros(micros).unwrap_or_else(|| instant.trunc_subsecs(6)))
    }
}

impl TryFrom<String> for At {
    type Error = BadInstant;

    fn try_from(text: String) -> std::result::Result<Self, BadInstant> {
        let at = Self::from(DateTime::parse_from_rfc3339(&text).map_err(|_| BadInstant)?.to_utc());
        // The text of fixed width has no more digits for a year. Only what is stored counts: the
        // leap second at the end of a year is in the next one.
        if !(0..=9999).contains(&at.year()) {
            return Err(BadInstant);
        }
        Ok(at)
    }
}

/// A text that is no instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an instant such as 2026-09-01T12:00:00Z is expected (RFC 3339)")]
pub struct BadInstant;

impl From<At> for DateTime<Utc> {
    fn from(at: At) -> Self {
        at.0
    }
}

impl Deref for At {
    type Target = DateTime<Utc>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl FromSql<Instant, MultiBackend> for At {
    fn from_sql(raw: <MultiBackend as Backend>::RawValue<'_>) -> Result<Self> {
        raw.from_sql::<Self, Instant>()
    }
}

impl FromSql<Instant, Pg> for At {
    fn from_sql(raw: <Pg as Backend>::RawValue<'_>) -> Result<Self> {
        <DateTime<Utc> as FromSql<Timestamptz, Pg>>::from_sql(raw).map(Self)
    }
}

impl FromSql<Instant, Sqlite> for At {
    fn from_sql(raw: <Sqlite as Backend>::RawValue<'_>) -> Result<Self> {
        let text = <String as FromSql<Text, Sqlite>>::from_sql(raw)?;
        Ok(Self(DateTime::parse_from_rfc3339(&text)?.to_utc()))
    }
}

impl ToSql<Instant, MultiBackend> for At {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, MultiBackend>) -> serialize::Result {
        out.set_value((Instant, self));
        Ok(IsNull::No)
    }
}

impl ToSql<Instant, Pg> for At {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        <DateTime<Utc> as ToSql<Timestamptz, Pg>>::to_sql(&self.0, &mut out.reborrow())
    }
}

impl ToSql<Instant, Sqlite> for At {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.to_rfc3339_opts(SecondsFormat::Micros, true));
        Ok(IsNull::No)
    }
}
