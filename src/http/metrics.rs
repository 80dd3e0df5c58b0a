//! `/metrics`: what the process has done, as Prometheus reads it (text format 0.0.4).
//!
//! A label is a method, the pattern of a route or a status: never what a client made up, so that
//! nobody can make the set grow.

use super::error::ApiError;
use super::limits::READY;
use super::peer::peer;
use crate::app::App;
use crate::auth::caller::{Admin, Caller, identify};
use crate::db::instant::At;
use crate::db::tx::Work;
use crate::jobs::tally::Tally;
use crate::notifications::tally::Tally as Deliveries;
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::from_fn;
use actix_web::{FromRequest, HttpRequest, HttpResponse, get, web};
use prometheus::{
    Encoder, HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    TextEncoder,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The route of what no route answers.
pub const UNROUTED: &str = "none";

/// Seconds; the last one is the limit of an ordinary request.
const BUCKETS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// The figures of a process.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Figures>);

#[derive(Debug)]
struct Figures {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    in_flight: IntGauge,
    connections: IntGaugeVec,
}

impl Metrics {
    /// Figures that begin at zero, of a process that starts `now`.
    ///
    /// # Errors
    /// When two of them have one name, which no test would let pass.
    pub fn new(now: At, jobs: &Tally, deliveries: &Deliveries) -> Result<Self, prometheus::Error> {
        let figures = Figures {
            registry: Registry::new(),
            requests: IntCounterVec::new(
                Opts::new("traverse_http_requests_total", "Requests answered."),
                &["method", "route", "status"],
            )?,
            durations: HistogramVec::new(
                HistogramOpts::new(
                    "traverse_http_request_duration_seconds",
                    "Time from the head of a request to the head of its answer.",
                )
                .buckets(BUCKETS.to_vec()),
                &["method", "route"],
            )?,
            in_flight: IntGauge::new(
                "traverse_http_requests_in_flight",
                "Requests that are being answered.",
            )?,
            connections: IntGaugeVec::new(
                Opts::new(
                    "traverse_database_connections",
                    "Connections to the database in use, and units of work that wait for one.",
                ),
                &["state"],
            )?,
        };
        let build = IntGaugeVec::new(
            Opts::new("traverse_build_info", "The version that runs; always 1."),
            &["version"],
        )?;
        build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        let start = IntGauge::new(
            "process_start_time_seconds",
            "When the process started, in seconds since the epoch.",
        )?;
        start.set(now.timestamp());
        figures.registry.register(Box::new(figures.requests.clone()))?;
        figures.registry.register(Box::new(figures.durations.clone()))?;
        figures.registry.register(Box::new(figures.in_flight.clone()))?;
        figures.registry.register(Box::new(figures.connections.clone()))?;
        for collector in jobs.collectors() {
            figures.registry.register(collector)?;
        }
        figures.registry.register(Box::new(deliveries.collector()))?;
        figures.registry.register(Box::new(build))?;
        figures.registry.register(Box::new(start))?;
        Ok(Self(Arc::new(figures)))
    }

    /// Counts a request as in flight until the returned value is dropped.
    #[must_use]
    pub fn begin(&self) -> InFlight {
        self.0.in_flight.inc();
        InFlight(self.0.in_flight.clone())
    }

    /// Counts an answer.
    pub fn answered(&self, method: &Method, route: &str, status: StatusCode, after: Duration) {
        let method = known(method);
        self.0.requests.with_label_values(&[method, route, status.as_str()]).inc();
        self.0.durations.with_label_values(&[method, route]).observe(after.as_secs_f64());
    }

    fn text(&self, (waiting, in_use): (usize, usize)) -> Result<Vec<u8>, prometheus::Error> {
        let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.0.connections.with_label_values(&["waiting"]).set(whole(waiting));
        self.0.connections.with_label_values(&["in_use"]).set(whole(in_use));
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.0.registry.gather(), &mut text)?;
        Ok(text)
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub struct InFlight(IntGauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A client may make up any method.
fn known(method: &Method) -> &str {
    match *method {
        Method::GET
        | Method::HEAD
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE
        | Method::OPTIONS => method.as_str(),
        _ => "other",
    }
}

/// Metrics
///
/// In the text format of Prometheus. On the machine itself no token is needed.
#[utoipa::path(
    operation_id = "get_metrics",
    tag = "instance",
    security((), ("bearer" = ["admin"])),
    responses(
        (status = 200, description = "The figures of this process",
            body = String, content_type = "text/plain"),
        (status = 401, description = "The request comes from elsewhere, and no valid token"),
        (status = 403, description = "The scope `admin` is needed"),
    ),
)]
#[get("/metrics", wrap = "from_fn(identify)")]
pub async fn metrics(request: HttpRequest, app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    if !peer(&request).is_local {
        Caller::<Admin>::extract(&request).await?;
    }
    // Without the database there are still the figures of the process.
    let depths: Result<Work<_>, _> =
        timeout(READY, app.pool.read(|db| Ok(crate::jobs::depths(db)?))).await;
    if let Ok(Ok((depths, now))) = depths {
        app.jobs.show(&depths, now);
    }
    let text = app.metrics.text(app.pool.load()).map_err(|error| {
        tracing::error!(%error, "the metrics cannot be written");
        ApiError::internal()
    })?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}
