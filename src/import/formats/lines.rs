//! JSON by lines (NDJSON): every line is a row, whatever the others are.

use super::json::Attempt;
use super::rows::Outcome;
use super::unreadable::Halt;
use super::window::{ROW_LIMIT, Window};

/// Hands over each line that is not blank, with its number from 1 and without the white space
/// around it; none in place of one that is longer than a row may be.
pub(super) fn each(
    window: &mut Window<'_>,
    mut take: impl FnMut(u64, Option<&[u8]>) -> Result<(), Halt>,
) -> Result<(), Halt> {
    for number in 1.. {
        let mut length = 0;
        let ended = loop {
            let held = window.bytes();
            let unseen = held.get(length..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', unseen) {
                length += at;
                break false;
            }
            length = held.len();
            if length > ROW_LIMIT {
                break false;
            }
            if !window.more()? {
                break true;
            }
        };
        if length > ROW_LIMIT {
            pass_line(window)?;
            take(number, None)?;
            continue;
        }
        let line = window.bytes().get(..length).unwrap_or_default().trim_ascii();
        if !line.is_empty() {
            take(number, Some(line))?;
        }
        if ended {
            break;
        }
        window.advance(length + 1);
    }
    Ok(())
}

fn pass_line(window: &mut Window<'_>) -> Result<(), Halt> {
    loop {
        if let Some(at) = memchr::memchr(b'\n', window.bytes()) {
            window.advance(at + 1);
            return Ok(());
        }
        window.advance_all();
        if !window.more()? {
            return Ok(());
        }
    }
}

/// What a line comes to that must be one value and nothing else.
pub(super) fn whole(line: &[u8], attempt: Attempt<Outcome>) -> Outcome {
    match attempt {
        Attempt::Read(outcome, length) if length == line.len() => outcome,
        Attempt::Read(..) => Outcome::rejected("something follows the JSON value on its line"),
        Attempt::Cut => Outcome::rejected("the JSON value does not end on its line"),
        Attempt::Bad(reason) => Outcome::Rejected(reason),
    }
}
