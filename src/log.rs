//! What is logged, and where: a filter is understood before the first line, or refused.

use std::io::IsTerminal;
use std::str::FromStr;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// What is logged when nobody says otherwise.
pub const USUAL: &str = "info,actix_server=warn";

/// The crates that have something to log.
const LOGGING: [&str; 5] = ["traverse", "actix_server", "actix_web", "actix_http", "mio"];

/// What is to be logged, such as `info` or `traverse=debug,warn`.
#[derive(Clone, Debug)]
pub struct LogFilter(String);

/// A filter that cannot be meant.
#[derive(Debug, thiserror::Error)]
pub enum BadFilter {
    /// Not of the form of a filter.
    #[error("{0}; a level such as `info`, or `traverse=debug,warn`, is expected (RUST_LOG)")]
    Unreadable(String),
    /// The logging library would take it for a part of some program.
    #[error(
        "`{0}` is no level (off, error, warn, info, debug, trace) and no part of this program \
         such as `traverse=debug` (RUST_LOG)"
    )]
    NoLevel(String),
    /// It is of other programs.
    #[error("nothing of Traverse would be logged; add a level such as `info` (RUST_LOG)")]
    OfOthers,
}

impl FromStr for LogFilter {
    type Err = BadFilter;

    fn from_str(text: &str) -> Result<Self, BadFilter> {
        if let Err(error) = EnvFilter::try_new(text) {
            return Err(BadFilter::Unreadable(error.to_string()));
        }
        let mut is_of_us = false;
        for directive in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let target = directive.split(['=', '[']).next().unwrap_or(directive);
            let is_alone = target.len() == directive.len();
            let is_level = is_alone && target.parse::<LevelFilter>().is_ok();
            let is_part = is_in_use(target);
            if is_alone && !is_level && !is_part {
                return Err(BadFilter::NoLevel(directive.to_owned()));
            }
            is_of_us |= is_level || is_part;
        }
        if is_of_us { Ok(Self(text.to_owned())) } else { Err(BadFilter::OfOthers) }
    }
}

/// Whether anything is logged under this name, or under one that begins with it or is inside it.
fn is_in_use(target: &str) -> bool {
    let is_inside =
        |name: &str| target.strip_prefix(name).is_some_and(|rest| rest.starts_with("::"));
    LOGGING.iter().any(|name| name.starts_with(target) || is_inside(name))
}

impl Default for LogFilter {
    fn default() -> Self {
        Self(USUAL.to_owned())
    }
}

/// Starts the log on standard error: lines for people on a terminal, JSON for programs elsewhere.
pub fn start(filter: &LogFilter) {
    // Where standard error is gone, there is nowhere to say so.
    let log = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&filter.0))
        .with_writer(std::io::stderr)
        .log_internal_errors(false);
    // A test that starts several servers has a log already.
    let started = if std::io::stderr().is_terminal() {
        log.try_init()
    } else {
        log.json().flatten_event(true).with_span_list(false).try_init()
    };
    drop(started);
}
