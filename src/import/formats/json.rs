//! JSON as a stream: a document is walked member by member, its rows element by element.
//!
//! Always true: at most one element is held. An element is read into its own struct from the
//! window, without a second pass over its bytes; only where that fails its end is looked for, so
//! that the next one is found again.

use std::borrow::Cow;

use serde::Deserialize;

use super::rows::{Outcome, Reason, Rows};
use super::unreadable::{Halt, Unreadable};
use super::window::{ROW_LIMIT, Window};

/// Bytes that a member beside the rows may have.
const MEMBER_LIMIT: usize = 64 << 10;

/// A string that is borrowed where it can be, also inside of `Option` and `Vec`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Text<'_>> for String {
    fn from(text: Text<'_>) -> Self {
        text.0.into_owned()
    }
}

/// What became of trying to read one value.
pub(super) enum Attempt<T> {
    /// It was read, from so many bytes.
    Read(T, usize),
    /// It goes on behind the bytes that there were.
    Cut,
    /// It is no such value.
    Bad(Reason),
}

/// Reads the value at the beginning of `bytes` as a row and turns it into its outcome.
pub(super) fn row<'s, T: Deserialize<'s>>(
    bytes: &'s [u8],
    outcome: impl FnOnce(T) -> Outcome,
) -> Attempt<Outcome> {
    // A struct can also be read from an array, by position; no format means that.
    if bytes.first() == Some(&b'{') {
        value(bytes, outcome)
    } else {
        Attempt::Bad("a row must be a JSON object".into())
    }
}

fn value<'s, T: Deserialize<'s>, R>(bytes: &'s [u8], then: impl FnOnce(T) -> R) -> Attempt<R> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<T>();
    match values.next() {
        Some(Ok(value)) => Attempt::Read(then(value), values.byte_offset()),
        Some(Err(error)) if error.is_eof() => Attempt::Cut,
        Some(Err(error)) => Attempt::Bad(explain::<T>(bytes, &error)),
        None => Attempt::Cut,
    }
}

/// The words for a value that is not what it should be, with the member that is to blame. The
/// value is read a second time, since keeping track of members would slow down the good ones.
fn explain<'s, T: Deserialize<'s>>(bytes: &'s [u8], error: &serde_json::Error) -> Reason {
    let mut again = serde_json::Deserializer::from_slice(bytes);
    let path = match serde_path_to_error::deserialize::<_, T>(&mut again) {
        Ok(_) => String::new(),
        Err(error) => error.path().to_string(),
    };
    let text = error.to_string();
    // The place is one within the element, which says nothing to a person.
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&place).unwrap_or(&text);
    if path.is_empty() || path == "." || text.starts_with("unknown field") {
        text.to_owned().into()
    } else {
        format!("{path}: {text}").into()
    }
}

/// A value that has members or elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    Array,
    Object,
}

/// Walks the documents of a file, one after another.
pub(super) struct Json<'w, 'r> {
    window: &'w mut Window<'r>,
    /// Whether nothing has come yet in the innermost container.
    fresh: bool,
    rows: u64,
}

impl<'w, 'r> Json<'w, 'r> {
    pub(super) fn over(window: &'w mut Window<'r>) -> Self {
        Self { window, fresh: true, rows: 0 }
    }

    /// Steps into the next document; none at the end of the file.
    pub(super) fn document(&mut self) -> Result<Option<Open>, Halt> {
        match self.glance()? {
            None => Ok(None),
            Some(_) => {
                self.open()?.map_or_else(|| Err(self.malformed("“[” or “{”")), |o| Ok(Some(o)))
            }
        }
    }

    /// Steps into the value that comes, if it is an array or an object.
    pub(super) fn open(&mut self) -> Result<Option<Open>, Halt> {
        let open = match self.glance()? {
            Some(b'[') => Open::Array,
            Some(b'{') => Open::Object,
            Some(_) => return Ok(None),
            None => return Err(self.broken_off()),
        };
        self.window.advance(1);
        self.fresh = true;
        Ok(Some(open))
    }

    /// The name of the next member; none at the end of the object.
    pub(super) fn member(&mut self) -> Result<Option<String>, Halt> {
        if self.at_end_of(b'}', "“,” or “}”")? {
            return Ok(None);
        }
        if self.glance()? != Some(b'"') {
            return Err(self.malformed("the name of a member"));
        }
        let Ok(name) = self.small::<String>()? else {
            return Err(self.malformed("the name of a member"));
        };
        match self.glance()? {
            Some(b':') => self.window.advance(1),
            Some(_) => return Err(self.malformed("“:”")),
            None => return Err(self.broken_off()),
        }
        Ok(Some(name))
    }

    /// The value that comes, read as a small one; what is wrong with it if it is none such.
    pub(super) fn small<T: for<'s> Deserialize<'s>>(&mut self) -> Result<Result<T, Reason>, Halt> {
        if self.glance()?.is_none() {
            return Err(self.broken_off());
        }
        self.bounded(MEMBER_LIMIT, |bytes| value(bytes, |value: T| value))
    }

    /// Passes over the value that comes.
    pub(super) fn skip(&mut self) -> Result<(), Halt> {
        if self.glance()?.is_none() {
            return Err(self.broken_off());
        }
        self.pass_value()
    }

    /// Gives each element of the array that was stepped into, to its end.
    pub(super) fn rows(
        &mut self,
        rows: &mut Rows<'_>,
        mut read: impl FnMut(&[u8]) -> Attempt<Outcome>,
    ) -> Result<(), Halt> {
        while !self.at_end_of(b']', "“,” or “]”")? {
            if self.glance()?.is_none() {
                return Err(self.broken_off());
            }
            let outcome = self.bounded(ROW_LIMIT, &mut read)?;
            self.rows += 1;
            rows.give(None, outcome.unwrap_or_else(Outcome::Rejected))?;
        }
        Ok(())
    }

    /// Tries to read the value that comes, of at most `limit` bytes, and passes over it.
    fn bounded<R>(
        &mut self,
        limit: usize,
        mut read: impl FnMut(&[u8]) -> Attempt<R>,
    ) -> Result<Result<R, Reason>, Halt> {
        let reason = loop {
            let held = self.window.bytes().len();
            match read(self.window.bytes()) {
                // A number at the end of what is held may go on behind it.
                Attempt::Read(_, length) if length == held && !self.window.ended() => {}
                Attempt::Read(value, length) if length <= limit => {
                    self.window.advance(length);
                    self.fresh = false;
                    return Ok(Ok(value));
                }
                Attempt::Read(..) => break too_long(limit),
                Attempt::Cut if held > limit => break too_long(limit),
                Attempt::Cut if self.window.ended() => return Err(self.broken_off()),
                Attempt::Cut => {}
                Attempt::Bad(reason) => break reason,
            }
            self.window.more()?;
        };
        self.pass_value()?;
        Ok(Err(reason))
    }

    /// Whether the container ends here; else stands before its next element or member.
    fn at_end_of(&mut self, end: u8, expected: &'static str) -> Result<bool, Halt> {
        match self.glance()? {
            None => Err(self.broken_off()),
            Some(byte) if byte == end => {
                self.window.advance(1);
                self.fresh = false;
                Ok(true)
            }
            Some(_) if self.fresh => Ok(false),
            Some(b',') => {
                self.window.advance(1);
                // Hand-edited files have a comma before the end; it is no further row.
                self.fresh = true;
                if self.glance()? == Some(end) { self.at_end_of(end, expected) } else { Ok(false) }
            }
            Some(_) => Err(self.malformed(expected)),
        }
    }

    /// The next byte that is no white space.
    fn glance(&mut self) -> Result<Option<u8>, Halt> {
        loop {
            let held = self.window.bytes();
            let blank = held.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let next = held.get(blank).copied();
            self.window.advance(blank);
            if next.is_some() || !self.window.more()? {
                return Ok(next);
            }
        }
    }

    /// Passes over a value, valid or not: to the bracket that closes it, or to the comma or
    /// bracket behind it.
    fn pass_value(&mut self) -> Result<(), Halt> {
        self.fresh = false;
        let mut depth = 0_u64;
        let mut in_string = false;
        let mut escaped = false;
        loop {
            let mut passed = 0;
            let mut done = false;
            for byte in self.window.bytes() {
                if in_string {
                    match byte {
                        _ if escaped => escaped = false,
                        b'\\' => escaped = true,
                        b'"' => in_string = false,
                        _ => {}
                    }
                } else {
                    match byte {
                        b'"' => in_string = true,
                        b'[' | b'{' => depth += 1,
                        b']' | b'}' if depth > 1 => depth -= 1,
                        b']' | b'}' => {
                            // The one that closes the value is part of it.
                            passed += usize::from(depth == 1);
                            done = true;
                            break;
                        }
                        b',' | b':' if depth == 0 => {
                            done = true;
                            break;
                        }
                        _ => {}
                    }
                }
                passed += 1;
            }
            self.window.advance(passed);
            if done {
                return Ok(());
            }
            if !self.window.more()? {
                return Err(self.broken_off());
            }
        }
    }

    fn malformed(&self, expected: &'static str) -> Halt {
        let offset = self.window.offset();
        Unreadable::Malformed { offset, rows: self.rows, expected }.into()
    }

    fn broken_off(&self) -> Halt {
        Unreadable::BrokenOff { rows: self.rows }.into()
    }
}

fn too_long(limit: usize) -> Reason {
    format!("longer than {limit} bytes").into()
}
