//! A worker in this process, beside a server.

use super::Server;
use actix_web::rt::System;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;
use traverse::app::App;
use traverse::jobs::backend::Settings;
use traverse::jobs::registry::Registry;
use traverse::jobs::worker::Worker;

/// A worker that looks often. It stops when it is dropped.
pub struct Working {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Working {
    /// Runs all jobs of a server; no schedules.
    pub fn beside(server: &Server) -> Self {
        Self::with(server.app.clone(), traverse::worker::registry())
    }

    /// Runs the jobs of a registry.
    pub fn with(app: App, registry: Registry) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (started, starts) = channel();
        let thread = std::thread::spawn(move || {
            System::new().block_on(async move {
                let pool = app.pool.clone();
                let worker = Worker::start(pool, settings(), registry, &[], app.jobs.clone(), app);
                started.send(()).unwrap();
                // Whoever drops it stops it.
                drop(stopped.await);
                worker.stop(Duration::from_secs(20)).await;
            });
        });
        starts.recv().unwrap();
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

/// A worker for tests: it looks often.
fn settings() -> Settings {
    Settings { slots: 8, poll: Duration::from_millis(100), sweep: Duration::from_millis(300) }
}

impl Drop for Working {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
