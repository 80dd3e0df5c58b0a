//! Detection, encodings, and what does not depend on the format.

use std::ops::ControlFlow;

use super::*;

#[test]
fn formats_have_names() {
    for format in Format::ALL {
        assert_eq!(format.as_str().parse(), Ok(format));
    }
    let error = "leethub".parse::<Format>().unwrap_err();
    assert_eq!(error.to_string(), "no such format; known are traverse, csv, codeforces");
}

#[test]
fn no_two_formats_claim_one_file() {
    for file in [
        r#"{"problem": {"url": "https://cses.fi/problemset/task/1068"}, "verdict": "accepted"}"#,
        r#"{"format": "traverse", "version": 1, "submissions": []}"#,
        r#"{"status": "OK", "result": [{"id": 1, "creationTimeSeconds": 1, "problem": {"index": "A"}}]}"#,
        r#"[{"id": 1, "creationTimeSeconds": 1, "problem": {"index": "A"}, "verdict": "OK"}]"#,
        r#"{"status": "FAILED", "comment": "no"}"#,
        "title,url\n",
    ] {
        let claims = Format::of(file.as_bytes()).unwrap();
        assert_eq!(claims.len(), 1, "{file}: {claims:?}");
    }
}

#[test]
fn what_is_no_format_is_told_for_what_it_is() {
    for (file, expected) in [
        (b"".as_slice(), "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"\xff\xfe", "the file is empty"),
        (b" \r\n\t ", "the file is empty"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "the file is compressed (gzip): unpack it first"),
        (b"PK\x03\x04\x14\0", "the file is compressed (zip, or a spreadsheet"),
        (b"<!DOCTYPE html><html><title>Sign in</title>", "the file is a web page, not an export"),
        (b"\n <html>", "the file is a web page, not an export"),
        (b"t\0i\0t\0l\0e\0,\0u\0r\0l\0\n\0", "the file is not text in UTF-8"),
        (
            b"{\"two-sum\": {\"done\": true}, \"3sum\": {}}",
            "a JSON object with the members “3sum”, “two-sum”, which is no format known here; known \
          are traverse, csv, codeforces",
        ),
        (
            b"[{\"titleSlug\": \"two-sum\", \"lang\": \"rust\"}]",
            "a JSON array of objects with the members “lang”, “titleSlug”, which is no format",
        ),
        (b"[1, 2, 3]", "JSON in which no member has a name, which is no format"),
        (b"[", "JSON in which no member has a name"),
        (
            b"card_id,review_time,review_rating\n1,2,3\n",
            "a table with the columns “card_id”, “review_time”, “review_rating”, which is no format",
        ),
        (b"hello there\n", "a text that begins with “hello there”, which is no format"),
        (b"\xff\xff\xff", "a text that begins with"),
    ] {
        let told = refusal(file, None);
        assert!(told.starts_with(expected), "{:?}: {told}", String::from_utf8_lossy(file));
    }
}

#[test]
fn a_sink_may_stop() {
    let mut seen = 0;
    let taken = read(HISTORY, &options(None), &mut |_| {
        seen += 1;
        if seen == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((seen, taken.unwrap().rows), (10, 10));
}

#[test]
fn small_pieces_make_no_difference() {
    let whole = read_with(HISTORY, &options(None)).0;
    let mut rows = Vec::new();
    read(Trickle(HISTORY), &options(None), &mut |row| {
        rows.push(row);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(rows == whole);
}

#[test]
fn a_failure_to_read_is_told() {
    let half = &HISTORY[..HISTORY.len() / 2];
    let told = read(Failing(half), &options(None), &mut |_| ControlFlow::Continue(()));
    assert_eq!(told.unwrap_err().to_string(), "reading failed: the line is dead");
}

#[test]
fn other_encodings_with_a_mark_are_read() {
    let text = "title,url\nÜber 🙂,https://leetcode.com/problems/two-sum\n";
    let units: Vec<u16> = text.encode_utf16().collect();
    let little = units.iter().flat_map(|unit| unit.to_le_bytes());
    let big = units.iter().flat_map(|unit| unit.to_be_bytes());
    for (file, note) in [
        ([0xFF, 0xFE].into_iter().chain(little).collect::<Vec<u8>>(), ", in UTF-16LE"),
        ([0xFE, 0xFF].into_iter().chain(big).collect(), ", in UTF-16BE"),
        ([0xEF, 0xBB, 0xBF].into_iter().chain(text.bytes()).collect(), ""),
    ] {
        let (rows, taken) = read_with(&file, &options(None));
        assert_eq!(taken.unwrap().detail, format!("a table separated by commas{note}"));
        assert_eq!(only_item(&rows).title.as_deref(), Some("Über 🙂"));
    }
    // JSON, as a shell of Windows writes it.
    let json: Vec<u8> =
        std::str::from_utf8(HISTORY).unwrap().encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (rows, _) = read_with(&[b"\xff\xfe".as_slice(), &json].concat(), &options(None));
    assert_eq!(rows.len(), 487);
}

#[test]
fn a_broken_character_spoils_only_its_row() {
    let text = "title,url\nBro?ken,https://leetcode.com/problems/two-sum\nWhole,https://leetcode.com/problems/3sum\n";
    let units = text.encode_utf16().map(|unit| if unit == u16::from(b'?') { 0xD800 } else { unit });
    let file: Vec<u8> = [0xFF, 0xFE].into_iter().chain(units.flat_map(u16::to_le_bytes)).collect();
    let (rows, taken) = read_with(&file, &options(None));
    taken.unwrap();
    assert_eq!(
        all_told(&rows),
        ["rejected: column “title” is no valid text: save the file as UTF-8", "leetcode:3sum"]
    );
}
