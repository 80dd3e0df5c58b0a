//! The format `traverse`: its members, its wrappings, its refusals.

use super::*;
use traverse::import::formats::Precision;
use traverse::problems::difficulty::Difficulty;
use traverse::revisions::rating::Rating;

const TWO_SUM: &str =
    r#"{"problem": {"url": "https://leetcode.com/problems/two-sum/"}, "verdict": "accepted"}"#;

#[test]
fn every_member_arrives() {
    let (rows, taken) = auto(
        r#"[{"problem": {"platform": "codeforces", "slug": "4a", "title": "Watermelon",
            "difficulty": "easy", "tags": ["math", "brute force"]},
            "verdict": "accepted", "language": "Rust", "runtime_ms": 15, "memory_kb": 800,
            "happened_at": "2025-06-23T18:58:00.5+02:00", "external_id": "42", "rating": "good",
            "attempts": 2, "minutes": 25, "hint_used": true, "solution_viewed": false,
            "source": "extension", "notes": "Even and above 2.\n",
            "reviews": [{"happened_at": "2025-07-02T08:00:00Z", "rating": "easy"},
                        {"happened_at": "2025-06-25T08:00:00Z", "rating": "again"}]}]"#,
    );
    assert_eq!((taken.format, taken.rows), (Format::Traverse, 1));
    let item = only_item(&rows);
    assert_eq!(told(&rows[0]), "codeforces:4/A 2025-06-23T16:58:00.500Z Exact");
    assert_eq!(item.title.as_deref(), Some("Watermelon"));
    assert_eq!(item.difficulty, Some(Difficulty::Easy));
    assert_eq!(item.tags, ["math", "brute force"]);
    assert_eq!(item.language.as_deref(), Some("Rust"));
    assert_eq!((item.runtime_ms, item.memory_kb), (Some(15), Some(800)));
    assert_eq!(item.external_id.as_deref(), Some("42"));
    assert_eq!(item.judge, Some("codeforces.com"));
    assert_eq!(item.rating, Some(Rating::Good));
    assert_eq!((item.attempts, item.minutes), (Some(2), Some(25.0)));
    assert_eq!((item.hint_used, item.solution_viewed), (Some(true), Some(false)));
    assert_eq!(item.source.as_deref(), Some("extension"));
    assert_eq!(item.notes.as_deref(), Some("Even and above 2.\n"));
    let ratings: Vec<Rating> = item.reviews.iter().map(|review| review.rating).collect();
    assert_eq!(ratings, [Rating::Again, Rating::Easy], "oldest first");
}

#[test]
fn without_a_time_the_time_is_unknown() {
    let (rows, _) = auto(TWO_SUM);
    let item = only_item(&rows);
    assert_eq!((item.happened_at, item.precision), (None, Precision::Unknown));
    assert_eq!(item.judge, Some("leetcode.com"));
}

#[test]
fn the_judge_is_the_site_of_the_url() {
    let (rows, _) = auto(
        r#"{"problem": {"url": "https://leetcode.cn/problems/two-sum/"}, "verdict": "accepted"}"#,
    );
    let item = only_item(&rows);
    assert_eq!(told(&rows[0]), "leetcode:two-sum");
    assert_eq!(item.judge, Some("leetcode.cn"));
}

#[test]
fn the_same_rows_in_every_wrapping() {
    for (file, detail) in [
        (format!("[{TWO_SUM},{TWO_SUM}]"), "JSON"),
        (format!("[{TWO_SUM}] [{TWO_SUM}]"), "JSON"),
        (format!("[{TWO_SUM},{TWO_SUM},]\n"), "JSON"),
        (
            format!(r#"{{"format":"traverse","version":1,"submissions":[{TWO_SUM},{TWO_SUM}]}}"#),
            "JSON",
        ),
        (
            format!(r#"{{"submissions":[{TWO_SUM},{TWO_SUM}],"version":1,"format":"traverse"}}"#),
            "JSON",
        ),
        (format!("{TWO_SUM}\n{TWO_SUM}"), "NDJSON"),
        (format!("\u{feff}\n{TWO_SUM}\r\n\r\n{TWO_SUM}\r\n"), "NDJSON"),
        (format!("{{\"format\":\"traverse\",\"version\":1}}\n{TWO_SUM}\n{TWO_SUM}"), "NDJSON"),
    ] {
        for format in [None, Some(Format::Traverse)] {
            let (rows, taken) = read_with(file.as_bytes(), &options(format));
            let taken = taken.unwrap_or_else(|error| panic!("{file}: {error}"));
            assert_eq!(all_told(&rows), ["leetcode:two-sum", "leetcode:two-sum"], "{file}");
            assert_eq!(taken.detail, format!("Traverse's own {detail}"), "{file}");
            assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2], "{file}");
        }
    }
}

#[test]
fn lines_are_counted_in_ndjson() {
    let (rows, _) = auto(&format!("{TWO_SUM}\n\n  \n{{\"problem\": \n{TWO_SUM}"));
    let lines: Vec<_> = rows.iter().map(|row| (row.number, row.line)).collect();
    assert_eq!(lines, [(1, Some(1)), (2, Some(4)), (3, Some(5))]);
    assert_eq!(told(&rows[1]), "rejected: the JSON value does not end on its line");
}

#[test]
fn what_a_row_comes_to() {
    let problem = r#""problem": {"platform": "leetcode", "slug": "two-sum"}"#;
    for (row, expected) in [
        (format!(r#"{{{problem}, "verdict": "wrong_answer"}}"#),
         "ignored: verdict wrong_answer: only accepted submissions make solves"),
        (format!(r#"{{{problem}, "verdict": "pending", "happened_at": null}}"#),
         "ignored: verdict pending: only accepted submissions make solves"),
        (format!(r#"{{{problem}, "verdict": "Accepted"}}"#),
         "rejected: verdict: unknown variant `Accepted`, expected one of"),
        (format!("{{{problem}}}"), "rejected: missing field `verdict`"),
        (format!(r#"{{{problem}, "verdict": "accepted", "stars": 5}}"#),
         "rejected: unknown field `stars`, expected one of `problem`"),
        (r#"{"problem": {"platform": "leetcode", "slug": "two-sum", "id": 1}, "verdict": "accepted"}"#.into(),
         "rejected: unknown field `id`"),
        (format!(r#"{{{problem}, "verdict": "accepted", "rating": 3}}"#), "rejected: rating: "),
        (format!(r#"{{{problem}, "verdict": "accepted", "attempts": "two"}}"#),
         "rejected: attempts: invalid type: string \"two\""),
        (format!(r#"{{{problem}, "verdict": "accepted", "attempts": 0}}"#),
         "rejected: the attempts: a number from 1 to 10000 is expected"),
        (format!(r#"{{{problem}, "verdict": "accepted", "minutes": -1}}"#),
         "rejected: the minutes: a number from 0 to 100000 is expected"),
        (format!(r#"{{{problem}, "verdict": "accepted", "minutes": 100000.5}}"#),
         "rejected: the minutes: a number from 0 to 100000 is expected"),
        (format!(r#"{{{problem}, "verdict": "accepted", "minutes": 12.25}}"#),
         "leetcode:two-sum"),
        (format!(r#"{{{problem}, "verdict": "accepted", "happened_at": 1750690680}}"#),
         "rejected: happened_at: invalid type: integer `1750690680`, expected an RFC 3339 instant"),
        (format!(r#"{{{problem}, "verdict": "accepted", "happened_at": "2025-06-23"}}"#),
         "rejected: happened_at: “2025-06-23” is not an RFC 3339 instant"),
        (format!(r#"{{{problem}, "verdict": "accepted", "happened_at": "1999-12-31T23:59:59Z"}}"#),
         "rejected: the time 1999-12-31T23:59:59Z is before 2000"),
        (format!(r#"{{{problem}, "verdict": "accepted", "happened_at": "2000-01-01T00:00:00Z"}}"#),
         "leetcode:two-sum 2000-01-01T00:00:00Z Exact"),
        (format!(r#"{{{problem}, "verdict": "accepted", "happened_at": "2026-01-02T00:00:00Z"}}"#),
         "leetcode:two-sum 2026-01-02T00:00:00Z Exact"),
        (format!(r#"{{{problem}, "verdict": "accepted", "happened_at": "2026-01-02T00:00:01Z"}}"#),
         "rejected: the time 2026-01-02T00:00:01Z is more than 24 hours in the future"),
        (format!(r#"{{{problem}, "verdict": "accepted", "reviews": [{{"happened_at": "1970-01-01T00:00:00Z", "rating": "good"}}]}}"#),
         "rejected: the time 1970-01-01T00:00:00Z is before 2000"),
        (format!(r#"{{{problem}, "verdict": "accepted", "external_id": ""}}"#),
         "rejected: the submission's id: 1 to 64 characters"),
        (format!(r#"{{{problem}, "verdict": "accepted", "external_id": "{}"}}"#, "7".repeat(65)),
         "rejected: the submission's id: 1 to 64 characters"),
        (format!(r#"{{{problem}, "verdict": "accepted", "notes": "a\u0000b"}}"#),
         "rejected: the notes: no NUL character"),
        (r#"{"problem": {"platform": "leetcode", "slug": "Two Sum"}, "verdict": "accepted"}"#.into(),
         "rejected: slug outside of the alphabet of leetcode"),
        (r#"{"problem": {"platform": "topcoder", "slug": "a"}, "verdict": "accepted"}"#.into(),
         "rejected: problem.platform: unknown variant `topcoder`"),
        (r#"{"problem": {"slug": "two-sum"}, "verdict": "accepted"}"#.into(),
         "rejected: problem: a slug without its platform"),
        (r#"{"problem": {"title": "Two Sum"}, "verdict": "accepted"}"#.into(),
         "rejected: problem: neither a url nor a platform and slug"),
        (r#"{"problem": {"url": "https://leetcode.com/problemset/"}, "verdict": "accepted"}"#.into(),
         "rejected: not a problem page"),
        (r#"{"problem": {"url": "https://leetcode.com/problems/two-sum", "platform": "leetcode", "slug": "Two-Sum"}, "verdict": "accepted"}"#.into(),
         "leetcode:two-sum"),
        (r#"{"problem": {"url": "https://leetcode.com/problems/two-sum", "platform": "leetcode", "slug": "3sum"}, "verdict": "accepted"}"#.into(),
         "ambiguous: the URL names the problem “two-sum”, the slug “3sum”"),
        (r#"{"problem": {"url": "https://leetcode.com/problems/two-sum", "platform": "cses"}, "verdict": "accepted"}"#.into(),
         "ambiguous: the URL is of leetcode, the platform says cses"),
        ("7".into(), "rejected: a row must be a JSON object"),
        ("null".into(), "rejected: a row must be a JSON object"),
        ("[1]".into(), "rejected: a row must be a JSON object"),
        ("{\"problem\": }".into(), "rejected: "),
        ("{\"problem\": {\"url\": \"a\"} \"verdict\": 1}".into(), "rejected: "),
    ] {
        // The good rows around it show that a bad one takes none with it.
        for file in [format!("[{TWO_SUM},{row},{TWO_SUM}]"), format!("{TWO_SUM}\n{row}\n{TWO_SUM}")] {
            let (rows, _) = auto(&file);
            let told = all_told(&rows);
            assert_eq!(told.len(), 3, "{row}: {told:?}");
            assert_eq!((told[0].as_str(), told[2].as_str()), ("leetcode:two-sum", "leetcode:two-sum"), "{row}");
            assert!(told[1].starts_with(expected), "{row}: {}", told[1]);
        }
    }
}

#[test]
fn two_values_on_a_line_are_no_row() {
    let (rows, _) = auto(&format!("{TWO_SUM}\n{TWO_SUM} {TWO_SUM}\n"));
    assert_eq!(told(&rows[1]), "rejected: something follows the JSON value on its line");
}

#[test]
fn files_that_are_refused() {
    for (file, expected) in [
        (
            format!(r#"{{"format":"traverse","version":2,"submissions":[{TWO_SUM}]}}"#),
            "the file is of version 2 of its format; the newest one known here is 1",
        ),
        (
            format!("{{\"format\":\"traverse\",\"version\":7}}\n{TWO_SUM}"),
            "the file is of version 7 of its format",
        ),
        (
            format!(r#"{{"format":"leettrack","version":1,"submissions":[{TWO_SUM}]}}"#),
            "the file is not in the format traverse: it says that its format is “leettrack”",
        ),
        (
            r#"{"format":"traverse","version":"one","submissions":[]}"#.into(),
            "the file is not in the format traverse: version: invalid type: string \"one\"",
        ),
        (
            r#"{"format":"traverse","version":1,"submissions":[]}"#.into(),
            "the file was recognised as Traverse's own JSON, but it has no rows",
        ),
        (
            r#"{"format":"traverse","version":1,"submissions":{}}"#.into(),
            "the file is not in the format traverse: its member “submissions” is no array",
        ),
        (
            "{\"format\":\"traverse\",\n\"version\":1}".into(),
            "the file is not in the format traverse: an object over several lines",
        ),
        (format!("[{TWO_SUM},{TWO_SUM}"), "the file breaks off after 2 rows"),
        (format!("[{TWO_SUM},{}", TWO_SUM.get(..40).unwrap()), "the file breaks off after 1 rows"),
        (
            format!("[{TWO_SUM} {TWO_SUM}]"),
            "no valid JSON at byte 87, after 1 rows: “,” or “]” expected",
        ),
        (
            format!("[{TWO_SUM}] and more"),
            "no valid JSON at byte 88, after 1 rows: “[” or “{” expected",
        ),
    ] {
        let told = refusal(file.as_bytes(), None);
        assert!(told.starts_with(expected), "{file}: {told}");
    }
}

#[test]
fn a_member_that_is_not_read_is_told() {
    let (_, taken) = auto(&format!(
        r#"{{"format":"traverse","exported_at":"2025-01-01","version":1,"submissions":[{TWO_SUM}]}}"#
    ));
    assert_eq!(taken.remarks, ["the member “exported_at” of the file was not read"]);
}

#[test]
fn text_that_is_none_spoils_its_row() {
    for (notes, expected) in [
        (b"\xff".as_slice(), "rejected: notes: invalid unicode code point"),
        (b"\\ud800", "rejected: notes: "),
        (b"\\x", "rejected: notes: invalid escape"),
        (b"a\tb", "rejected: notes: control character"),
    ] {
        let row = [
            b"{\"notes\": \"".as_slice(),
            notes,
            b"\", \"problem\": {\"platform\": \"cses\", \"slug\": \"1\"}, \"verdict\": \"accepted\"}",
        ]
        .concat();
        let good = TWO_SUM.as_bytes();
        let array = [b"[", good, b",", &row, b",", good, b"]"].concat();
        let ndjson = [good, b"\n", &row, b"\n", good].concat();
        for file in [array, ndjson] {
            let told = all_told(&read_with(&file, &options(None)).0);
            assert_eq!(told.len(), 3, "{told:?}");
            assert!(told[1].starts_with(expected), "{told:?}");
        }
    }
}
