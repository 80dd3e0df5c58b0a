//! What single cells say.

use crate::problems::difficulty::Difficulty;
use crate::problems::identity::Platform;
use crate::revisions::rating::Rating;

/// Whether a status says that the problem was solved; none if it says something else.
pub(super) fn solved(cell: &str) -> Option<bool> {
    match count(cell) {
        Some(0) => return Some(false),
        Some(1) => return Some(true),
        _ => {}
    }
    match fold(cell).as_str() {
        "true" | "yes" | "y" | "t" | "x" | "done" | "solved" | "complete" | "completed"
        | "finished" | "accepted" | "ac" | "ok" | "pass" | "passed" => Some(true),
        "false"
        | "no"
        | "n"
        | "f"
        | "todo"
        | "unsolved"
        | "notsolved"
        | "notdone"
        | "incomplete"
        | "notcompleted"
        | "notstarted"
        | "attempted"
        | "attempting"
        | "tried"
        | "trying"
        | "inprogress"
        | "started"
        | "pending"
        | "skip"
        | "skipped"
        | "failed"
        | "fail"
        | "notac"
        | "wa"
        | "wronganswer"
        | "tle"
        | "timelimit"
        | "timelimitexceeded"
        | "mle"
        | "memorylimit"
        | "memorylimitexceeded"
        | "re"
        | "runtimeerror"
        | "ce"
        | "compileerror"
        | "compilationerror"
        | "other"
        | "none"
        | "null"
        | "na"
        | "nan" => Some(false),
        "" => match cell.trim_end_matches('\u{fe0f}') {
            "✓" | "✔" | "☑" | "✅" | "🗹" => Some(true),
            "✗" | "✘" | "✕" | "✖" | "❌" | "☐" | "⬜" | "🔲" | "-" | "–" | "—" => {
                Some(false)
            }
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn difficulty(cell: &str) -> Option<Difficulty> {
    match fold(cell).as_str() {
        "easy" | "e" => Some(Difficulty::Easy),
        "medium" | "med" | "m" => Some(Difficulty::Medium),
        "hard" | "h" => Some(Difficulty::Hard),
        _ => None,
    }
}

/// By name only: what a number means depends on a scale that the file does not tell.
pub(super) fn rating(cell: &str) -> Option<Rating> {
    match fold(cell).as_str() {
        "again" => Some(Rating::Again),
        "hard" => Some(Rating::Hard),
        "good" => Some(Rating::Good),
        "easy" => Some(Rating::Easy),
        _ => None,
    }
}

/// A platform by its name, its common short form or its host.
pub(super) fn platform(cell: &str) -> Option<Platform> {
    let cell = cell.to_lowercase();
    let name = cell.trim_start_matches("https://").trim_start_matches("http://");
    let name = name.trim_end_matches('/').trim_start_matches("www.");
    let name = fold(name.split_once('.').map_or(name, |(name, _)| name));
    Some(match name.as_str() {
        "lc" => Platform::Leetcode,
        "cf" => Platform::Codeforces,
        "ac" => Platform::Atcoder,
        "hr" => Platform::Hackerrank,
        "gfg" => Platform::Geeksforgeeks,
        "cc" => Platform::Codechef,
        other => other.parse().ok()?,
    })
}

/// A count, also as a table of numbers writes it (`3.0`).
pub(super) fn count(cell: &str) -> Option<i32> {
    let digits = cell.strip_suffix(".0").unwrap_or(cell);
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The number of a problem: `1`, `#1`, `1.`, `1.0`.
pub(super) fn number(cell: &str) -> Option<u32> {
    let digits = cell.strip_prefix('#').unwrap_or(cell).trim_start();
    let digits = digits.strip_suffix(".0").or(digits.strip_suffix('.')).unwrap_or(digits);
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Minutes: `25`, `25 min`, `1h 20m`, `1 h`, `0:25:30`, rounded to whole ones. `1:30` is no form
/// that is known: it may be minutes or hours.
pub(super) fn minutes(cell: &str) -> Option<i32> {
    if let Some((hours, rest)) = cell.split_once(':') {
        let (minutes, seconds) = rest.split_once(':')?;
        let seconds = count(seconds).filter(|seconds| *seconds < 60)?;
        let minutes = count(minutes).filter(|minutes| *minutes < 60)?;
        return total(count(hours)?, minutes)?.checked_add(i32::from(seconds >= 30));
    }
    let mut hours = 0;
    let mut minutes = None;
    let mut rest = cell;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let amount = count(rest.get(..end)?)?;
        rest = rest.get(end..)?.trim_start();
        let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let unit = rest.get(..end)?.to_lowercase();
        rest = rest.get(end..)?.trim_start_matches([',', '.', ' ']);
        match unit.as_str() {
            "h" | "hr" | "hrs" | "hour" | "hours" if minutes.is_none() && hours == 0 => {
                hours = amount;
            }
            "" | "m" | "min" | "mins" | "minute" | "minutes" if minutes.is_none() => {
                minutes = Some(amount);
            }
            _ => return None,
        }
    }
    total(hours, minutes.unwrap_or(0))
}

fn total(hours: i32, minutes: i32) -> Option<i32> {
    hours.checked_mul(60)?.checked_add(minutes)
}

/// A list of tags: `Array, Hash Table`, `Array; Hash Table`, `["Array", "Hash Table"]`.
pub(super) fn tags(cell: &str) -> impl Iterator<Item = &str> {
    cell.split([',', ';', '|', '\n'])
        .map(|tag| tag.trim_matches(|c: char| c.is_whitespace() || "[]\"'".contains(c)))
        .filter(|tag| !tag.is_empty())
}

/// A title and the number before it: `1. Two Sum`.
pub(super) fn title(cell: &str) -> (Option<u32>, &str) {
    let numbered = cell.split_once(". ").and_then(|(number, title)| {
        let title = title.trim_start();
        Some((self::number(number)?, title)).filter(|_| !title.is_empty())
    });
    numbered.map_or((None, cell), |(number, title)| (Some(number), title))
}

/// Letters and digits in lower case; of a long text only the beginning, which is no word anyway.
fn fold(cell: &str) -> String {
    let mut folded = String::new();
    for c in cell.chars().filter(|c| c.is_alphanumeric()).take(40) {
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    folded
}
