//! Files of many rows and of long ones: what the window holds must not show in what is read.

use super::*;
use traverse::import::formats::ROW_LIMIT;

fn line(notes: usize) -> String {
    format!(
        r#"{{"notes": "{}", "problem": {{"url": "https://leetcode.com/problems/two-sum/"}}, "verdict": "accepted"}}"#,
        "\\\"a]}".repeat(notes / 4)
    )
}

#[test]
fn rows_are_the_same_wherever_the_window_ends() {
    let lines: Vec<String> = (0..900).map(|n| line(n * 37 % 4_001)).collect();
    let array = format!("[{}]", lines.join(",\n"));
    let ndjson = lines.join("\n");
    assert!(array.len() > 10 * (128 << 10), "several windows");
    for file in [array, ndjson] {
        let (rows, taken) = auto(&file);
        assert_eq!(taken.rows, 900);
        for (row, line) in rows.iter().zip(&lines) {
            let expected: serde_json::Value = serde_json::from_str(line).unwrap();
            let Outcome::Item(item) = &row.outcome else { panic!("{}", told(row)) };
            assert_eq!(item.notes.as_deref(), expected["notes"].as_str());
        }
    }
}

#[test]
fn a_long_row_is_rejected_and_no_other() {
    let (small, long) = (line(4), line(3 * ROW_LIMIT));
    for (file, expected) in [
        (format!("[{small},{long},{small}]"), "rejected: longer than 1048576 bytes"),
        (format!("{small}\n{long}\n{small}"), "rejected: the line is too long"),
        (
            format!(
                "url,notes\nhttps://leetcode.com/problems/two-sum,\nhttps://leetcode.com/problems/two-sum,\"{}\"\nhttps://leetcode.com/problems/two-sum,",
                "a\n".repeat(ROW_LIMIT)
            ),
            "rejected: longer than 1048576 bytes; perhaps a quotation mark is never closed",
        ),
    ] {
        let (rows, taken) = auto(&file);
        assert_eq!(all_told(&rows), ["leetcode:two-sum", expected, "leetcode:two-sum"]);
        assert_eq!(taken.rows, 3);
    }
}

#[test]
fn the_limit_itself_is_no_long_row() {
    let rest = line(0).len();
    for (length, expected) in [
        (ROW_LIMIT, "rejected: the notes: at most 10000 characters"),
        (ROW_LIMIT + 1, "rejected: longer than 1048576 bytes"),
    ] {
        let line = line(0)
            .replace("\"notes\": \"", &format!("\"notes\": \"{}", "a".repeat(length - rest)));
        assert_eq!(line.len(), length);
        let file = format!("[{line}]");
        let (rows, _) = read_with(file.as_bytes(), &options(Some(Format::Traverse)));
        assert_eq!(all_told(&rows), [expected]);
    }
}

/// Ten megabytes without an end of line.
#[test]
fn one_endless_line() {
    let endless = "a".repeat(10 << 20);
    let (rows, _) = auto(&format!("title,url\n{endless}"));
    assert_eq!(
        all_told(&rows),
        ["rejected: longer than 1048576 bytes; perhaps a quotation mark is never closed"]
    );
    assert!(refusal(endless.as_bytes(), None).contains("no format known here"));
    let nested = "[".repeat(10 << 20);
    assert_eq!(
        refusal(nested.as_bytes(), Some(Format::Traverse)),
        "the file breaks off after 0 rows: it was not saved or sent whole"
    );
    let blank = " ".repeat(10 << 20);
    assert_eq!(refusal(blank.as_bytes(), None), "the file is empty");
}
