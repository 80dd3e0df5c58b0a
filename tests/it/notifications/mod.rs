//! Notifications on both databases, through everything that is real: a push service on loopback, a
//! worker, an independent reader of what was sent.

mod batches;
mod failures;
mod judge;
mod kills;
mod outgoing;
mod payload;
mod processes;
mod push;
mod quiet;
mod routes;

use crate::harness::devices::{AUTH, P256DH};
use crate::harness::server::START;
use crate::harness::{Backend, Client, PushService, Server, rows};
use crate::jobs::{SOON, STOP, run, settings};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use serde_json::{Value, json};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use traverse::app::App;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::db::tx::{self, Work};
use traverse::jobs::worker::Worker;
use traverse::notifications::model::{Channel, Kind, State};
use traverse::notifications::{Notice, notify};
use traverse::schema::{deliveries, jobs};
use traverse::worker;

/// Somebody with a session, and where their devices take messages.
pub struct Stage {
    pub server: Server,
    pub service: PushService,
    pub ada: Client,
    pub ada_id: i64,
}

impl Stage {
    pub fn fresh(backend: Backend) -> Self {
        Self::on(Server::fresh(backend))
    }

    pub fn on(server: Server) -> Self {
        let ada = server.register("ada");
        let ada_id = ada.get("/api/v1/me").expect(200).body["id"].as_i64().unwrap();
        Self { server, service: PushService::start(), ada, ada_id }
    }

    pub fn db(&self) -> Db {
        self.server.database.connect()
    }

    /// Registers a device of Ada's, by its path at the service.
    pub fn device(&self, path: &str) -> i64 {
        let body = subscription(&format!("{}{path}", self.service.url));
        let answer = self.ada.post("/api/v1/push-subscriptions", &body).expect(201);
        answer.body["id"].as_i64().unwrap()
    }

    /// Tells Ada something; its number.
    pub fn tell(&self, cause: &str) -> i64 {
        tell(&mut self.db(), self.ada_id, cause);
        let listed = self.ada.get("/api/v1/notifications?limit=1").expect(200);
        listed.body["items"][0]["id"].as_i64().unwrap()
    }

    pub fn work(&self) -> Working {
        Working::start(&self.server.app)
    }

    /// The push delivery of a notification: its state and its attempts, as `sent1`.
    pub fn state(&self, notification: i64) -> String {
        state(&mut self.db(), notification)
    }

    /// Waits for such a state.
    pub fn until(&self, notification: i64, wanted: &str) {
        let mut db = self.db();
        let began = Instant::now();
        loop {
            let state = state(&mut db, notification);
            if state == wanted {
                return;
            }
            assert!(began.elapsed() < SOON, "wanted {wanted}, have {state}");
            pause(20);
        }
    }

    /// Waits until so many messages have come.
    pub fn until_received(&self, count: usize) {
        let began = Instant::now();
        while self.service.received().len() < count {
            assert!(began.elapsed() < SOON, "{}", self.standing());
            pause(20);
        }
    }

    /// What stands in the way of what is still open.
    fn standing(&self) -> String {
        let mut db = self.db();
        let open: Vec<(String, i32, Option<String>)> = deliveries::table
            .filter(deliveries::finished_at.is_null())
            .select((deliveries::state, deliveries::attempts, deliveries::last_error))
            .load(&mut db)
            .unwrap();
        let jobs: Vec<(String, i32, Option<String>)> = jobs::table
            .select((jobs::state, jobs::attempts, jobs::last_error))
            .load(&mut db)
            .unwrap();
        format!("{} came; open: {open:?}; jobs: {jobs:?}", self.service.received().len())
    }

    /// What the API tells of the push delivery.
    pub fn delivery(&self, notification: i64) -> Value {
        let path = format!("/api/v1/notifications/{notification}/deliveries");
        let listed = self.ada.get(&path).expect(200).body;
        let items = listed["items"].as_array().unwrap();
        items.iter().find(|item| item["channel"] == "push").unwrap().clone()
    }

    /// How many seconds a delivery waits from now on, by the clock of this machine.
    pub fn waits(&self, notification: i64) -> f64 {
        let due: At =
            serde_json::from_value(self.delivery(notification)["next_attempt_at"].clone()).unwrap();
        (*due - *traverse::clock::Clock::System.now()).as_seconds_f64()
    }
}

/// What a browser sends of a device.
pub fn subscription(endpoint: &str) -> Value {
    json!({"endpoint": endpoint, "expirationTime": null,
           "keys": {"p256dh": P256DH, "auth": AUTH}})
}

pub fn start() -> At {
    At::from(START.parse::<DateTime<Utc>>().unwrap())
}

/// Tells a user that a friend request came.
pub fn tell(db: &mut Db, user_id: i64, cause: &str) {
    let notice = Notice {
        user_id,
        kind: Kind::FriendRequest,
        cause,
        title: "Bob asks",
        body: "Bob would like to be your friend",
        link: Some("/friends"),
    };
    let told: Work<bool> = tx::write(db, |db| Ok(notify(db, &notice, start())?));
    assert!(told.unwrap());
}

/// A worker that looks often, in a thread of its own.
pub struct Working {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Working {
    pub fn start(app: &App) -> Self {
        let (stop, stopped) = oneshot::channel();
        let app = app.clone();
        let thread = thread::spawn(move || {
            run(async move {
                let worker = work(&app);
                stopped.await.unwrap();
                worker.stop(STOP).await;
            });
        });
        Self { stop, thread }
    }

    pub fn stop(self) {
        self.stop.send(()).unwrap();
        self.thread.join().unwrap();
    }
}

/// A worker that looks often, on the runtime of the caller.
pub fn work(app: &App) -> Worker {
    let (pool, tally, data) = (app.pool.clone(), app.jobs.clone(), app.clone());
    Worker::start(pool, settings(), worker::registry(), &[], tally, data)
}

pub fn pause(milliseconds: u64) {
    thread::sleep(Duration::from_millis(milliseconds));
}

fn state(db: &mut Db, notification: i64) -> String {
    let (state, attempts): (State, i32) = deliveries::table
        .filter(deliveries::notification_id.eq(notification))
        .filter(deliveries::channel.eq(Channel::Push))
        .select((deliveries::state, deliveries::attempts))
        .first(db)
        .unwrap();
    format!("{}{attempts}", state.as_str())
}

/// Time passes: what waits is due, and nobody answers for what is on its way. The next minute wakes
/// the sender.
pub fn pass_time(db: &mut Db) {
    diesel::update(deliveries::table.filter(deliveries::finished_at.is_null()))
        .set(deliveries::due_at.eq(rows::then()))
        .execute(db)
        .unwrap();
    diesel::update(jobs::table.filter(jobs::lease_until.is_not_null()))
        .set(jobs::lease_until.eq(rows::then()))
        .execute(db)
        .unwrap();
    diesel::update(jobs::table.filter(jobs::finished_at.is_null()))
        .set(jobs::run_at.eq(rows::then()))
        .execute(db)
        .unwrap();
    let ticked: Work<bool> =
        tx::write(db, |db| Ok(traverse::notifications::channels::push::tick(db, start())?));
    ticked.unwrap();
}
