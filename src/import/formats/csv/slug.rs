//! Slugs that have the problem's number before them, as the folders of solution collections do.

/// LeetCode's own slugs that begin with a number and a hyphen.
const WHOLE: [&str; 6] = [
    "01-matrix",
    "1-bit-and-2-bit-characters",
    "132-pattern",
    "2-keys-keyboard",
    "24-game",
    "4-keys-keyboard",
];

/// What a slug cell can mean.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Spelling<'a> {
    /// The slug as it stands.
    Whole(&'a str),
    /// Certainly a number and a slug.
    Numbered(u32, &'a str),
    /// Either.
    Either(u32, &'a str),
}

/// Strips at most one number. Folders pad it to four digits with zeros, which no slug has; without
/// that only the number itself, if it is known, can tell.
pub(super) fn spelling(cell: &str) -> Spelling<'_> {
    let Some((digits, slug)) = cell.split_once('-') else {
        return Spelling::Whole(cell);
    };
    if WHOLE.contains(&cell) || slug.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Spelling::Whole(cell);
    }
    match digits.parse() {
        Ok(number) if digits.len() >= 4 && digits.starts_with('0') => {
            Spelling::Numbered(number, slug)
        }
        Ok(number) => Spelling::Either(number, slug),
        Err(_) => Spelling::Whole(cell),
    }
}
