//! A real server in this process, on a port of its own, with a clock that the test sets.

use super::{Backend, Client, Database};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use traverse::app::App;
use traverse::clock::Clock;
use traverse::config::{Config, Registration};
use traverse::log::LogFilter;

/// A server and its database; both end when it is dropped.
pub struct Server {
    pub app: App,
    pub url: String,
    handle: actix_web::dev::ServerHandle,
    thread: Option<JoinHandle<()>>,
    /// Behind the server, so that it goes last.
    pub database: Arc<Database>,
}

/// The password of whoever is registered here.
pub const PASSWORD: &str = "correct horse battery";

/// When a manual clock begins: a Tuesday, noon.
pub const START: &str = "2026-09-01T12:00:00Z";

/// The settings of a process on this database, which may speak to this machine.
pub fn config(database: &Database) -> Config {
    Config {
        database: database.location.clone(),
        connections: 8,
        listen: "127.0.0.1:0".parse().unwrap(),
        public_url: None,
        secret: None,
        registration: Registration::Open,
        trusted_proxies: Vec::new(),
        allowed_targets: vec!["127.0.0.0/8".parse().unwrap()],
        classifier: None,
        vapid: traverse::notifications::vapid::Settings::default(),
        mail: None,
        log: LogFilter::default(),
        request: traverse::http::limits::REQUEST,
    }
}

impl Server {
    /// A server on a fresh database, at [`START`].
    pub fn fresh(backend: Backend) -> Self {
        Self::on(Database::fresh(backend), |_| {})
    }

    /// A server on this database, with other settings.
    pub fn on(database: Database, change: impl FnOnce(&mut Config)) -> Self {
        let clock = Clock::standing_at(START.parse().unwrap());
        Self::start(Arc::new(database), clock, change)
    }

    /// Another server on the same database and by the same clock, as a second process would be.
    pub fn another(&self) -> Self {
        Self::start(Arc::clone(&self.database), self.app.clock.clone(), |_| {})
    }

    /// A server on a database that others use too, by a clock that they share.
    pub fn start(database: Arc<Database>, clock: Clock, change: impl FnOnce(&mut Config)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut config = config(&database);
        config.listen = address;
        change(&mut config);
        Self::run(App::start(config, clock).unwrap(), listener, database)
    }

    /// The same server, which shares something else.
    #[must_use]
    pub fn with_app(self, change: impl FnOnce(&mut App)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut app = self.app.clone();
        app.config.listen = listener.local_addr().unwrap();
        change(&mut app);
        Self::run(app, listener, Arc::clone(&self.database))
    }

    fn run(app: App, listener: TcpListener, database: Arc<Database>) -> Self {
        let address = listener.local_addr().unwrap();
        let (sender, receiver) = channel();
        let shared = app.clone();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let server = traverse::http::server::start(shared, listener).unwrap();
                sender.send(server.handle()).unwrap();
                server.await.unwrap();
            });
        });
        let handle = receiver.recv().unwrap();
        Self { app, url: format!("http://{address}"), handle, thread: Some(thread), database }
    }

    /// A client without a token.
    pub fn anonymous(&self) -> Client {
        Client::new(&self.url)
    }

    /// Registers somebody and returns a client with their session.
    pub fn register(&self, name: &str) -> Client {
        let answer = self.anonymous().post(
            "/api/v1/auth/register",
            &json!({"email": format!("{name}@example.org"), "handle": name,
                    "password": PASSWORD}),
        );
        assert_eq!(answer.status, 201, "{answer:?}");
        self.anonymous().with_token(answer.body["token"].as_str().unwrap())
    }

    /// Logs in as who was registered by [`Self::register`].
    pub fn log_in(&self, name: &str) -> Client {
        let login = json!({"email": format!("{name}@example.org"), "password": PASSWORD});
        let answer = self.anonymous().post("/api/v1/auth/login", &login).expect(200);
        self.anonymous().with_token(answer.body["token"].as_str().unwrap())
    }

    /// Moves the clock.
    pub fn advance(&self, by: TimeDelta) {
        self.app.clock.advance(by);
    }

    /// What the clock shows.
    pub fn now(&self) -> DateTime<Utc> {
        self.app.clock.now().into()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The future only waits; the order to stop is given by the call.
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
