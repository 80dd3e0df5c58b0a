//! How a connection is made: to an address that was looked at, and to no other.

use super::{Refused, is_public};
use http::Uri;
use hyper_util::rt::TokioIo;
use ipnet::IpNet;
use std::error::Error;
use std::future::Future;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tower_service::Service;

/// How long one address of a host is tried.
const CONNECTING: Duration = Duration::from_secs(5);

/// Addresses of one host that are tried.
const ADDRESSES: usize = 4;

/// Names that are looked up at once. Whoever runs a name server can let each look-up last, and it has a
/// thread for that long, also when nobody waits for it any more.
const LOOK_UPS: usize = 64;

type Reason = Box<dyn Error + Send + Sync>;

/// Makes connections to public addresses, and to those that the operator has allowed.
#[derive(Clone, Debug)]
pub(super) struct Dialer {
    allowed: Arc<[IpNet]>,
    look_ups: Arc<Semaphore>,
}

impl Dialer {
    pub(super) fn new(allowed: Arc<[IpNet]>) -> Self {
        Self { allowed, look_ups: Arc::new(Semaphore::new(LOOK_UPS)) }
    }
}

/// Whether an address may be dialled.
pub(super) fn permit(ip: IpAddr, with_tls: bool, allowed: &[IpNet]) -> Result<(), Refused> {
    // What an operator allows, is allowed in any dress.
    let bare = ip.to_canonical();
    if allowed.iter().any(|network| network.contains(&bare)) {
        return Ok(());
    }
    if !is_public(ip) {
        return Err(Refused::Private(ip));
    }
    if with_tls { Ok(()) } else { Err(Refused::Plain) }
}

impl Service<Uri> for Dialer {
    type Response = TokioIo<TcpStream>;
    type Error = Reason;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Reason>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Reason>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dialer = self.clone();
        Box::pin(async move { Ok(TokioIo::new(dialer.dial(&uri).await?)) })
    }
}

impl Dialer {
    async fn dial(&self, uri: &Uri) -> Result<TcpStream, Reason> {
        let with_tls = uri.scheme_str() == Some("https");
        let host = uri.host().ok_or(Refused::Unreadable)?;
        let port = uri.port_u16().unwrap_or(if with_tls { 443 } else { 80 });
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let addresses = match bare.parse::<IpAddr>() {
            Ok(ip) => vec![SocketAddr::new(ip, port)],
            Err(_) => self.look_up(host, port).await?,
        };
        let mut failure: Reason = Refused::Unknown(host.to_owned()).into();
        for address in addresses {
            if let Err(refused) = permit(address.ip(), with_tls, &self.allowed) {
                failure = refused.into();
                continue;
            }
            match tokio::time::timeout(CONNECTING, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Ok(Err(error)) => failure = error.into(),
                Err(_) => failure = format!("no connection within {CONNECTING:?}").into(),
            }
        }
        Err(failure)
    }

    async fn look_up(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Reason> {
        let turn = Arc::clone(&self.look_ups).acquire_owned().await?;
        let name = host.to_owned();
        let found = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            Ok::<Vec<_>, std::io::Error>(
                (name.as_str(), port).to_socket_addrs()?.take(ADDRESSES).collect(),
            )
        });
        Ok(found.await??)
    }
}
