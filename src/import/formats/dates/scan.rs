//! The words that dates are made of, taken one after another from a text.
//!
//! Always true: what does not match is not taken, and nothing is taken twice.

use chrono::FixedOffset;

/// A text, from the place that was reached.
pub(super) struct Scan<'a> {
    rest: &'a str,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

impl<'a> Scan<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text }
    }

    pub(super) fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// A number of 1 to 4 digits, and how many there were.
    pub(super) fn number(&mut self) -> Option<(u32, usize)> {
        let digits = leading(self.rest, |c| c.is_ascii_digit());
        if digits.len() > 4 {
            return None;
        }
        let value = digits.parse().ok()?;
        self.pass(digits);
        Some((value, digits.len()))
    }

    /// A number of exactly so many digits.
    pub(super) fn digits_exactly(&mut self, count: usize) -> Option<u32> {
        let digits = leading(self.rest, |c| c.is_ascii_digit());
        if digits.len() != count {
            return None;
        }
        let value = digits.parse().ok()?;
        self.pass(digits);
        Some(value)
    }

    /// What makes 1 into 1st.
    pub(super) fn ordinal(&mut self) {
        let word = leading(self.rest, |c| c.is_ascii_alphabetic());
        if ["st", "nd", "rd", "th"].iter().any(|suffix| word.eq_ignore_ascii_case(suffix)) {
            self.pass(word);
        }
    }

    /// A month by its English name or at least three letters of it, from 1.
    pub(super) fn month(&mut self) -> Option<u32> {
        let at = self.name_of(&MONTHS)?;
        u32::try_from(at + 1).ok()
    }

    /// A weekday, and the comma and the white space behind it.
    pub(super) fn weekday(&mut self) {
        if self.name_of(&WEEKDAYS).is_some() {
            self.rest = self.rest.trim_start_matches(['.', ',']).trim_start();
        }
    }

    fn name_of(&mut self, names: &[&str]) -> Option<usize> {
        let word = leading(self.rest, |c| c.is_ascii_alphabetic());
        if word.len() < 3 {
            return None;
        }
        let at = names.iter().position(|name| {
            name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        })?;
        self.pass(word);
        Some(at)
    }

    /// What stands between the parts of a date: `-`, `/`, `.` or white space, which may also stand
    /// behind a dot or a comma.
    pub(super) fn separator(&mut self) -> Option<char> {
        let mark = self.rest.chars().next()?;
        match mark {
            '-' | '/' => self.rest = self.rest.get(1..)?,
            '.' => self.rest = self.rest.get(1..)?.trim_start(),
            ',' => {
                self.rest = self.rest.get(1..)?.trim_start();
                return Some(' ');
            }
            _ if mark.is_whitespace() => {
                self.rest = self.rest.trim_start();
                return Some(' ');
            }
            _ => return None,
        }
        Some(mark)
    }

    /// What stands between a date and a time.
    pub(super) fn before_time(&mut self) -> Option<()> {
        if let Some(rest) = self.rest.strip_prefix(['T', 't']) {
            self.rest = rest;
            return Some(());
        }
        let rest = self.rest.strip_prefix(',').unwrap_or(self.rest);
        let trimmed = rest.trim_start();
        if trimmed.len() == rest.len() {
            return None;
        }
        self.rest = match trimmed.strip_prefix("at ") {
            Some(time) => time.trim_start(),
            None => trimmed,
        };
        Some(())
    }

    /// The two digits behind a colon, if there is a colon; none where something else follows it.
    #[expect(clippy::option_option, reason = "nothing there, and something wrong, are two things")]
    pub(super) fn after_colon(&mut self) -> Option<Option<u32>> {
        let Some(rest) = self.rest.strip_prefix(':') else {
            return Some(None);
        };
        self.rest = rest;
        self.digits_exactly(2).map(Some)
    }

    /// A fraction of a second, in nanoseconds.
    pub(super) fn fraction(&mut self) -> Option<u32> {
        let Some(rest) = self.rest.strip_prefix(['.', ',']) else {
            return Some(0);
        };
        let digits = leading(rest, |c| c.is_ascii_digit());
        self.rest = rest.get(digits.len()..)?;
        (!digits.is_empty()).then(|| nanoseconds(digits))?
    }

    /// AM or PM: whether it is the latter.
    pub(super) fn half_of_day(&mut self) -> Option<bool> {
        let rest = self.rest.trim_start();
        let word = leading(rest, |c| c.is_ascii_alphabetic() || c == '.');
        let afternoon = match word.to_ascii_lowercase().as_str() {
            "am" | "a.m." => false,
            "pm" | "p.m." => true,
            _ => return None,
        };
        self.rest = rest.get(word.len()..)?;
        Some(afternoon)
    }

    /// A zone, if there is one, and a name in brackets behind it; none where something else stands.
    #[expect(clippy::option_option, reason = "nothing there, and something wrong, are two things")]
    pub(super) fn zone(&mut self) -> Option<Option<FixedOffset>> {
        let rest = self.rest.trim_start();
        if rest.is_empty() {
            self.rest = rest;
            return Some(None);
        }
        let word = leading(rest, |c| c.is_ascii_alphabetic());
        if !["", "z", "utc", "gmt"].iter().any(|name| word.eq_ignore_ascii_case(name)) {
            return None;
        }
        self.rest = rest.get(word.len()..)?;
        let sign = match self.rest.chars().next() {
            Some('+') => 1,
            Some('-') => -1,
            _ if word.is_empty() => return None,
            _ => 0,
        };
        let mut seconds = 0;
        if sign != 0 {
            self.rest = self.rest.get(1..)?;
            let (hours, minutes) = self.hours_and_minutes()?;
            seconds = sign * i32::try_from(hours * 3600 + minutes * 60).ok()?;
        }
        let name = self.rest.trim_start();
        if name.starts_with('(') && name.ends_with(')') {
            self.rest = "";
        }
        FixedOffset::east_opt(seconds).map(Some)
    }

    fn hours_and_minutes(&mut self) -> Option<(u32, u32)> {
        let (value, digits) = self.number()?;
        let (hours, minutes) = match digits {
            1 | 2 => (value, self.after_colon()?.unwrap_or(0)),
            4 => (value / 100, value % 100),
            _ => return None,
        };
        (hours < 24 && minutes < 60).then_some((hours, minutes))
    }

    fn pass(&mut self, taken: &str) {
        self.rest = self.rest.get(taken.len()..).unwrap_or_default();
    }
}

fn leading(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The digits of a fraction as nanoseconds; what is finer is cut off.
pub(super) fn nanoseconds(digits: &str) -> Option<u32> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut padded: String = digits.chars().take(9).collect();
    while padded.len() < 9 {
        padded.push('0');
    }
    padded.parse().ok()
}
