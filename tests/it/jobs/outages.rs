//! A database that goes away.

use super::{Base, STOP, pause, run, settings, sleeper};
use crate::harness::{Database, on_both};
use diesel::connection::SimpleConnection;
use std::time::Duration;
use traverse::db::{Db, Location};
use traverse::jobs::backend::Settings;

/// Takes the database away for so long: nobody is connected, and nobody can connect. On SQLite
/// somebody else holds the write lock for longer than anybody waits for it.
fn outage(database: &Database, time: Duration) {
    match &database.location {
        Location::Sqlite(_) => {
            let mut db = database.connect();
            db.batch_execute("begin immediate").unwrap();
            std::thread::sleep(time + Duration::from_secs(10));
            db.batch_execute("rollback").unwrap();
        }
        Location::Postgres(url) => {
            let (server, name) = url.rsplit_once('/').unwrap();
            let mut db = Db::open(&Location::Postgres(format!("{server}/postgres"))).unwrap();
            db.batch_execute(&format!(
                "alter database {name} allow_connections false; \
                 select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'"
            ))
            .unwrap();
            std::thread::sleep(time);
            db.batch_execute(&format!("alter database {name} allow_connections true")).unwrap();
        }
    }
}

on_both! {
    fn it_ends_no_worker_and_loses_no_acknowledgement(base: Base) {
        run(async move {
            base.pings(0..30);
            let (registry, starts) = sleeper(Duration::from_millis(400));
            let worker = base.start(Settings { slots: 8, ..settings() }, registry);
            while starts.get() < 12 {
                pause(10).await;
            }
            let in_flight = base.states().matches("running").count();
            assert!(in_flight > 0);
            std::thread::scope(|scope| {
                scope.spawn(|| outage(&base.database, Duration::from_secs(5)));
            });
            // Nobody's lease outlives an outage of its length; but only its own worker is here.
            base.until_all_done(30).await;
            worker.stop(STOP).await;
        });
    }
}

impl Base {
    async fn until_all_done(&self, jobs: usize) {
        let began = std::time::Instant::now();
        while self.states().matches("done").count() < jobs {
            assert!(began.elapsed() < Duration::from_mins(1), "{}", self.states());
            pause(50).await;
        }
    }
}
