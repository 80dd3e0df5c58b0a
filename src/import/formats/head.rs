//! What the beginning of a file shows: text or not, JSON or a table, and of which structure.

use super::csv::Header;
use super::format::Format;
use super::quote::quoted;
use super::sketch::Sketch;
use super::unreadable::Unreadable;
use super::window::Window;

/// How much of a file is looked at.
const LOOKED_AT: usize = 64 << 10;

/// The structure at the beginning of a file that has text.
pub(super) enum Head {
    /// Begins like JSON.
    Json(Sketch),
    /// Anything else: lines, the first of which may be a header.
    Table(Header),
}

impl Head {
    /// Looks, and passes nothing but white space.
    pub(super) fn of(window: &mut Window<'_>) -> Result<Self, Unreadable> {
        loop {
            let blank = window.bytes().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            // A blank line counts where lines are counted, so those of a table stay.
            if blank < window.bytes().len() {
                break;
            }
            if window.bytes().len() > LOOKED_AT {
                window.advance_all();
            }
            if !window.more()? {
                return Err(Unreadable::Empty);
            }
        }
        let text = window.peek(LOOKED_AT)?;
        let trimmed = text.trim_ascii_start();
        if trimmed.starts_with(b"\x1f\x8b") {
            return Err(Unreadable::Compressed("gzip"));
        }
        if trimmed.starts_with(b"PK\x03\x04") {
            return Err(Unreadable::Compressed(
                "zip, or a spreadsheet that should be saved as CSV",
            ));
        }
        let nuls = memchr::memchr_iter(0, text).count();
        // A text of ASCII letters in UTF-16 has one in two; a stray one spoils only its row.
        if nuls.saturating_mul(10) > text.len() {
            return Err(Unreadable::NotText);
        }
        match trimmed.first() {
            Some(b'<') => Err(Unreadable::WebPage),
            Some(b'[' | b'{') => Ok(Self::Json(Sketch::of(trimmed))),
            _ => Ok(Self::Table(Header::of(text))),
        }
    }

    /// The format that this is the beginning of.
    pub(super) fn format(&self) -> Result<Format, Unreadable> {
        Format::claiming(self)
            .next()
            .ok_or_else(|| Unreadable::Unknown { found: self.describe().into() })
    }

    /// What a person sees in it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Json(sketch) => sketch.describe(),
            Self::Table(header) if header.names.len() > 1 => format!(
                "a table with the columns {}",
                header
                    .names
                    .iter()
                    .take(12)
                    .map(|name| quoted(name))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            Self::Table(header) => format!(
                "a text that begins with {}",
                header.names.first().map_or_else(String::new, |name| quoted(name))
            ),
        }
    }
}
