//! `traverse serve`.

use super::Failed;
use crate::app::App;
use crate::auth;
use crate::clock::Clock;
use crate::config::Config;
use crate::db::tx::Work;
use crate::http::server;
use std::io::IsTerminal;
use std::net::TcpListener;
use tracing_subscriber::EnvFilter;

pub(super) fn run(config: Config) -> Result<(), Failed> {
    start_log();
    let listener = TcpListener::bind(config.listen)
        .map_err(|error| Failed::Io(format!("cannot listen on {}: {error}", config.listen)))?;
    let address = listener.local_addr().map_err(|error| Failed::Io(error.to_string()))?;
    let app = App::start(config, Clock::System)?;
    actix_web::rt::System::new()
        .block_on(async {
            show_setup_token(&app).await;
            tracing::info!(%address, "listening");
            server::start(app, listener)?.await
        })
        .map_err(|error| Failed::Io(error.to_string()))
}

/// Lines for people on a terminal, JSON for programs elsewhere. `RUST_LOG` chooses what is said.
fn start_log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A test that starts several servers has a log already.
    let started = if std::io::stderr().is_terminal() {
        log.try_init()
    } else {
        log.json().flatten_event(true).try_init()
    };
    drop(started);
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
