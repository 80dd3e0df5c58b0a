//! The format `csv`: headers, separators, and what rows under them come to.

use super::*;
use traverse::import::formats::{DateOrder, Precision};
use traverse::problems::difficulty::Difficulty;
use traverse::revisions::rating::Rating;

const URL: &str = "https://leetcode.com/problems/two-sum/";

fn table(header: &str, row: &str) -> String {
    let file = format!("{header}\n{row}\n");
    let (rows, _) = read_with(file.as_bytes(), &options(None));
    match rows.as_slice() {
        [] => "nothing".to_owned(),
        [row] => told(row),
        more => panic!("{row}: {}", more.len()),
    }
}

#[test]
fn every_column_arrives() {
    let (rows, taken) = auto(
        "P.No,Problem Name,LeetCode URL,Platform,Level,Topic(s),Pattern,Solved?,Date Solved,Times \
         Solved,Confidence,Time Taken,Comments,Notes,Language,Submission ID,Company\n\
         1,Two Sum,https://leetcode.cn/problems/two-sum/description/,LeetCode,Easy,\"Array, Hash \
         Table\",Hash Table;Two Pointers,yes,2025-06-23,3,Good,25 min,why,\"a, b\nc\",Rust,99,Acme\n",
    );
    assert_eq!(told(&rows[0]), "leetcode:two-sum 2025-06-23T10:00:00Z Day");
    let item = only_item(&rows);
    assert_eq!(item.title.as_deref(), Some("Two Sum"));
    assert_eq!(item.number, None, "the URL wins over a number");
    assert_eq!(item.difficulty, Some(Difficulty::Easy));
    assert_eq!(item.tags, ["Array", "Hash Table", "Two Pointers"]);
    assert_eq!((item.attempts, item.minutes), (Some(3), Some(25.0)));
    assert_eq!(item.rating, Some(Rating::Good));
    assert_eq!(item.notes.as_deref(), Some("a, b\nc\n\nwhy"));
    assert_eq!(item.language.as_deref(), Some("Rust"));
    assert_eq!(item.external_id.as_deref(), Some("99"));
    assert_eq!(item.judge, Some("leetcode.cn"));
    assert_eq!(taken.zone_assumed, Some(chrono_tz::Tz::Europe__Berlin));
    assert_eq!(taken.detail, "a table separated by commas");
    assert_eq!(taken.remarks, ["columns that were not read: “Company”"]);
}

#[test]
fn the_spelling_of_a_header_does_not_matter() {
    for header in [
        "url",
        "URL",
        " Url ",
        "LeetCode URL",
        "leetcode_url",
        "Leetcode-Link",
        "\"Problem Link\"",
        "LINK:",
    ] {
        assert_eq!(table(header, URL), "leetcode:two-sum", "{header}");
    }
    for header in ["Title", "problem name", "Question", "NAME", "Problem"] {
        assert_eq!(table(header, "Two Sum"), "“Two Sum”", "{header}");
    }
    for header in ["slug", "Title Slug", "titleSlug", "problem_slug"] {
        assert_eq!(table(header, "Two-Sum"), "leetcode:two-sum", "{header}");
    }
    for header in ["Number", "No.", "#", "P.No", "Problem #", "problem_number", "№"] {
        let (rows, _) = auto(&format!("{header},slug\n#1.,two-sum\n"));
        assert_eq!(only_item(&rows).number, Some(1), "{header}");
    }
    for header in
        ["date", "Date Solved", "solved_at", "First Solved Date", "Submitted At", "timestamp"]
    {
        let told = table(&format!("url,{header}"), &format!("{URL},2025-06-23"));
        assert_eq!(told, "leetcode:two-sum 2025-06-23T10:00:00Z Day", "{header}");
    }
}

#[test]
fn separators_and_line_ends() {
    let expected = ["leetcode:two-sum 2025-06-23T10:00:00Z Day", "leetcode:3sum"];
    for (separator, name) in [(",", "commas"), (";", "semicolons"), ("\t", "tabs")] {
        for end in ["\n", "\r\n", "\r", "\n\n"] {
            let file = [
                "Title|URL|Date|Tags",
                "\"A, b; c\td\"|https://leetcode.com/problems/two-sum|23.06.2025|\"x,y\"",
                "B|https://leetcode.com/problems/3sum||",
            ]
            .map(|line| line.replace('|', separator))
            .join(end);
            for file in [file.clone(), format!("{file}{end}"), format!("\u{feff}{file}")] {
                let (rows, taken) = auto(&file);
                assert_eq!(all_told(&rows), expected, "{file:?}");
                assert_eq!(taken.detail, format!("a table separated by {name}"));
            }
        }
    }
    let (rows, taken) =
        auto("sep=;\r\nurl;notes\r\nhttps://leetcode.com/problems/two-sum;a,b,c\r\n");
    assert_eq!((rows[0].line, only_item(&rows).notes.as_deref()), (Some(3), Some("a,b,c")));
    assert_eq!(taken.detail, "a table separated by semicolons");
}

#[test]
fn rows_have_numbers_and_lines() {
    let file = "\r\n\r\nurl,notes\r\nhttps://leetcode.com/problems/a,\"1\r\n2\"\r\n,,\r\n\r\nhttps://leetcode.com/problems/b,\r\nx,\r\n";
    let (rows, _) = auto(file);
    let places: Vec<_> = rows.iter().map(|row| (row.number, row.line)).collect();
    assert_eq!(places, [(1, Some(4)), (2, Some(8)), (3, Some(9))]);
    assert!(told(&rows[2]).starts_with("rejected: not a URL"));
}

#[test]
fn solved_or_not() {
    let solved = "leetcode:two-sum";
    for cell in [
        "true",
        "TRUE",
        "yes",
        "Y",
        "x",
        "X",
        "✓",
        "✔️",
        "✅",
        "☑",
        "1",
        "1.0",
        "done",
        "Solved",
        "Completed",
        "Accepted",
        "AC",
    ] {
        assert_eq!(table("url,Solved", &format!("{URL},{cell}")), solved, "{cell}");
    }
    for cell in [
        "False",
        "FALSE",
        "no",
        "n",
        "0",
        "0.0",
        "",
        " ",
        "-",
        "✗",
        "❌",
        "☐",
        "todo",
        "To Do",
        "Not Started",
        "Attempted",
        "in progress",
        "Wrong Answer",
        "TLE",
    ] {
        let told = table("url,Solved", &format!("{URL},{cell}"));
        assert!(told.starts_with("ignored: "), "{cell}: {told}");
    }
    for cell in ["Revisit", "7/10", "2", "🙂"] {
        let told = table("url,Status", &format!("{URL},{cell}"));
        assert_eq!(
            told,
            format!("ambiguous: column “Status”: “{cell}” may or may not mean solved")
        );
    }
    assert_eq!(
        table("url,Completed", &format!("{URL},2025-06-23")),
        "leetcode:two-sum 2025-06-23T10:00:00Z Day"
    );
    assert_eq!(
        table("url,Solved,Date", "nonsense,False,nonsense"),
        "ignored: column “Solved” says “False”",
        "what was not solved need not be right"
    );
    assert_eq!(table("url,Attempts", &format!("{URL},0")), "ignored: 0 attempts");
    assert_eq!(table("url,Date", &format!("{URL},")), solved);
    assert_eq!(
        table("url,Date Solved", &format!("{URL},")),
        "ambiguous: neither a status nor a date says whether the problem was solved"
    );
    let (_, taken) = auto(&format!("url\n{URL}\n"));
    assert_eq!(
        taken.remarks,
        ["no column says whether a problem was solved: the rows were taken as solved ones"]
    );
}

#[test]
fn times() {
    let rejected = "rejected: column “Date”: the date “03/04/2025” is ambiguous";
    assert!(table("url,Date", &format!("{URL},03/04/2025")).starts_with(rejected));
    let file = format!("url,Date\n{URL},03/04/2025\n");
    let stated = Options { date_order: Some(DateOrder::Dmy), ..options(None) };
    let (rows, _) = read_with(file.as_bytes(), &stated);
    assert_eq!(told(&rows[0]), "leetcode:two-sum 2025-04-03T10:00:00Z Day");
    for (cell, expected) in [
        ("yesterday", "rejected: column “Date”: the date “yesterday” has no form that is known"),
        ("0001-01-01", "rejected: the time 0001-01-01T11:06:32Z is before 2000"),
        (
            "9999-12-31",
            "rejected: the time 9999-12-31T11:00:00Z is more than 24 hours in the future",
        ),
        ("100000000", "rejected: the time 1973-03-03T09:46:40Z is before 2000"),
        ("1750690680", "leetcode:two-sum 2025-06-23T14:58:00Z Exact"),
    ] {
        assert_eq!(table("url,Date", &format!("{URL},{cell}")), expected);
    }
    let (_, taken) = auto(&format!("url,date\n{URL},2025-06-23T18:58:00Z\n"));
    assert_eq!(taken.zone_assumed, None);
    // The first solve, where both are known; else the last one is a bound.
    let both = format!("{URL},2025-06-23,2025-07-01");
    assert_eq!(
        table("url,Last Solved Date,First Solved Date", &both),
        "leetcode:two-sum 2025-07-01T10:00:00Z Day"
    );
    let (rows, _) = auto(&format!("url,Last Solved Date\n{URL},2025-06-23\n"));
    assert_eq!(only_item(&rows).precision, Precision::UpperBound);
}

/// A header, a row under it, and how what it comes to begins.
const WHICH_PROBLEM: &[(&str, &str, &str)] = &[
    ("url,slug", "https://leetcode.com/problems/two-sum,two-sum", "leetcode:two-sum"),
    ("url,slug", "https://leetcode.com/problems/two-sum,0001-two-sum", "leetcode:two-sum"),
    (
        "url,slug",
        "https://leetcode.com/problems/two-sum,3sum",
        "ambiguous: the URL names the problem “two-sum”, the slug “3sum”",
    ),
    ("url,number", "https://leetcode.com/problems/two-sum,17", "leetcode:two-sum"),
    (
        "url,platform",
        "https://leetcode.com/problems/two-sum,CSES",
        "ambiguous: the URL is of leetcode, the platform says cses",
    ),
    ("url", "https://leetcode.com/problemset/", "rejected: not a problem page"),
    ("url", "https://example.com/two-sum", "rejected: unknown platform"),
    ("url", "leetcode.com/problems/two-sum", "rejected: not a URL"),
    ("title", "https://leetcode.com/problems/two-sum/", "leetcode:two-sum"),
    ("slug", "https://cses.fi/problemset/task/1068", "cses:1068"),
    ("slug", "two-sum", "leetcode:two-sum"),
    ("slug,platform", "4a,Codeforces", "codeforces:4/A"),
    ("slug,platform", "4a,CF", "codeforces:4/A"),
    ("slug,site", "two-sum,https://leetcode.com/", "leetcode:two-sum"),
    (
        "slug,judge",
        "hello,open.kattis.com",
        "rejected: column “judge”: “open.kattis.com” is no platform",
    ),
    ("slug,judge", "hello,Kattis", "kattis:hello"),
    ("slug", "Two Sum", "rejected: slug outside of the alphabet of leetcode"),
    ("slug", "0001-two-sum", "leetcode:two-sum"),
    ("slug", "0456-132-pattern", "leetcode:132-pattern"),
    ("slug", "132-pattern", "leetcode:132-pattern"),
    ("slug,number", "132-pattern,456", "leetcode:132-pattern"),
    ("slug", "01-matrix", "leetcode:01-matrix"),
    ("slug", "3sum", "leetcode:3sum"),
    ("slug,number", "1-two-sum,1", "leetcode:two-sum"),
    (
        "slug,number",
        "0001-two-sum,2",
        "ambiguous: the slug “0001-two-sum” and the number 2 disagree",
    ),
    (
        "slug,number",
        "1-two-sum,2",
        "ambiguous: whether the number before “1-two-sum” belongs to the slug cannot be known",
    ),
    (
        "slug",
        "1-two-sum",
        "ambiguous: whether the number before “1-two-sum” belongs to the slug cannot be known",
    ),
    ("slug,title", ",Two Sum", "“Two Sum”"),
    ("title", "1. Two Sum", "“Two Sum”"),
    ("title", "3Sum", "“3Sum”"),
    ("title,tags", ",Array", "rejected: no problem: title, slug and URL are blank"),
    ("title,tags", ",", "nothing"),
    ("title,tags", "Two Sum", "“Two Sum”"),
    ("title,tags", "Two Sum,Array,", "“Two Sum”"),
    ("title,tags", "Two Sum,Array,Hash Table", "rejected: 3 cells under a header of 2"),
    ("title,tags", "title,tags", "ignored: the header once more"),
    ("slug,slug", "two-sum,two-sum", "leetcode:two-sum"),
    ("slug,slug", ",two-sum", "leetcode:two-sum"),
    (
        "slug,slug",
        "two-sum,3sum",
        "ambiguous: two columns are named “slug”, and they say “two-sum” and “3sum”",
    ),
    ("url,link", "https://leetcode.com/problems/two-sum,https://youtu.be/abc", "leetcode:two-sum"),
];

#[test]
fn which_problem_a_row_is_of() {
    for (header, row, expected) in WHICH_PROBLEM {
        let told = table(header, row);
        assert!(told.starts_with(*expected), "{header}: {row}: {told}");
    }
}

#[test]
fn a_number_is_a_label_to_compare() {
    for (header, row, expected) in [
        ("slug,number", "two-sum,1", Some(1)),
        ("slug,number", "two-sum,1.0", Some(1)),
        ("slug,number", "two-sum,LCR 001", None),
        ("number,title", "1,Two Sum", Some(1)),
        ("title", "1. Two Sum", Some(1)),
        ("url,title", "https://leetcode.com/problems/two-sum,1. Two Sum", None),
    ] {
        let (rows, _) = auto(&format!("{header}\n{row}\n"));
        assert_eq!(only_item(&rows).number, expected, "{header}: {row}");
    }
}

#[test]
fn details_that_are_not_understood_are_left_out_and_told() {
    let (rows, taken) = auto(
        "slug,platform,done,confidence,difficulty,time taken\na,lc,yes,7/10,Easy,1:30\nb,lc,yes,8/10,Insane,1h 20m\nc,lc,yes,Good,hard,0:25:31\n",
    );
    assert_eq!(all_told(&rows), ["leetcode:a", "leetcode:b", "leetcode:c"]);
    let minutes: Vec<_> = rows
        .iter()
        .map(|row| match &row.outcome {
            Outcome::Item(item) => item.minutes,
            _ => panic!("{}", told(row)),
        })
        .collect();
    assert_eq!(minutes, [None, Some(80.0), Some(26.0)]);
    assert_eq!(
        taken.remarks,
        [
            "column “confidence”: 2 values were not understood and left out, the first in row 1: “7/10”",
            "column “difficulty”: 1 value was not understood and left out, in row 2: “Insane”",
            "column “time taken”: 1 value was not understood and left out, in row 1: “1:30”",
        ]
    );
}

#[test]
fn bytes_that_are_no_text_spoil_their_row() {
    let file = b"title,url\n\xe4h,https://leetcode.com/problems/two-sum\nB,https://leetcode.com/problems/3sum\n";
    let (rows, _) = read_with(file, &options(None));
    assert_eq!(
        all_told(&rows),
        ["rejected: column “title” is no valid text: save the file as UTF-8", "leetcode:3sum"]
    );
    assert_eq!((rows[0].number, rows[0].line), (1, Some(2)));
    // A character that is spread over two cells is none.
    let file = b"title,notes\n\xc3,\xa4\n";
    let (rows, _) = read_with(file, &options(None));
    assert!(told(&rows[0]).starts_with("rejected: column “title” is no valid text"));
}

#[test]
fn quotation_marks_that_are_never_closed() {
    let (rows, _) = auto(
        "title,url\nA,https://leetcode.com/problems/two-sum\n\"B,https://leetcode.com/problems/3sum\nC,https://leetcode.com/problems/4sum\n",
    );
    assert_eq!(rows.len(), 2);
    assert!(told(&rows[1]).starts_with("rejected: a quotation mark in this row is never closed"));
    // Within a cell they are letters, doubled they are one.
    let (rows, _) = auto("title,tags\n5\" disk,x\n\"say \"\"hi\"\"\",\"y\"");
    assert_eq!(all_told(&rows), ["“5\" disk”", "“say \"hi\"”"]);
}

#[test]
fn tables_that_are_refused() {
    for header in ["title,url", "title,url\n", "title,url\r\n\r\n", "title,url\n,\n"] {
        assert_eq!(
            refusal(header.as_bytes(), None),
            "the file was recognised as a table separated by commas, but it has no rows",
            "{header:?}"
        );
    }
    assert_eq!(
        refusal(b"date,tags\n2025-06-23,a\n", Some(Format::Csv)),
        "the file is not in the format csv: no column of its header names a problem (title, slug or \
         url expected), found a table with the columns “date”, “tags”"
    );
    assert_eq!(
        refusal(b"[{\"title\": 1}]", Some(Format::Csv)),
        "the file is not in the format csv: it looks like JSON"
    );
}
