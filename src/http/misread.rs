//! A value that is not as it was expected, in our own words.
//!
//! Serde says so in the words of Rust (`invalid type: string "x", expected i64`), which mean nothing to
//! a client and name types that may change. What it says follows a few patterns; whatever follows none
//! of them was said by this program and stays as it is.

/// The most characters of what a client sent that are told back.
const SHOWN: usize = 40;

/// What is wrong with a value, and at which member of it, if not at the value itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// The member of the value that is meant.
    pub member: Option<String>,
    /// What was expected.
    pub detail: String,
}

impl Misread {
    fn here(detail: impl Into<String>) -> Self {
        Self { member: None, detail: detail.into() }
    }

    fn at(member: &str, detail: impl Into<String>) -> Self {
        Self { member: Some(shown(member)), detail: detail.into() }
    }

    /// Understands what serde says.
    #[must_use]
    pub fn of(said: &str) -> Self {
        let said = without_place(said);
        if let Some(rest) = said.strip_prefix("unknown field ") {
            let (field, known) = named(rest);
            return Self::at(field, format!("there is no such field; {}", choice(known)));
        }
        if let Some(rest) = said.strip_prefix("missing field ") {
            return Self::at(named(rest).0, "this field is needed");
        }
        if let Some(rest) = said.strip_prefix("duplicate field ") {
            return Self::at(named(rest).0, "this field is given twice");
        }
        if let Some(rest) = said.strip_prefix("unknown variant ") {
            let (given, known) = named(rest);
            return Self::here(format!("`{}` is none of these; {}", shown(given), choice(known)));
        }
        let kinds = ["invalid type: ", "invalid value: ", "invalid length "];
        if kinds.iter().any(|kind| said.starts_with(kind)) {
            let expected = said.rsplit_once(", expected ").map_or("", |(_, expected)| expected);
            return Self::here(format!("{} is expected", kind(expected)));
        }
        match said {
            "provided string was not `true` or `false`" => {
                Self::here("`true` or `false` is expected")
            }
            "invalid digit found in string"
            | "cannot parse integer from empty string"
            | "number too large to fit in target type"
            | "number too small to fit in target type" => Self::here("an integer is expected"),
            _ if said.starts_with("data did not match any variant") => {
                Self::here("a value of another form is expected")
            }
            _ => Self::here(said),
        }
    }
}

/// Without the place in the text, which the pointer tells better.
fn without_place(said: &str) -> &str {
    match said.rsplit_once(" at line ") {
        Some((said, place)) if place.contains(" column ") => said,
        _ => said,
    }
}

/// The name in the first pair of backticks, and what follows it. The name is a client's: it may hold
/// backticks itself, but what follows is ours.
fn named(rest: &str) -> (&str, &str) {
    let rest = rest.strip_prefix('`').unwrap_or(rest);
    let end = [", expected ", ", there are no "].iter().find_map(|next| rest.rfind(next));
    let (name, following) = rest.split_at(end.unwrap_or(rest.len()));
    (name.strip_suffix('`').unwrap_or(name), following)
}

/// The names that are known, of `, expected one of …` or `, there are no …`.
fn choice(known: &str) -> String {
    let names: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    match names.as_slice() {
        [] => "none is known here".to_owned(),
        [only] => format!("`{only}` is expected"),
        names => format!("one of `{}` is expected", names.join("`, `")),
    }
}

/// What Rust calls a kind of value, as JSON calls it.
fn kind(expected: &str) -> String {
    let bounds = |least: &str, most: &str| format!("an integer from {least} to {most}");
    match expected {
        "i8" => bounds("-128", "127"),
        "i16" => bounds("-32768", "32767"),
        "i32" => bounds("-2147483648", "2147483647"),
        "u8" => bounds("0", "255"),
        "u16" => bounds("0", "65535"),
        "u32" => bounds("0", "4294967295"),
        "i64" => "an integer".to_owned(),
        "u64" | "usize" => "an integer that is not negative".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "a string" | "a borrowed string" | "string or map" => "a string".to_owned(),
        "unit" | "null" => "`null`".to_owned(),
        "option" => "a value or `null`".to_owned(),
        _ if expected.starts_with("struct ") || expected == "a map" => "an object".to_owned(),
        _ if expected.starts_with("a sequence") || expected.starts_with("a tuple") => {
            "a list".to_owned()
        }
        // The names of a choice.
        _ if expected.starts_with("enum ") || expected == "variant identifier" => {
            "a string that names one of the choices".to_owned()
        }
        _ if expected.starts_with("a ") || expected.starts_with("an ") => expected.to_owned(),
        _ => "a value of another kind".to_owned(),
    }
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::Misread;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Order {
        count: i32,
        name: Option<String>,
        size: Option<Size>,
        parts: Option<Vec<f64>>,
        whole: Option<bool>,
        id: Option<u64>,
        inner: Option<Box<Self>>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Size {
        Small,
        Large,
    }

    #[test]
    fn serde_is_translated() {
        let known = "one of `count`, `name`, `size`, `parts`, `whole`, `id`, `inner` is expected";
        for (json, member, detail) in [
            (r#"{"count": "x"}"#, None, "an integer from -2147483648 to 2147483647 is expected"),
            (
                r#"{"count": 3000000000}"#,
                None,
                "an integer from -2147483648 to 2147483647 is expected",
            ),
            (r#"{"count": 1.5}"#, None, "an integer from -2147483648 to 2147483647 is expected"),
            ("{}", Some("count"), "this field is needed"),
            (r#"{"count": 1, "count": 2}"#, Some("count"), "this field is given twice"),
            (r#"{"count": 1, "name": 2}"#, None, "a string is expected"),
            (r#"{"count": 1, "name": "x, expected y"}"#, None, ""),
            (r#"{"count": 1, "parts": {}}"#, None, "a list is expected"),
            (r#"{"count": 1, "parts": ["x, expected i32"]}"#, None, "a number is expected"),
            (r#"{"count": 1, "whole": "x"}"#, None, "`true` or `false` is expected"),
            (r#"{"count": 1, "id": -1}"#, None, "an integer that is not negative is expected"),
            (r#"{"count": 1, "inner": 1}"#, None, "an object is expected"),
            (
                r#"{"count": 1, "size": "x"}"#,
                None,
                "`x` is none of these; one of `small`, `large` is expected",
            ),
            (
                r#"{"count": 1, "x` at, expected y": 1}"#,
                Some("x` at, expected y"),
                &format!("there is no such field; {known}"),
            ),
        ] {
            let said = match serde_json::from_str::<Order>(json) {
                Err(error) => error.to_string(),
                Ok(_) if detail.is_empty() => continue,
                Ok(order) => panic!("{json}: {order:?}"),
            };
            let misread = Misread::of(&said);
            assert_eq!(misread.detail, detail, "{json}: {said}");
            assert_eq!(misread.member.as_deref(), member, "{json}: {said}");
        }
    }

    #[test]
    fn our_own_words_stay() {
        for said in ["a day such as 2026-09-01 is expected", "no such time zone"] {
            assert_eq!(Misread::of(&format!("{said} at line 1 column 7")).detail, said);
            assert_eq!(Misread::of(said).detail, said);
        }
    }
}
