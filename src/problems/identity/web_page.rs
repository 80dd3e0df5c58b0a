//! A URL, taken apart the way a browser does (WHATWG URL), less what does not matter.

use super::{LONGEST_URL, NotAProblem};
use percent_encoding::percent_decode_str;
use url::{ParseError, Url};

/// A page of the web: its host and the segments of its path.
pub(super) struct WebPage {
    host: String,
    path: Vec<String>,
}

impl WebPage {
    pub(super) fn parse(url: &str) -> Result<Self, NotAProblem> {
        let url = url.trim();
        if url.is_empty() {
            return Err(NotAProblem::NotAUrl("it is empty".to_owned()));
        }
        if let Some(page) = plain(url) {
            return Ok(page);
        }
        if url.chars().nth(LONGEST_URL).is_some() {
            return Err(NotAProblem::TooLong { what: "URL", most: LONGEST_URL });
        }
        // A browser drops tabs and newlines inside of a URL, which would join what they part.
        if url.chars().any(char::is_control) {
            return Err(NotAProblem::NotAUrl("it has a control character in it".to_owned()));
        }
        let url = Url::parse(url).map_err(|error| {
            NotAProblem::NotAUrl(match error {
                ParseError::RelativeUrlWithoutBase => {
                    "it does not begin with https:// or http://".to_owned()
                }
                error => error.to_string(),
            })
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(NotAProblem::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(NotAProblem::NotAUrl("it has a user name or a password in it".to_owned()));
        }
        Ok(Self { host: host(&url), path: path(&url) })
    }

    /// In lower case, without `www.` and the root's dot; with the port if it is unusual, so that
    /// it is then no host of any platform.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The segments, each percent-decoded once. Empty ones (`//`, or a slash at the end) are left
    /// out.
    pub(super) fn path(&self) -> &[String] {
        &self.path
    }
}

/// A URL in which there is nothing to normalise, as most are: the parser would give the same host
/// and path, in several times the time.
fn plain(url: &str) -> Option<WebPage> {
    let (host, path) = url.strip_prefix("https://")?.split_once('/')?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    let letters =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_lowercase());
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/');
    if url.len() > LONGEST_URL || !host.split('.').all(letters) || !path.bytes().all(harmless) {
        return None;
    }
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    Some(WebPage { host: host.to_owned(), path: segments.map(str::to_owned).collect() })
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_suffix('.').unwrap_or(host);
    let host = host.strip_prefix("www.").unwrap_or(host);
    match url.port() {
        None => host.to_owned(),
        Some(port) => format!("{host}:{port}"),
    }
}

fn path(url: &Url) -> Vec<String> {
    url.path().split('/').filter(|segment| !segment.is_empty()).map(decoded).collect()
}

/// Bytes that are no UTF-8 become U+FFFD, which is in no platform's alphabet.
fn decoded(segment: &str) -> String {
    let text = percent_decode_str(segment).decode_utf8_lossy();
    if text.contains('/') {
        // One segment must not pass for two. As it was written it has a `%`, which is in no
        // platform's alphabet.
        segment.to_owned()
    } else {
        text.into_owned()
    }
}
