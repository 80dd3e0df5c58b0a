//! Migrations. Each process that starts runs them, and one at a time does the work.

use super::{Db, Location, Unopened, open, tx};
use diesel::backend::Backend;
use diesel::connection::{AnsiTransactionManager, SimpleConnection};
use diesel::dsl::sql;
use diesel::migration::{Migration, MigrationSource};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use diesel::sqlite::Sqlite;
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
    #[error("{0}")]
    Unopened(#[from] Unopened),
    /// A statement failed.
    #[error("it refused a statement: {0}")]
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
            conn.batch_execute("set lock_timeout = 0; set statement_timeout = 0")?;
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

/// The names of the migrations that [`run`] would run. It only reads.
///
/// # Errors
/// [`MigrateError`], also where the schema is newer than this program.
pub fn pending(location: &Location) -> Result<Vec<String>, MigrateError> {
    let known = match location {
        Location::Postgres(_) => known::<Pg>(&POSTGRES),
        Location::Sqlite(_) => known::<Sqlite>(&SQLITE),
    };
    let known = known.map_err(failed)?;
    let applied = match location.to_be_made() {
        Some(path) => {
            open::check_place(path)?;
            Vec::new()
        }
        None => {
            let mut db = Db::open_to_look(location)?;
            if is_begun(&mut db)? { applied(&mut db)? } else { Vec::new() }
        }
    };
    refuse_newer(&known, &applied)?;
    let pending = known.into_iter().filter(|migration| !applied.contains(&migration.version));
    Ok(pending.map(|migration| migration.name).collect())
}

/// Whether every migration of this program was run. Unlike [`pending`] it refuses nothing.
///
/// # Errors
/// When the database fails.
pub fn is_current(db: &mut Db) -> QueryResult<bool> {
    let known = match db {
        Db::Postgres(_) => known::<Pg>(&POSTGRES),
        Db::Sqlite(_) => known::<Sqlite>(&SQLITE),
    };
    let known = known.map_err(diesel::result::Error::DeserializationError)?;
    let applied = applied(db)?;
    Ok(known.iter().all(|migration| applied.contains(&migration.version)))
}

/// A migration of this program.
struct Known {
    version: String,
    name: String,
}

/// The migrations of this program, the oldest first.
fn known<DB: Backend>(source: &EmbeddedMigrations) -> Result<Vec<Known>, Fault>
where
    EmbeddedMigrations: MigrationSource<DB>,
{
    let migrations: Vec<Box<dyn Migration<DB>>> = source.migrations()?;
    let mut known: Vec<Known> = migrations
        .iter()
        .map(|migration| Known {
            version: migration.name().version().to_string(),
            name: migration.name().to_string(),
        })
        .collect();
    known.sort_by(|one, other| one.version.cmp(&other.version));
    Ok(known)
}

/// Whether any program has ever migrated this database.
fn is_begun(db: &mut Db) -> QueryResult<bool> {
    let found = match db {
        Db::Postgres(_) => "to_regclass('__diesel_schema_migrations') is not null",
        Db::Sqlite(_) => {
            "exists (select 1 from sqlite_schema where name = '__diesel_schema_migrations')"
        }
    };
    diesel::select(sql::<Bool>(found)).get_result(db)
}

fn applied(db: &mut Db) -> QueryResult<Vec<String>> {
    __diesel_schema_migrations::table.select(__diesel_schema_migrations::version).load(db)
}

fn refuse_newer(known: &[Known], applied: &[String]) -> Result<(), MigrateError> {
    let is_known = |version: &String| known.iter().any(|migration| migration.version == *version);
    match applied.iter().find(|version| !is_known(version)) {
        Some(version) => Err(MigrateError::Newer(version.clone())),
        None => Ok(()),
    }
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
    undone.map_err(failed)
}

fn pending_on<DB, Conn>(
    conn: &mut Conn,
    source: EmbeddedMigrations,
) -> Result<Vec<String>, MigrateError>
where
    DB: Backend,
    Conn: MigrationHarness<DB>,
    EmbeddedMigrations: MigrationSource<DB>,
{
    let applied = conn.applied_migrations().map_err(failed)?;
    let applied: Vec<String> = applied.iter().map(ToString::to_string).collect();
    let known = known(&source).map_err(failed)?;
    refuse_newer(&known, &applied)?;
    let ran = conn.run_pending_migrations(source).map_err(failed)?;
    let ran: Vec<String> = ran.iter().map(ToString::to_string).collect();
    let ran = known.into_iter().filter(|migration| ran.contains(&migration.version));
    Ok(ran.map(|migration| migration.name).collect())
}

/// What Diesel says of a migration.
type Fault = Box<dyn std::error::Error + Send + Sync>;

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` wants")]
fn failed(fault: Fault) -> MigrateError {
    MigrateError::Migration(fault.to_string())
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
