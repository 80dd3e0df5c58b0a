//! What a file says, quoted in a message about it.

/// How many characters of a file's own text a message repeats.
const SHOWN: usize = 60;

/// The text in quotation marks, on one line and not longer than a message can bear.
pub(super) fn quoted(text: &str) -> String {
    let mut shown: String =
        text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    format!("“{shown}”")
}
