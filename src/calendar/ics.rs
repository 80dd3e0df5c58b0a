//! The calendar feed as iCalendar text: RFC 5545, with `NAME` and `REFRESH-INTERVAL` of RFC 7986.
//!
//! What is always true of a document made here, whatever the titles and notes contain:
//!
//! - it is a function of its [`Feed`] and nothing else, so that equal feeds are equal bytes;
//! - every line ends with CRLF and has at most 75 octets; a fold falls neither inside a character
//!   nor inside an escape, for some readers undo escapes before folds;
//! - no text can end its own line: what a reader gets back of a value is [`plain_text`] of it;
//! - it is shorter than [`MAX_BYTES`], and what is left out is counted, never silent.

use std::fmt::Write as _;

use chrono::{DateTime, Datelike, NaiveDate, Timelike, Utc};
use url::Url;

/// A document is shorter than this (octets). Large subscribed calendars are refused by clients.
pub const MAX_BYTES: usize = 1_000_000;

/// Longer texts are cut here (octets before escaping) and end in `…`, so that one endless note
/// cannot push every other event out of the document.
pub const MAX_TEXT: usize = 8_000;

/// Longer URLs are left out (octets); no judge has one near to it.
pub const MAX_URL: usize = 2_000;

/// The longest physical line without its CRLF (octets; RFC 5545, 3.1).
const MAX_LINE: usize = 75;

/// Names the product, not its version: a release must not change the bytes of every feed.
const HEAD: [&str; 4] =
    ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Traverse//Revisions//EN", "CALSCALE:GREGORIAN"];
const REFRESH: [&str; 2] = ["REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H"];
const EVENT_TAIL: [&str; 4] =
    ["CLASS:PRIVATE", "STATUS:CONFIRMED", "TRANSP:TRANSPARENT", "END:VEVENT"];
const TAIL: &str = "END:VCALENDAR";

/// A user's feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// What a client calls the calendar.
    pub name: String,
    /// Most important first: a document that would be too long loses events from the end.
    pub events: Vec<Event>,
}

/// One revision as a reader's calendar shows it. Each text may hold any characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Stable and opaque; not empty, ASCII, and no two events of a feed share one.
    pub uid: String,
    /// When anything that the event shows last changed: `DTSTAMP` and `LAST-MODIFIED`, in whole
    /// seconds.
    pub changed_at: DateTime<Utc>,
    /// Grows with each change. Written within 0 to 2,147,483,647, all that the format has.
    pub sequence: i64,
    /// When it starts; there is no end (see [`Start`]).
    pub start: Start,
    /// The title, with whatever marks a completed revision.
    pub summary: String,
    /// Text of any number of lines; may be empty.
    pub description: String,
    /// Where the problem is. What is no absolute http or https URL is left out.
    pub url: Option<String>,
    /// Labels; empty ones are left out.
    pub categories: Vec<String>,
}

/// When an event starts. Without an end a day is that whole day, and an instant ends when it
/// starts (RFC 5545, 3.6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A local calendar day of no time zone.
    Day(NaiveDate),
    /// An instant, written in UTC: such a document needs no `VTIMEZONE`.
    Instant(DateTime<Utc>),
}

/// The document of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The body of the response. The strong `ETag` is over exactly these bytes.
    pub text: String,
    /// How many events it has.
    pub written: usize,
    /// How many it has not: those past the limit, and any outside of the years 1 to 9999, which the
    /// format cannot express.
    pub left_out: usize,
}

impl Feed {
    /// The whole feed, shorter than [`MAX_BYTES`]. A feed without events is a calendar without
    /// events.
    #[must_use]
    pub fn document(&self) -> Document {
        self.document_within(MAX_BYTES)
    }

    /// As [`Feed::document`], shorter than `limit` octets, but never without the calendar's own
    /// properties.
    #[must_use]
    pub fn document_within(&self, limit: usize) -> Document {
        let mut lines = Lines::default();
        lines.fixed(&HEAD);
        lines.text("NAME:", &self.name);
        lines.text("X-WR-CALNAME:", &self.name);
        lines.fixed(&REFRESH);

        let mut written = 0;
        for event in &self.events {
            let before = lines.out.len();
            let expressible = lines.event(event).is_some();
            let fits = lines.out.len() + TAIL.len() + "\r\n".len() < limit;
            if expressible && fits {
                written += 1;
                continue;
            }
            // An event, whole or not, ends where a line does: the column needs no repair.
            lines.out.truncate(before);
            if !fits {
                break;
            }
        }
        lines.fixed(&[TAIL]);
        Document { text: lines.out, written, left_out: self.events.len() - written }
    }
}

/// What a reader gets back of any text that is written into a feed.
///
/// - Every line break of the Unicode standard (5.8: CR LF, CR, LF, VT, FF, NEL, U+2028, U+2029)
///   becomes one LF; a tab becomes a space, so that words stay apart.
/// - All other control characters and all non-characters are removed.
/// - So are the characters that embed, override or isolate a direction (U+202A to U+202E, U+2066
///   to U+2069): one left open in a title turns round everything that is shown after it. Hebrew or
///   Arabic needs none of them, and the marks LRM, RLM and ALM stay.
/// - A text of more than [`MAX_TEXT`] octets is cut and ends in `…`.
#[must_use]
pub fn plain_text(value: &str) -> String {
    let mut plain = String::with_capacity(value.len().min(MAX_TEXT));
    let mut rest = value.chars().peekable();
    while let Some(c) = rest.next() {
        let kept = match c {
            '\r' => {
                rest.next_if_eq(&'\n');
                '\n'
            }
            '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
            '\t' => ' ',
            c if c.is_control() || is_noncharacter(c) || turns_direction(c) => continue,
            c => c,
        };
        if plain.len() + kept.len_utf8() > MAX_TEXT {
            plain.push('…');
            break;
        }
        plain.push(kept);
    }
    plain
}

/// The 66 code points that are never characters (Unicode, 23.7).
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe
}

/// The explicit directional formatting characters (UAX #9, 2.1 to 2.5).
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The URI of a URL, or none when it must not be in a calendar: not absolute, not http or https,
/// with white space or control characters (which a lenient parser would repair into another
/// address), with credentials, or too long. The result is ASCII of RFC 3986.
fn uri(candidate: &str) -> Option<String> {
    if candidate.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    let url = Url::parse(candidate).ok()?;
    let anonymous = url.username().is_empty() && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || !anonymous {
        return None;
    }
    // A browser would find a host in `https:x` and `https:///x`, too.
    let authority = candidate.get(url.scheme().len()..)?.strip_prefix("://")?;
    if authority.starts_with(['/', '\\']) {
        return None;
    }
    let mut uri = String::with_capacity(url.as_str().len());
    for c in url.as_str().chars() {
        match c {
            // Browsers let these stand in a query; RFC 3986 has no such characters.
            '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' => {
                write!(uri, "%{:02X}", u32::from(c)).ok()?;
            }
            c => uri.push(c),
        }
    }
    (uri.len() <= MAX_URL).then_some(uri)
}

/// `YYYYMMDD`, or none outside of the years 1 to 9999.
fn date(day: NaiveDate) -> Option<String> {
    let expressible = (1..=9999).contains(&day.year());
    expressible.then(|| format!("{:04}{:02}{:02}", day.year(), day.month(), day.day()))
}

/// `YYYYMMDDTHHMMSSZ`. A leap second is the second before it: readers refuse `60`.
fn instant(at: DateTime<Utc>) -> Option<String> {
    let day = date(at.date_naive())?;
    Some(format!("{day}T{:02}{:02}{:02}Z", at.hour(), at.minute(), at.second()))
}

/// Content lines, folded as they grow: linear in what is written.
#[derive(Default)]
struct Lines {
    out: String,
    /// Octets of the physical line so far.
    column: usize,
}

impl Lines {
    /// Lines that are known to fit and to need no escapes.
    fn fixed(&mut self, lines: &[&str]) {
        for line in lines {
            self.unit(line);
            self.end();
        }
    }

    /// A property of type TEXT (RFC 5545, 3.3.11).
    fn text(&mut self, name: &str, value: &str) {
        self.unit(name);
        self.escaped(&plain_text(value));
        self.end();
    }

    /// A property whose value is ASCII and is not escaped: a number, a time, a URI.
    fn verbatim(&mut self, name: &str, value: &str) {
        self.unit(name);
        for c in value.chars() {
            self.character(c);
        }
        self.end();
    }

    /// One `VEVENT`, or none (with some of its lines written) when a time is not expressible.
    fn event(&mut self, event: &Event) -> Option<()> {
        self.fixed(&["BEGIN:VEVENT"]);
        self.text("UID:", &event.uid);
        let changed_at = instant(event.changed_at)?;
        self.verbatim("DTSTAMP:", &changed_at);
        self.verbatim("LAST-MODIFIED:", &changed_at);
        let sequence = event.sequence.clamp(0, i64::from(i32::MAX));
        self.verbatim("SEQUENCE:", &sequence.to_string());
        match event.start {
            Start::Day(day) => self.verbatim("DTSTART;VALUE=DATE:", &date(day)?),
            Start::Instant(at) => self.verbatim("DTSTART:", &instant(at)?),
        }
        self.text("SUMMARY:", &event.summary);
        self.text("DESCRIPTION:", &event.description);
        if let Some(uri) = event.url.as_deref().and_then(uri) {
            self.verbatim("URL:", &uri);
        }
        self.categories(&event.categories);
        self.fixed(&EVENT_TAIL);
        Some(())
    }

    /// One `CATEGORIES` line: only the commas between two values stand unescaped. All together
    /// have [`MAX_TEXT`] octets at most.
    fn categories(&mut self, categories: &[String]) {
        let mut separator = "CATEGORIES:";
        let mut room = MAX_TEXT;
        for category in categories.iter().map(|category| plain_text(category)) {
            if category.is_empty() {
                continue;
            }
            let Some(left) = room.checked_sub(category.len()) else {
                break;
            };
            room = left;
            self.unit(separator);
            self.escaped(&category);
            separator = ",";
        }
        if separator == "," {
            self.end();
        }
    }

    fn escaped(&mut self, plain: &str) {
        for c in plain.chars() {
            match c {
                '\\' => self.unit("\\\\"),
                ';' => self.unit("\\;"),
                ',' => self.unit("\\,"),
                '\n' => self.unit("\\n"),
                c => self.character(c),
            }
        }
    }

    fn character(&mut self, c: char) {
        self.unit(c.encode_utf8(&mut [0; 4]));
    }

    /// Writes what must stay in one piece, on a continuation line when this one is full.
    fn unit(&mut self, unit: &str) {
        if self.column + unit.len() > MAX_LINE {
            self.out.push_str("\r\n ");
            self.column = 1;
        }
        self.out.push_str(unit);
        self.column += unit.len();
    }

    fn end(&mut self) {
        self.out.push_str("\r\n");
        self.column = 0;
    }
}
