//! Fresh databases: a copy of one that was migrated once.

use diesel::connection::SimpleConnection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use traverse::db::{Db, Location, migrate};

/// The two kinds of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    /// For a test that makes of it what it needs.
    pub fn fresh(self) -> Self {
        self
    }
}

/// A database that nobody else uses; it goes when it is dropped.
#[derive(Debug)]
pub struct Database {
    pub backend: Backend,
    pub location: Location,
    name: String,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Database {
    /// A migrated database.
    pub fn fresh(backend: Backend) -> Self {
        let name = next_name();
        match backend {
            Backend::Sqlite => {
                let path = folder().join(format!("{name}.db"));
                std::fs::copy(sqlite_template(), &path).unwrap();
                Self { backend, location: Location::Sqlite(text(&path)), name }
            }
            Backend::Postgres => {
                create_from(postgres_template(), &name);
                Self { backend, location: Location::Postgres(postgres_url(&name)), name }
            }
        }
    }

    /// A database without any table.
    pub fn empty(backend: Backend) -> Self {
        let name = next_name();
        match backend {
            Backend::Sqlite => {
                let path = folder().join(format!("{name}.db"));
                Self { backend, location: Location::Sqlite(text(&path)), name }
            }
            Backend::Postgres => {
                create_from("template0", &name);
                Self { backend, location: Location::Postgres(postgres_url(&name)), name }
            }
        }
    }

    /// A database on a server of a test's own; nobody removes it.
    pub fn elsewhere(location: Location) -> Self {
        Self { backend: Backend::Postgres, location, name: next_name() }
    }

    /// A connection of its own.
    pub fn connect(&self) -> Db {
        Db::open(&self.location).unwrap()
    }

    /// The URL, as `DATABASE_URL` wants it.
    pub fn url(&self) -> String {
        match &self.location {
            Location::Postgres(url) => url.clone(),
            Location::Sqlite(path) => format!("sqlite:{path}"),
        }
    }
}

impl Database {
    /// Takes the database away, and with it every connection.
    pub fn remove(&self) {
        match &self.location {
            Location::Postgres(_) => {
                admin(&format!("drop database if exists {} with (force)", self.name));
            }
            Location::Sqlite(path) => {
                for ending in ["", "-wal", "-shm"] {
                    drop(std::fs::remove_file(format!("{path}{ending}")));
                }
            }
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.remove();
    }
}

fn next_name() -> String {
    format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

fn text(path: &std::path::Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The server that `scripts/test` starts. A test that finds none fails.
fn postgres_url(name: &str) -> String {
    let base = std::env::var("TRAVERSE_TEST_POSTGRES")
        .expect("TRAVERSE_TEST_POSTGRES names a PostgreSQL server; run `scripts/test`");
    format!("{base}/{name}")
}

fn admin(statement: &str) {
    let mut db = Db::open(&Location::Postgres(postgres_url("postgres"))).unwrap();
    db.batch_execute(statement).unwrap();
}

fn create_from(template: &str, name: &str) {
    // PostgreSQL copies a template for one at a time.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    admin(&format!("create database {name} template {template}"));
}

fn postgres_template() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let name = format!("t{}_template", std::process::id());
        admin(&format!("create database {name} template template0"));
        migrate::run(&Location::Postgres(postgres_url(&name))).unwrap();
        name
    })
}

fn sqlite_template() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = text(&folder().join(format!("t{}_template.db", std::process::id())));
        let location = Location::Sqlite(path.clone());
        migrate::run(&location).unwrap();
        let mut db = Db::open(&location).unwrap();
        db.batch_execute("pragma wal_checkpoint(truncate)").unwrap();
        path
    })
}
