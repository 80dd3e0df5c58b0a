//! What a client has already: conditional requests (RFC 9110, section 13) on a feed.

use crate::db::instant::At;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use std::time::SystemTime;

/// What tells one document of a feed from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validators {
    /// The hash of the bytes, without quotes.
    pub etag: String,
    /// When that hash last changed, in whole seconds.
    pub modified_at: At,
}

impl Validators {
    /// `ETag`, a strong one.
    #[must_use]
    pub fn entity_tag(&self) -> String {
        entity_tag(&self.etag)
    }

    /// `Last-Modified`.
    #[must_use]
    pub fn last_modified(&self) -> String {
        httpdate::fmt_http_date(SystemTime::from(*self.modified_at))
    }
}

/// The header `ETag` of bytes with this hash.
#[must_use]
pub fn entity_tag(hash: &str) -> String {
    format!("\"{hash}\"")
}

/// When a document that replaces one of `before` was last modified: now in whole seconds, which is
/// all that HTTP can say, but later than before. So two documents never share a date, even when
/// one is fetched twice in a second and changes between, or the clock is set back.
#[must_use]
pub fn modified_at(before: Option<At>, now: At) -> At {
    let second = TimeDelta::seconds(1);
    let now = At::from(now.duration_trunc(second).unwrap_or(*now));
    before.map_or(now, |before| now.max(At::from(*before + second)))
}

/// What a client says that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conditions {
    /// Nothing, or nothing that can be read.
    Nothing,
    /// `If-None-Match: *`: anything.
    Anything,
    /// `If-None-Match`: what has one of these tags.
    Tags(Vec<String>),
    /// `If-Modified-Since`: what was of this date.
    Since(DateTime<Utc>),
}

impl Conditions {
    /// Reads the values of the headers `If-None-Match` and `If-Modified-Since`. The former wins: a
    /// client that sends both sends the latter for caches that know no tags.
    #[must_use]
    pub fn read(none_match: &[&[u8]], modified_since: &[&[u8]]) -> Self {
        if !none_match.is_empty() {
            return match none_match {
                [value] if value.trim_ascii() == b"*" => Self::Anything,
                values => Self::Tags(values.iter().flat_map(|value| tags(value)).collect()),
            };
        }
        // A date that is none, or several of them, must be ignored.
        let [value] = modified_since else {
            return Self::Nothing;
        };
        std::str::from_utf8(value)
            .ok()
            .and_then(|text| httpdate::parse_http_date(text.trim()).ok())
            .map_or(Self::Nothing, |date| Self::Since(date.into()))
    }

    /// Whether the client has what these validators are of, so that it need not be sent.
    #[must_use]
    pub fn hold(&self, current: &Validators) -> bool {
        match self {
            Self::Nothing => false,
            Self::Anything => true,
            Self::Tags(tags) => tags.contains(&current.etag),
            Self::Since(date) => *date >= *current.modified_at,
        }
    }
}

/// The tags of a list, without quotes. A weak one counts like a strong one (section 13.1.2), so the
/// mark is dropped. A tag may hold a comma. What follows after a fault is not read.
fn tags(list: &[u8]) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = list;
    loop {
        rest = rest.trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after;
            continue;
        }
        let opaque = rest.strip_prefix(b"W/").unwrap_or(rest);
        let Some(inner) = opaque.strip_prefix(b"\"") else {
            return tags;
        };
        let mut parts = inner.splitn(2, |&byte| byte == b'"');
        let (Some(tag), Some(after)) = (parts.next(), parts.next()) else {
            return tags;
        };
        tags.push(String::from_utf8_lossy(tag).into_owned());
        rest = after;
    }
}
