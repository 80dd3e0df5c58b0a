//! Statements that only the concrete backends can speak: upserts and batches.

use super::Db;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::methods::{ExecuteDsl, LoadQuery};
use diesel::sqlite::Sqlite;

/// Rows that one statement takes at most: with 32 columns each they stay below the 32,766 values
/// that SQLite can bind, and the 65,535 of PostgreSQL.
pub const BATCH: usize = 1000;

/// Runs one typed statement on whichever database is open. It compiles only if both accept it.
pub trait OnEither: Sized {
    /// Like [`RunQueryDsl::get_result`].
    ///
    /// # Errors
    /// As there.
    fn get_result_on<'query, U>(self, db: &mut Db) -> QueryResult<U>
    where
        Prepared<Self>: LoadQuery<'query, PgConnection, U> + LoadQuery<'query, SqliteConnection, U>,
    {
        match db {
            Db::Postgres(conn) => Prepared(self).get_result(conn),
            Db::Sqlite(conn) => Prepared(self).get_result(conn),
        }
    }

    /// Like [`RunQueryDsl::load`], for a statement whose text never varies.
    ///
    /// # Errors
    /// As there.
    fn load_on<'query, U>(self, db: &mut Db) -> QueryResult<Vec<U>>
    where
        Prepared<Self>: LoadQuery<'query, PgConnection, U> + LoadQuery<'query, SqliteConnection, U>,
    {
        match db {
            Db::Postgres(conn) => Prepared(self).load(conn),
            Db::Sqlite(conn) => Prepared(self).load(conn),
        }
    }

    /// Like [`RunQueryDsl::get_results`], for a batch: its text differs with its size, so it is
    /// not kept prepared.
    ///
    /// # Errors
    /// As there.
    fn get_results_on<'query, U>(self, db: &mut Db) -> QueryResult<Vec<U>>
    where
        Self: LoadQuery<'query, PgConnection, U> + LoadQuery<'query, SqliteConnection, U>,
    {
        match db {
            Db::Postgres(conn) => self.get_results(conn),
            Db::Sqlite(conn) => self.get_results(conn),
        }
    }

    /// Like [`RunQueryDsl::execute`], for what runs rarely: where a statement returns nothing, Diesel
    /// looks through [`Prepared`], and does not keep it. What runs often returns a column.
    ///
    /// # Errors
    /// As there.
    fn execute_on(self, db: &mut Db) -> QueryResult<usize>
    where
        Self: ExecuteDsl<PgConnection> + ExecuteDsl<SqliteConnection>,
    {
        match db {
            Db::Postgres(conn) => ExecuteDsl::execute(self, conn),
            Db::Sqlite(conn) => ExecuteDsl::execute(self, conn),
        }
    }

    /// Like [`RunQueryDsl::execute`], for a batch.
    ///
    /// # Errors
    /// As there.
    fn execute_batch_on(self, db: &mut Db) -> QueryResult<usize>
    where
        Self: ExecuteDsl<PgConnection> + ExecuteDsl<SqliteConnection>,
    {
        match db {
            Db::Postgres(conn) => ExecuteDsl::execute(self, conn),
            Db::Sqlite(conn) => ExecuteDsl::execute(self, conn),
        }
    }
}

impl<Statement> OnEither for Statement {}

/// A statement whose text never varies, so that the connection keeps it prepared.
///
/// Diesel refuses to keep any statement that holds a piece of literal SQL. The only such piece
/// here is the target of a [`super::guard::Guard`], which is `'static`.
#[derive(Debug)]
pub struct Prepared<Statement>(Statement);

impl<Statement> QueryId for Prepared<Statement> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Statement: Query> Query for Prepared<Statement> {
    type SqlType = Statement::SqlType;
}

impl<Statement, Conn> RunQueryDsl<Conn> for Prepared<Statement> {}

impl<Statement: QueryFragment<Pg>> QueryFragment<Pg> for Prepared<Statement> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &Pg) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<Statement: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Prepared<Statement> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &Sqlite) -> QueryResult<bool> {
        Ok(true)
    }
}
