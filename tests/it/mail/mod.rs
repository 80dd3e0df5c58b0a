//! Mail, through a real mail server on loopback, whose mailbox is read.

mod digest_kills;
mod drain;
mod kills;
mod resets;
mod sending;

use crate::harness::mail_server::{Arrived, MailServer};
use crate::harness::{Backend, Client, Database, Server, rows};
use diesel::prelude::*;
use serde_json::json;
use traverse::app::App;
use traverse::db::Db;
use traverse::db::pool::Pool;
use traverse::db::tx::{Work, write};
use traverse::jobs::backend::Settings;
use traverse::jobs::model::State;
use traverse::jobs::registry::Registry;
use traverse::jobs::tally::Tally;
use traverse::jobs::worker::Worker;
use traverse::notifications::channels::email;
use traverse::schema::{deliveries, jobs};

/// A server that sends mail, and where it arrives.
pub struct Post {
    pub server: Server,
    pub mail: MailServer,
}

impl Post {
    pub fn fresh(backend: Backend) -> Self {
        let mail = MailServer::start();
        let settings = mail.settings();
        let server = Server::on(Database::fresh(backend), |config| config.mail = Some(settings));
        Self { server, mail }
    }

    pub fn db(&self) -> Db {
        self.server.database.connect()
    }

    /// Somebody who wants mail: their client and number.
    pub fn reader(&self, name: &str) -> (Client, i64) {
        let client = self.server.register(name);
        client.put("/api/v1/channels/email", &json!({"enabled": true})).expect(200);
        let id = client.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        (client, id)
    }

    /// Starts a worker of these jobs on a pool.
    pub fn start(&self, pool: Pool, registry: Registry) -> Worker {
        let app = App { pool: pool.clone(), ..self.server.app.clone() };
        let settings = Settings {
            slots: 2,
            poll: std::time::Duration::from_millis(50),
            sweep: std::time::Duration::from_millis(200),
        };
        Worker::start(pool, settings, registry, &[], Tally::new().unwrap(), app)
    }
}

/// The token that a link in a letter ends with.
pub fn token(letter: &Arrived) -> String {
    let (_, rest) = letter.text.split_once("#token=").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

/// How many jobs of a kind are not done.
fn open_jobs(db: &mut Db, kind: &str) -> i64 {
    jobs::table
        .filter(jobs::kind.eq(kind))
        .filter(jobs::state.eq(State::Pending).or(jobs::state.eq(State::Running)))
        .count()
        .get_result(db)
        .unwrap()
}

/// Time passes: nobody answers for what was running, what waits is due, and the next minute wakes the
/// sender.
fn pass_time(db: &mut Db) {
    diesel::update(deliveries::table.filter(deliveries::finished_at.is_null()))
        .set(deliveries::due_at.eq(rows::then()))
        .execute(db)
        .unwrap();
    diesel::update(jobs::table.filter(jobs::state.eq(State::Running)))
        .set(jobs::lease_until.eq(rows::then()))
        .execute(db)
        .unwrap();
    diesel::update(jobs::table.filter(jobs::finished_at.is_null()))
        .set(jobs::run_at.eq(rows::then()))
        .execute(db)
        .unwrap();
    let ticked: Work<bool> = write(db, |db| Ok(email::tick(db, rows::then())?));
    ticked.unwrap();
}
