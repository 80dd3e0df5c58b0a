//! Where a request comes from.

use crate::app::App;
use actix_web::{HttpRequest, web};
use std::net::{IpAddr, Ipv4Addr};

/// The address of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The connection's, or the one that a trusted proxy tells.
    pub address: IpAddr,
    /// Whether the request was made on this machine, with no proxy between.
    pub is_local: bool,
}

/// Where `request` comes from. `X-Forwarded-For` counts from the right, and only as far as the
/// addresses are of trusted proxies: what is left of those a client can make up.
#[must_use]
pub fn peer(request: &HttpRequest) -> Peer {
    let connection = request
        .peer_addr()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.ip().to_canonical());
    let headers = request.headers();
    let proxied = headers.contains_key("x-forwarded-for") || headers.contains_key("forwarded");
    let is_local = connection.is_loopback() && !proxied;
    let Some(app) = request.app_data::<web::Data<App>>() else {
        return Peer { address: connection, is_local };
    };
    let mut address = connection;
    let mut hops: Vec<&[u8]> = headers
        .get_all("x-forwarded-for")
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .collect();
    while app.config.trusts(address) {
        match hops.pop().and_then(ip) {
            Some(hop) => address = hop.to_canonical(),
            None => break,
        }
    }
    Peer { address, is_local }
}

fn ip(hop: &[u8]) -> Option<IpAddr> {
    std::str::from_utf8(hop).ok()?.trim().parse().ok()
}
