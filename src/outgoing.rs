//! The one way out: every request to an address that a user gave goes through [`Outgoing`].
//!
//! What is always true: a user cannot make the program speak to the machine itself or to the network
//! that it stands in. That is decided about the address that is dialled, at the moment when it is
//! dialled, so that no name can mean something else by then. There is no proxy, no redirect is
//! followed, an answer is read to a bound and waited for to a limit. An operator may open single
//! addresses; only there the way may be without TLS.

mod address;
mod dial;

pub use address::is_public;

use dial::Dialer;
use http::{Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use ipnet::IpNet;
use rustls::{ClientConfig, RootCertStore};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// How much of an answer's body is read, in bytes; what is longer counts as empty.
const ANSWER: usize = 16 * 1024;

/// How long a connection that nobody uses is kept.
const IDLE: Duration = Duration::from_secs(30);

/// Connections to one host that are kept while nobody uses them.
const IDLE_CONNECTIONS: usize = 16;

/// Why an address is not spoken to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no URL.
    #[error("it is no URL")]
    Unreadable,
    /// It is a URL of something else.
    #[error("its scheme is `{0}`, expected https")]
    Scheme(String),
    /// It carries a password.
    #[error("it holds a user or a password")]
    Credentials,
    /// It leads into the network of the server. What a name means there is nothing to tell its user.
    #[error("it is no public address")]
    Private(IpAddr),
    /// Without TLS only what the operator has opened can be reached.
    #[error("https is expected, but for addresses that the operator has allowed")]
    Plain,
    /// The name has no address.
    #[error("`{0}` has no address")]
    Unknown(String),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The address is not spoken to.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// No connection, or it broke.
    #[error("no answer: {0}")]
    Broken(String),
    /// It took too long.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
}

/// The system has no certificates, or none that can be used.
#[derive(Debug, thiserror::Error)]
#[error("TLS cannot be set up: {0}")]
pub struct NoTls(String);

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: http::StatusCode,
    /// The headers.
    pub headers: http::HeaderMap,
    /// The body, where it was not too long.
    pub body: Bytes,
}

/// The client for addresses that users gave. Clones share their connections.
#[derive(Clone, Debug)]
pub struct Outgoing {
    client: Client<HttpsConnector<Dialer>, Full<Bytes>>,
    allowed: Arc<[IpNet]>,
}

impl Outgoing {
    /// A client that speaks to public addresses, and to those in `allowed`.
    ///
    /// # Errors
    /// Where TLS cannot be set up.
    pub fn new(allowed: &[IpNet]) -> Result<Self, NoTls> {
        let allowed: Arc<[IpNet]> = allowed.into();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| NoTls(error.to_string()))?
            .with_root_certificates(roots())
            .with_no_client_auth();
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(Dialer::new(Arc::clone(&allowed)));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build(connector);
        Ok(Self { client, allowed })
    }

    /// Reads an address that a user gave, as far as can be said without dialling it: names are looked
    /// up when they are dialled, and what they mean then counts.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn read(&self, url: &str) -> Result<Url, Refused> {
        let url = Url::parse(url).map_err(|_| Refused::Unreadable)?;
        let literal = match url.host().ok_or(Refused::Unreadable)? {
            Host::Domain(_) => None,
            Host::Ipv4(ip) => Some(IpAddr::V4(ip)),
            Host::Ipv6(ip) => Some(IpAddr::V6(ip)),
        };
        match url.scheme() {
            "https" => {}
            "http" if !self.allowed.is_empty() => {}
            "http" => return Err(Refused::Plain),
            other => return Err(Refused::Scheme(other.to_owned())),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refused::Credentials);
        }
        if let Some(ip) = literal {
            dial::permit(ip, url.scheme() == "https", &self.allowed)?;
        }
        Ok(url)
    }

    /// Sends a request and reads the answer, all within `limit`.
    ///
    /// # Errors
    /// [`Unanswered`]; an answer of any status is an answer.
    pub async fn send(
        &self,
        request: Request<Full<Bytes>>,
        limit: Duration,
    ) -> Result<Answer, Unanswered> {
        let exchange = async {
            let response = self.client.request(request).await.map_err(Unanswered::of)?;
            let (head, body) = response.into_parts();
            let body = match Limited::new(body, ANSWER).collect().await {
                Ok(body) => body.to_bytes(),
                Err(_) => Bytes::new(),
            };
            Ok(Answer { status: head.status, headers: head.headers, body })
        };
        tokio::time::timeout(limit, exchange).await.unwrap_or(Err(Unanswered::TimedOut(limit)))
    }
}

impl Unanswered {
    /// The reason at the bottom of an error of the client: ours, where we refused.
    #[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` wants")]
    fn of(error: hyper_util::client::legacy::Error) -> Self {
        let mut reason: &dyn std::error::Error = &error;
        loop {
            if let Some(refused) = reason.downcast_ref::<Refused>() {
                return Self::Refused(refused.clone());
            }
            match reason.source() {
                Some(source) => reason = source,
                None => return Self::Broken(reason.to_string()),
            }
        }
    }
}

/// An address of a request.
///
/// # Errors
/// Where it cannot be one.
pub fn uri(url: &Url) -> Result<Uri, Refused> {
    url.as_str().parse().map_err(|_| Refused::Unreadable)
}

/// Whom to trust: whom the system does, so that an operator can add to it; Mozilla's list where the
/// system has none, as in a container without anything.
fn roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}
