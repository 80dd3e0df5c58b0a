//! The server: one set of routes, bounded in what it accepts.

use super::error::ApiError;
use super::router;
use crate::app::App;
use crate::auth::caller;
use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::{HttpServer, web};
use std::net::TcpListener;
use std::time::Duration;
use utoipa_actix_web::{AppExt, scope};

/// Binds and starts the server; it runs as long as the returned future is polled.
///
/// # Errors
/// When the address cannot be listened on.
pub fn start(app: App, listener: TcpListener) -> std::io::Result<Server> {
    let data = web::Data::new(app);
    let server = HttpServer::new(move || {
        actix_web::App::new()
            .into_utoipa_app()
            .app_data(data.clone())
            .configure(router::outside)
            .service(scope::scope("/api/v1").wrap(from_fn(caller::identify)).configure(router::api))
            .into_app()
            .default_service(web::to(not_found))
    })
    .client_request_timeout(Duration::from_secs(10))
    .client_disconnect_timeout(Duration::from_secs(5))
    .keep_alive(Duration::from_secs(75))
    .shutdown_timeout(30)
    .listen(listener)?
    .run();
    Ok(server)
}

async fn not_found() -> Result<&'static str, ApiError> {
    Err(ApiError::not_found())
}
