//! The server: one set of routes, bounded in what it accepts.

use super::{limits, manners, router, unrouted};
use crate::app::App;
use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::rt::net::TcpStream;
use actix_web::{HttpServer, web};
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use std::any::Any;
use std::net::{SocketAddr, TcpListener};
use utoipa_actix_web::AppExt;

/// Listens on an address.
///
/// # Errors
/// When somebody else does, or the system does not allow it.
pub fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A server that was just stopped leaves connections behind that would keep the address.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(limits::BACKLOG)?;
    Ok(socket.into())
}

/// Starts the server; it runs as long as the returned future is polled, and is stopped by its
/// handle: signals are the caller's affair.
///
/// # Errors
/// When the listener cannot be used.
pub fn start(app: App, listener: TcpListener) -> std::io::Result<Server> {
    let data = web::Data::new(app);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let server = HttpServer::new(move || {
        actix_web::App::new()
            .into_utoipa_app()
            .app_data(data.clone())
            .configure(router::routes)
            .into_app()
            .default_service(web::to(unrouted::answer))
            .wrap(from_fn(manners::keep))
    })
    .workers(workers)
    .max_connections(limits::CONNECTIONS.div_ceil(workers))
    .client_request_timeout(limits::HEAD)
    .client_disconnect_timeout(limits::CLOSING)
    .keep_alive(limits::KEEP_ALIVE)
    .shutdown_timeout(limits::STOPPING_SECONDS)
    .disable_signals()
    .on_connect(|connection, _| drop_when_unread(connection))
    .listen(listener)?
    .run();
    Ok(server)
}

/// The library waits for ever for a client that does not read; the system need not.
fn drop_when_unread(connection: &dyn Any) {
    #[cfg(target_os = "linux")]
    if let Some(stream) = connection.downcast_ref::<TcpStream>()
        && let Err(error) = SockRef::from(stream).set_tcp_user_timeout(Some(limits::UNREAD))
    {
        tracing::debug!(%error, "a connection has no limit for being read");
    }
}
