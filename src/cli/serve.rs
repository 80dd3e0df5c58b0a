//! `traverse serve`.

use super::Failed;
use crate::app::App;
use crate::auth;
use crate::clock::Clock;
use crate::config::Config;
use crate::db::tx::Work;
use crate::http::server;
use crate::jobs::worker::Worker;
use crate::log;
use crate::worker;
use std::io::ErrorKind;
use std::net::SocketAddr;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Serves until SIGTERM or SIGINT. Then it accepts nothing more, finishes what runs, and returns;
/// at a second signal the process ends at once, with status 1.
///
/// After a clean stop SQLite's file is whole without the log beside it.
pub(super) fn serve(mut config: Config, with_worker: bool) -> Result<(), Failed> {
    log::start(&config.log);
    let listener =
        server::listen(config.listen).map_err(|error| not_heard(config.listen, &error))?;
    let address = listener.local_addr().map_err(|error| Failed::Io(error.to_string()))?;
    // Which the system chose where the settings leave the port to it.
    config.listen = address;
    if let Some(doubt) = config.doubts() {
        tracing::warn!("{doubt}");
    }
    let app = App::start(config, Clock::System)?;
    let pool = app.pool.clone();
    let served = actix_web::rt::System::new()
        .block_on(async {
            let signals = Signals::listen()?;
            show_setup_token(&app).await;
            let worker = with_worker.then(|| worker::start(&app));
            let server = server::start(app, listener)?;
            tracing::info!(%address, with_worker, "listening");
            let handle = server.handle();
            let stopped = actix_web::rt::spawn(stop_when_told(signals, async move {
                tokio::join!(handle.stop(true), async {
                    if let Some(worker) = worker {
                        worker.stop(worker::PATIENCE).await;
                    }
                });
            }));
            server.await?;
            stopped.await.map_err(std::io::Error::other)
        })
        .map_err(|error| Failed::Io(error.to_string()));
    pool.close();
    served
}

/// Works in the background until SIGTERM or SIGINT, and stops as [`serve`] does.
pub(super) fn work(config: Config) -> Result<(), Failed> {
    log::start(&config.log);
    let app = App::start(config, Clock::System)?;
    let pool = app.pool.clone();
    let worked = work_until_told(|| worker::start(&app));
    pool.close();
    worked.map_err(|error| Failed::Io(error.to_string()))
}

/// Runs a worker until SIGTERM or SIGINT, and stops it.
///
/// # Errors
/// Where the process cannot hear signals.
pub fn work_until_told(start: impl FnOnce() -> Worker) -> std::io::Result<()> {
    actix_web::rt::System::new().block_on(async {
        let signals = Signals::listen()?;
        let worker = start();
        tracing::info!("working");
        stop_when_told(signals, worker.stop(worker::PATIENCE)).await;
        Ok(())
    })
}

/// The signals by which a process is told to stop.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

async fn stop_when_told(mut signals: Signals, stop: impl Future<Output = ()>) {
    signals.next().await;
    tracing::info!("stopping: what runs is finished");
    tokio::select! {
        () = stop => {}
        () = signals.next() => {
            tracing::warn!("stopping at once: what runs is cut off");
            std::process::exit(1);
        }
    }
}

/// Why there is nothing to listen on, and the way out.
fn not_heard(address: SocketAddr, error: &std::io::Error) -> Failed {
    let way_out = match error.kind() {
        ErrorKind::AddrInUse | ErrorKind::AddrNotAvailable | ErrorKind::PermissionDenied => {
            "; choose another with TRAVERSE_LISTEN or --listen"
        }
        _ => "",
    };
    Failed::Io(format!("cannot listen on {address}: {error}{way_out}"))
}

/// Until somebody has claimed the instance, the log tells how to do it from elsewhere.
async fn show_setup_token(app: &App) {
    let waits: Work<_> = app.pool.read(|db| Ok(auth::awaits_admin(db)?)).await;
    if matches!(waits, Ok(true)) {
        let setup_token = auth::setup_token(&app.secrets);
        tracing::info!(
            setup_token,
            "the first account becomes the admin: register on this machine, or with this token"
        );
    }
}
