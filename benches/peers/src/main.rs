//! `peers postgres URL JOBS` and `peers sqlite FILE JOBS`: puts so many jobs that do nothing into the
//! peer's queue, lets one worker do them, 16 at once, and prints how many it ended a second.

use apalis::prelude::*;
use futures::stream::{self, Stream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// As many as Traverse's worker runs.
const AT_ONCE: usize = 16;
/// What the peer fetches in one statement. Larger and smaller ones are slower.
const BATCH: usize = 100;
/// How soon the peer looks again.
const POLL: Duration = Duration::from_millis(5);

static HANDLED: AtomicUsize = AtomicUsize::new(0);

async fn nothing(_: usize) -> Result<(), BoxDynError> {
    HANDLED.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, database, place, jobs] = words.as_slice() else { panic!("{words:?}") };
    let jobs = jobs.parse().expect("a number of jobs");
    let rate = match database.as_str() {
        "postgres" => postgres(place, jobs).await,
        "sqlite" => sqlite(place, jobs).await,
        _ => panic!("{database}"),
    };
    println!("{rate}");
}

fn tasks(jobs: usize) -> impl Stream<Item = Task<usize>> + Unpin + Send {
    stream::iter((0..jobs).map(|number| TaskBuilder::new(number).build()))
}

/// Waits until the peer's table says that all have ended, and gives jobs a second since `began`.
async fn rate<Count: Future<Output = i64>>(
    jobs: usize,
    began: Instant,
    mut ended: impl FnMut() -> Count,
) -> f64 {
    // A look costs the peer something, so there is none before it is nearly done.
    while HANDLED.load(Ordering::Relaxed) < jobs {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    while usize::try_from(ended().await).expect("a count") < jobs {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    jobs as f64 / began.elapsed().as_secs_f64()
}

async fn postgres(url: &str, jobs: usize) -> f64 {
    use apalis_postgres::{Config, PgPool, PostgresStorage};
    let pool = PgPool::connect(url).await.expect("a connection");
    PostgresStorage::setup(&pool).await.expect("its tables");
    let config = Config::default().queue("nothing").batch_size(BATCH);
    let mut backend = PostgresStorage::new(&pool)
        .with_config(config)
        .poll_with_strategy(Strategy::new().interval(POLL));
    backend.push_all(tasks(jobs)).await.expect("a queue");
    sqlx::raw_sql("vacuum analyze").execute(&pool).await.expect("statistics");
    let began = Instant::now();
    let worker = WorkerBuilder::new("peer").backend(backend).concurrency(AT_ONCE).build(nothing);
    tokio::spawn(worker.run());
    rate(jobs, began, || async {
        sqlx::query_scalar("select count(*) from apalis.jobs where status = 'Done'")
            .fetch_one(&pool)
            .await
            .expect("a count")
    })
    .await
}

async fn sqlite(file: &str, jobs: usize) -> f64 {
    use apalis_sqlite::{Config, SqliteConnectOptions, SqlitePool, SqliteStorage};
    use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let pool = SqlitePool::connect_with(options).await.expect("a connection");
    SqliteStorage::setup(&pool).await.expect("its tables");
    let config = Config::default().queue("nothing").batch_size(BATCH);
    let mut backend = SqliteStorage::new(&pool)
        .with_config(config)
        .poll_with_strategy(Strategy::new().interval(POLL));
    backend.push_all(tasks(jobs)).await.expect("a queue");
    sqlx::raw_sql("analyze").execute(&pool).await.expect("statistics");
    let began = Instant::now();
    let worker = WorkerBuilder::new("peer").backend(backend).concurrency(AT_ONCE).build(nothing);
    tokio::spawn(worker.run());
    rate(jobs, began, || async {
        sqlx::query_scalar("select count(*) from Jobs where status = 'Done'")
            .fetch_one(&pool)
            .await
            .expect("a count")
    })
    .await
}
