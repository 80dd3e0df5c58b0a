//! A lint of calendar feeds that looks at bytes and shares no code with the emitter.
//!
//! It knows the rules of the feed (RFC 5545 and what this project adds), undoes folds and escapes
//! by itself, and names every fault with the physical line where it is. What it does not know is
//! refused: a property or a component that is not on its list is a fault. A document in which it
//! finds nothing to check is a fault too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What a document can break. `lint_rules.rs` breaks each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    Empty,
    Size,
    Encoding,
    LineEnd,
    LineLength,
    SplitCharacter,
    SplitEscape,
    Fold,
    Control,
    NonCharacter,
    Direction,
    ContentLine,
    Nesting,
    Missing,
    Repeated,
    Forbidden,
    Value,
    Escape,
    SharedUid,
}

impl Rule {
    pub const ALL: [Self; 19] = [
        Self::Empty,
        Self::Size,
        Self::Encoding,
        Self::LineEnd,
        Self::LineLength,
        Self::SplitCharacter,
        Self::SplitEscape,
        Self::Fold,
        Self::Control,
        Self::NonCharacter,
        Self::Direction,
        Self::ContentLine,
        Self::Nesting,
        Self::Missing,
        Self::Repeated,
        Self::Forbidden,
        Self::Value,
        Self::Escape,
        Self::SharedUid,
    ];
}

/// One fault, at a physical line counted from 1.
#[derive(Clone, PartialEq, Eq)]
pub struct Fault {
    pub rule: Rule,
    pub line: usize,
    pub found: String,
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {:?}: {}", self.line, self.rule, self.found)
    }
}

/// An event as a reader gets it: unfolded, unescaped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Read {
    pub uid: String,
    pub stamp: String,
    pub sequence: String,
    pub start: String,
    pub summary: String,
    pub description: String,
    pub url: Option<String>,
    pub categories: Vec<String>,
}

/// What a document says, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Report {
    pub faults: Vec<Fault>,
    pub name: String,
    pub events: Vec<Read>,
}

/// A content line after unfolding.
struct Line {
    number: usize,
    name: String,
    parameters: String,
    value: String,
}

const MAX_BYTES: usize = 1_000_000;

/// Name, parameters, kind of value, whether it must be there. None may be there twice.
type Property = (&'static str, &'static str, Kind, bool);

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Is(&'static str),
    Text,
    Texts,
    Instant,
    Start,
    Number,
    Uri,
}

const CALENDAR: [Property; 7] = [
    ("VERSION", "", Kind::Is("2.0"), true),
    ("PRODID", "", Kind::Text, true),
    ("CALSCALE", "", Kind::Is("GREGORIAN"), true),
    ("NAME", "", Kind::Text, true),
    ("X-WR-CALNAME", "", Kind::Text, true),
    ("REFRESH-INTERVAL", "VALUE=DURATION", Kind::Is("PT1H"), true),
    ("X-PUBLISHED-TTL", "", Kind::Is("PT1H"), true),
];

const EVENT: [Property; 12] = [
    ("UID", "", Kind::Text, true),
    ("DTSTAMP", "", Kind::Instant, true),
    ("LAST-MODIFIED", "", Kind::Instant, true),
    ("SEQUENCE", "", Kind::Number, true),
    ("DTSTART", "", Kind::Start, true),
    ("SUMMARY", "", Kind::Text, true),
    ("DESCRIPTION", "", Kind::Text, true),
    ("URL", "", Kind::Uri, false),
    ("CATEGORIES", "", Kind::Texts, false),
    ("CLASS", "", Kind::Is("PRIVATE"), true),
    ("STATUS", "", Kind::Is("CONFIRMED"), true),
    ("TRANSP", "", Kind::Is("TRANSPARENT"), true),
];

/// Looks at a whole document.
pub fn lint(document: &[u8]) -> Report {
    let mut report = Report::default();
    if document.is_empty() {
        report.fault(Rule::Empty, 0, "no bytes");
        return report;
    }
    if document.len() >= MAX_BYTES {
        report.fault(Rule::Size, 0, &format!("{} octets", document.len()));
    }
    let physical = report.physical_lines(document);
    let Ok(text) = std::str::from_utf8(document) else {
        report.not_utf8(&physical);
        return report;
    };
    report.characters(text);
    let lines = report.unfold(&physical);
    report.components(&lines);
    report
}

impl Report {
    /// The rules that were broken.
    pub fn rules(&self) -> BTreeSet<Rule> {
        self.faults.iter().map(|fault| fault.rule).collect()
    }

    fn fault(&mut self, rule: Rule, line: usize, found: &str) {
        let found = found.escape_debug().to_string();
        self.faults.push(Fault { rule, line, found });
    }

    fn characters(&mut self, text: &str) {
        for (row, line) in text.split("\r\n").enumerate() {
            for c in line.chars() {
                let code = u32::from(c);
                let rule = match code {
                    // Bare ones are faults of line ends.
                    0x0a | 0x0d => continue,
                    0..=0x1f | 0x7f..=0x9f | 0x2028 | 0x2029 => Rule::Control,
                    0xfdd0..=0xfdef => Rule::NonCharacter,
                    _ if code % 0x1_0000 >= 0xfffe => Rule::NonCharacter,
                    0x202a..=0x202e | 0x2066..=0x2069 => Rule::Direction,
                    _ => continue,
                };
                self.fault(rule, row + 1, &format!("U+{code:04X}"));
            }
        }
    }

    fn physical_lines<'a>(&mut self, document: &'a [u8]) -> Vec<&'a [u8]> {
        let mut lines = Vec::new();
        for (row, piece) in document.split(|&byte| byte == b'\n').enumerate() {
            lines.push(match piece.strip_suffix(b"\r") {
                Some(line) => line,
                None => piece,
            });
            if !piece.ends_with(b"\r") && !piece.is_empty() {
                self.fault(Rule::LineEnd, row + 1, "no CRLF");
            }
        }
        // The last piece is what follows the last LF: nothing, if all lines are ended.
        if lines.last() == Some(&[].as_slice()) {
            lines.pop();
        }
        for (row, line) in lines.iter().enumerate() {
            if line.contains(&b'\r') {
                self.fault(Rule::LineEnd, row + 1, "bare CR");
            }
            if line.is_empty() {
                self.fault(Rule::LineEnd, row + 1, "empty line");
            }
            if line.len() > 75 {
                self.fault(Rule::LineLength, row + 1, &format!("{} octets", line.len()));
            }
        }
        lines
    }

    /// Bytes that are UTF-8 once the folds are gone had a fold inside a character.
    fn not_utf8(&mut self, physical: &[&[u8]]) {
        let mut unfolded = Vec::new();
        for line in physical {
            unfolded.extend_from_slice(line.strip_prefix(b" ").unwrap_or(line));
        }
        let split = std::str::from_utf8(&unfolded).is_ok();
        let rule = if split { Rule::SplitCharacter } else { Rule::Encoding };
        for (row, line) in physical.iter().enumerate() {
            if std::str::from_utf8(line).is_err() {
                self.fault(rule, row + 1, &String::from_utf8_lossy(line));
            }
        }
    }

    fn unfold(&mut self, physical: &[&[u8]]) -> Vec<Line> {
        let mut logical: Vec<(usize, Vec<u8>)> = Vec::new();
        for (row, line) in physical.iter().enumerate() {
            match (line.strip_prefix(b" "), logical.last_mut()) {
                (None, _) => logical.push((row + 1, line.to_vec())),
                (Some([]), _) => self.fault(Rule::Fold, row + 1, "a fold of nothing"),
                (Some(_), None) => self.fault(Rule::Fold, row + 1, "a fold of no line"),
                (Some(rest), Some((_, whole))) => {
                    if whole.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1 {
                        self.fault(Rule::SplitEscape, row + 1, "a fold after a lone backslash");
                    }
                    whole.extend_from_slice(rest);
                }
            }
        }
        let mut lines = Vec::new();
        for (number, bytes) in logical {
            let line = String::from_utf8_lossy(&bytes).into_owned();
            let Some((head, value)) = line.split_once(':') else {
                self.fault(Rule::ContentLine, number, "no colon");
                continue;
            };
            let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
            if name.is_empty()
                || !name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-')
            {
                self.fault(Rule::ContentLine, number, name);
                continue;
            }
            lines.push(Line {
                number,
                name: name.to_owned(),
                parameters: parameters.to_owned(),
                value: value.to_owned(),
            });
        }
        lines
    }

    /// One `VCALENDAR` that is the whole document, with `VEVENT`s that hold no other component.
    fn components(&mut self, lines: &[Line]) {
        let mut open: Vec<(&Line, Vec<&Line>)> = Vec::new();
        let mut calendars = 0;
        let mut uids = BTreeSet::new();
        for line in lines {
            match (line.name.as_str(), open.len()) {
                ("BEGIN", depth) => {
                    let known = ["VCALENDAR", "VEVENT"].get(depth) == Some(&line.value.as_str());
                    if !known {
                        self.fault(Rule::Forbidden, line.number, &line.value);
                    }
                    open.push((line, Vec::new()));
                }
                ("END", _) => match open.pop() {
                    Some((begin, of_calendar)) if begin.value == "VCALENDAR" => {
                        calendars += 1;
                        self.end(begin, line);
                        let read = self.properties(&CALENDAR, begin, &of_calendar);
                        self.name = read.get("NAME").cloned().unwrap_or_default();
                        if read.get("X-WR-CALNAME") != read.get("NAME") {
                            self.fault(Rule::Value, begin.number, "two names");
                        }
                    }
                    Some((begin, of_event)) => {
                        self.end(begin, line);
                        let event = self.event(begin, &of_event);
                        if !uids.insert(event.uid.clone()) {
                            self.fault(Rule::SharedUid, begin.number, &event.uid);
                        }
                        self.events.push(event);
                    }
                    None => self.fault(Rule::Nesting, line.number, "END without BEGIN"),
                },
                (_, 0) => self.fault(Rule::Nesting, line.number, "outside of the calendar"),
                (_, depth) => {
                    if let Some((_, of_component)) = open.get_mut(depth - 1) {
                        of_component.push(line);
                    }
                }
            }
        }
        if let Some((begin, _)) = open.last() {
            self.fault(Rule::Nesting, begin.number, "BEGIN without END");
        }
        if calendars != 1 {
            self.fault(Rule::Empty, 0, &format!("{calendars} calendars"));
        }
    }

    fn end(&mut self, begin: &Line, end: &Line) {
        if begin.value != end.value {
            self.fault(Rule::Nesting, end.number, &format!("{} ends {}", end.value, begin.value));
        }
    }

    fn event(&mut self, begin: &Line, lines: &[&Line]) -> Read {
        let read = self.properties(&EVENT, begin, lines);
        let value = |name| read.get(name).cloned().unwrap_or_default();
        if value("DTSTAMP") != value("LAST-MODIFIED") {
            self.fault(Rule::Value, begin.number, "DTSTAMP is not LAST-MODIFIED");
        }
        let categories = lines.iter().find(|line| line.name == "CATEGORIES");
        Read {
            uid: value("UID"),
            stamp: value("DTSTAMP"),
            sequence: value("SEQUENCE"),
            start: value("DTSTART"),
            summary: value("SUMMARY"),
            description: value("DESCRIPTION"),
            url: read.get("URL").cloned(),
            categories: categories
                .and_then(|line| unescape(&line.value, true).ok())
                .unwrap_or_default(),
        }
    }

    fn properties(
        &mut self,
        known: &[Property],
        begin: &Line,
        lines: &[&Line],
    ) -> BTreeMap<&'static str, String> {
        let mut read = BTreeMap::new();
        for line in lines {
            let Some(&(name, parameters, kind, _)) = known.iter().find(|p| p.0 == line.name) else {
                self.fault(Rule::Forbidden, line.number, &line.name);
                continue;
            };
            let parameters_fit = match kind {
                Kind::Start if line.parameters == "VALUE=DATE" => is_day(&line.value),
                Kind::Start => line.parameters.is_empty() && is_instant(&line.value),
                _ => line.parameters == parameters,
            };
            let value_fits = match kind {
                Kind::Is(value) => line.value == value,
                Kind::Instant => is_instant(&line.value),
                Kind::Number => line.value.parse::<u32>().is_ok_and(|n| n < 1 << 31),
                Kind::Uri => is_uri(&line.value),
                Kind::Text | Kind::Texts | Kind::Start => true,
            };
            if !parameters_fit || !value_fits {
                let found = format!("{name};{}:{}", line.parameters, line.value);
                self.fault(Rule::Value, line.number, &found);
            }
            let value = match kind {
                Kind::Text | Kind::Texts => match unescape(&line.value, kind == Kind::Texts) {
                    Ok(values) => values.concat(),
                    Err(found) => {
                        self.fault(Rule::Escape, line.number, &found);
                        continue;
                    }
                },
                _ => line.value.clone(),
            };
            if name == "UID" && value.is_empty() {
                self.fault(Rule::Value, line.number, "an empty UID");
            }
            if read.insert(name, value).is_some() {
                self.fault(Rule::Repeated, line.number, name);
            }
        }
        for &(name, _, _, required) in known {
            if required && !lines.iter().any(|line| line.name == name) {
                self.fault(Rule::Missing, begin.number, name);
            }
        }
        read
    }
}

/// The values of a TEXT property; bare commas separate them where it may have several.
fn unescape(value: &str, several: bool) -> Result<Vec<String>, String> {
    let mut values = vec![String::new()];
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        let meant = match c {
            '\\' => match rest.next() {
                Some('n') => '\n',
                Some(escaped @ ('\\' | ';' | ',')) => escaped,
                other => return Err(format!("\\ before {other:?}")),
            },
            ',' if several => {
                values.push(String::new());
                continue;
            }
            ',' | ';' => return Err(format!("a bare {c}")),
            c => c,
        };
        if let Some(last) = values.last_mut() {
            last.push(meant);
        }
    }
    if several && values.iter().any(String::is_empty) {
        return Err("an empty value".to_owned());
    }
    Ok(values)
}

fn has_shape(value: &str, shape: &str) -> bool {
    value.len() == shape.len()
        && value.bytes().zip(shape.bytes()).all(|(byte, place)| match place {
            b'0' => byte.is_ascii_digit(),
            _ => byte == place,
        })
}

fn is_day(value: &str) -> bool {
    let number = |from, to| value.get(from..to).and_then(|digits| digits.parse::<u32>().ok());
    has_shape(value, "00000000")
        && number(0, 4).is_some_and(|year| year > 0)
        && number(4, 6).is_some_and(|month| (1..=12).contains(&month))
        && number(6, 8).is_some_and(|day| (1..=31).contains(&day))
}

fn is_instant(value: &str) -> bool {
    let number = |from, to| value.get(from..to).and_then(|digits| digits.parse::<u32>().ok());
    has_shape(value, "00000000T000000Z")
        && value.get(..8).is_some_and(is_day)
        && number(9, 11).is_some_and(|hour| hour < 24)
        && number(11, 13).is_some_and(|minute| minute < 60)
        && number(13, 15).is_some_and(|second| second < 60)
}

/// The characters of RFC 3986 only, and an authority.
fn is_uri(value: &str) -> bool {
    let rest = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"));
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b);
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && rest.bytes().all(allowed))
}
