//! Migrations. Each process that starts runs them, and one at a time does the work.

use super::{Db, Location, tx};
use diesel::connection::{AnsiTransactionManager, SimpleConnection};
use diesel::dsl::sql;
use diesel::migration::{Migration, MigrationSource};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");
const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// The key of the advisory lock that a migrating process holds on PostgreSQL. Diesel takes none.
const LOCK: i64 = 72_183_921;

/// The first SQLite without the fault in its write-ahead log that can lose a commit.
const OLDEST_SQLITE: i32 = 3_051_003;

diesel::table! {
    /// Where Diesel notes the migrations that were run.
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}

/// Why the schema is not as this program needs it.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The database does not answer.
    #[error("the database cannot be opened: {0}")]
    Connection(#[from] ConnectionError),
    /// A statement failed.
    #[error("the database refused a statement: {0}")]
    Database(#[from] diesel::result::Error),
    /// A migration failed, and was rolled back.
    #[error("a migration failed: {0}")]
    Migration(String),
    /// The database was migrated by a newer program.
    #[error("the schema is newer than this program: it has `{0}`, which this one does not know")]
    Newer(String),
    /// The SQLite library has a known fault.
    #[error("SQLite {0} can lose a commit; 3.51.3 or later is needed")]
    OldSqlite(i32),
}

/// Brings the schema to this program's version, and returns the names of what it ran.
///
/// # Errors
/// [`MigrateError`]; what a failing migration did is rolled back.
pub fn run(location: &Location) -> Result<Vec<String>, MigrateError> {
    let mut db = Db::open(location)?;
    match &mut db {
        Db::Postgres(conn) => {
            // The wait for the lock is as long as the other process takes.
            conn.batch_execute("set lock_timeout = 0")?;
            diesel::sql_query("select pg_advisory_lock($1)")
                .bind::<BigInt, _>(LOCK)
                .execute(conn)?;
            // The lock ends with the session, that is, with this function.
            pending_on(conn, POSTGRES)
        }
        Db::Sqlite(conn) => {
            check_library()?;
            // Rebuilding a table with foreign keys on would delete what refers to it.
            conn.batch_execute("pragma foreign_keys = off")?;
            AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN EXCLUSIVE")?;
            let ran = pending_on(conn, SQLITE).and_then(|ran| {
                let broken: i64 = diesel::select(sql::<BigInt>(
                    "(select count(*) from pragma_foreign_key_check)",
                ))
                .get_result(conn)?;
                match broken {
                    0 => Ok(ran),
                    _ => Err(MigrateError::Migration(format!("{broken} foreign keys are broken"))),
                }
            });
            if ran.is_ok() {
                tx::commit(&mut db)?;
            } else {
                tx::rollback(&mut db)?;
            }
            ran
        }
    }
}

/// The names of the migrations that [`run`] would run.
///
/// # Errors
/// [`MigrateError`], also where the schema is newer than this program.
pub fn pending(location: &Location) -> Result<Vec<String>, MigrateError> {
    match &mut Db::open(location)? {
        Db::Postgres(conn) => names(conn, POSTGRES),
        Db::Sqlite(conn) => names(conn, SQLITE),
    }
}

/// Whether every migration of this program was run. Unlike [`pending`] it only reads.
///
/// # Errors
/// When the database fails.
pub fn is_current(db: &mut Db) -> QueryResult<bool> {
    let known = match db {
        Db::Postgres(_) => {
            MigrationSource::<diesel::pg::Pg>::migrations(&POSTGRES).map(|all| versions(&all))
        }
        Db::Sqlite(_) => {
            MigrationSource::<diesel::sqlite::Sqlite>::migrations(&SQLITE).map(|all| versions(&all))
        }
    };
    let known = known.map_err(diesel::result::Error::DeserializationError)?;
    let applied: Vec<String> =
        __diesel_schema_migrations::table.select(__diesel_schema_migrations::version).load(db)?;
    Ok(known.iter().all(|version| applied.contains(version)))
}

fn versions<DB: diesel::backend::Backend>(migrations: &[Box<dyn Migration<DB>>]) -> Vec<String> {
    migrations.iter().map(|migration| migration.name().version().to_string()).collect()
}

/// Undoes every migration, newest first: for tests of `down`.
///
/// # Errors
/// [`MigrateError`].
pub fn undo_all(location: &Location) -> Result<(), MigrateError> {
    let mut db = Db::open(location)?;
    let undone = match &mut db {
        Db::Postgres(conn) => conn.revert_all_migrations(POSTGRES).map(drop),
        Db::Sqlite(conn) => {
            conn.batch_execute("pragma foreign_keys = off")?;
            conn.revert_all_migrations(SQLITE).map(drop)
        }
    };
    undone.map_err(|error| MigrateError::Migration(error.to_string()))
}

fn pending_on<DB, Conn>(
    conn: &mut Conn,
    source: EmbeddedMigrations,
) -> Result<Vec<String>, MigrateError>
where
    DB: diesel::backend::Backend,
    Conn: MigrationHarness<DB>,
    EmbeddedMigrations: MigrationSource<DB>,
{
    refuse_newer(conn, &source)?;
    let ran = conn
        .run_pending_migrations(source)
        .map_err(|error| MigrateError::Migration(error.to_string()))?;
    Ok(ran.iter().map(ToString::to_string).collect())
}

fn names<DB, Conn>(conn: &mut Conn, source: EmbeddedMigrations) -> Result<Vec<String>, MigrateError>
where
    DB: diesel::backend::Backend,
    Conn: MigrationHarness<DB>,
    EmbeddedMigrations: MigrationSource<DB>,
{
    refuse_newer(conn, &source)?;
    let pending = conn
        .pending_migrations(source)
        .map_err(|error| MigrateError::Migration(error.to_string()))?;
    Ok(pending.iter().map(|migration| migration.name().to_string()).collect())
}

fn refuse_newer<DB, Conn>(conn: &mut Conn, source: &EmbeddedMigrations) -> Result<(), MigrateError>
where
    DB: diesel::backend::Backend,
    Conn: MigrationHarness<DB>,
    EmbeddedMigrations: MigrationSource<DB>,
{
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
        MigrateError::Migration(error.to_string())
    };
    let known: Vec<Box<dyn Migration<DB>>> = source.migrations().map_err(failed)?;
    let known = versions(&known);
    let applied = conn.applied_migrations().map_err(failed)?;
    match applied.iter().find(|version| !known.contains(&version.to_string())) {
        Some(version) => Err(MigrateError::Newer(version.to_string())),
        None => Ok(()),
    }
}

fn check_library() -> Result<(), MigrateError> {
    let version = sqlite_version();
    if version < OLDEST_SQLITE {
        return Err(MigrateError::OldSqlite(version));
    }
    Ok(())
}

/// The version of the SQLite library that is linked in, as `X * 1_000_000 + Y * 1_000 + Z`.
#[must_use]
pub fn sqlite_version() -> i32 {
    // The library is compiled from the bundled source, so the header's number is the library's.
    libsqlite3_sys::SQLITE_VERSION_NUMBER
}
