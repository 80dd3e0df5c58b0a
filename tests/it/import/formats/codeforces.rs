//! The format `codeforces`: a real history, a generated one, and each case alone.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::*;

const EVERY_CASE: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/data/codeforces-every-case.json"
));

fn submission(id: u64, changes: &Value) -> Value {
    let mut submission = json!({
        "id": id, "contestId": 4, "creationTimeSeconds": 1_610_222_580,
        "relativeTimeSeconds": 2_147_483_647,
        "problem": {"contestId": 4, "index": "A", "name": "Watermelon", "type": "PROGRAMMING",
                    "rating": 800, "tags": ["brute force", "math", "*800"]},
        "author": {"contestId": 4, "members": [{"handle": "someone"}],
                   "participantType": "PRACTICE", "ghost": false},
        "programmingLanguage": "GNU C++17", "verdict": "OK", "testset": "TESTS",
        "passedTestCount": 30, "timeConsumedMillis": 46, "memoryConsumedBytes": 819_200,
    });
    for (path, value) in changes.as_object().unwrap() {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = if parent.is_empty() { String::new() } else { format!("/{parent}") };
        let members = submission.pointer_mut(&parent).unwrap().as_object_mut().unwrap();
        if value.is_null() {
            members.remove(name);
        } else {
            members.insert(name.to_owned(), value.clone());
        }
    }
    submission
}

fn answer(submissions: &[Value]) -> String {
    json!({"status": "OK", "result": submissions}).to_string()
}

#[test]
fn a_history_as_it_was_saved() {
    for format in [None, Some(Format::Codeforces)] {
        let (rows, taken) = read_with(HISTORY, &options(format));
        let taken = taken.unwrap();
        assert_eq!((taken.format, taken.rows, rows.len()), (Format::Codeforces, 487, 487));
        assert_eq!((taken.zone_assumed, taken.remarks.len()), (None, 0));
        let mut problems = HashSet::new();
        let mut ids = HashSet::new();
        for (index, row) in (1..).zip(&rows) {
            assert_eq!(row.number, index);
            let Outcome::Item(item) = &row.outcome else { panic!("{}", told(row)) };
            let ProblemRef::At(identity) = &item.problem else { panic!("{}", told(row)) };
            problems.insert(identity.clone());
            ids.insert(item.external_id.clone().unwrap());
        }
        assert_eq!((problems.len(), ids.len()), (480, 487));
        assert_eq!(told(&rows[0]), "codeforces:792/D 2021-01-09T20:03:00Z Exact");
    }
}

#[test]
fn every_member_arrives() {
    let (rows, _) = auto(&answer(&[submission(77, &json!({}))]));
    let item = only_item(&rows);
    assert_eq!(told(&rows[0]), "codeforces:4/A 2021-01-09T20:03:00Z Exact");
    assert_eq!(item.title.as_deref(), Some("Watermelon"));
    assert_eq!(item.tags, ["brute force", "math"], "the rating is no tag");
    assert_eq!((item.difficulty, item.rating), (None, None), "nor a difficulty");
    assert_eq!(item.language.as_deref(), Some("GNU C++17"));
    assert_eq!((item.external_id.as_deref(), item.judge), (Some("77"), Some("codeforces.com")));
    assert_eq!((item.runtime_ms, item.memory_kb), (Some(46), Some(800)));
}

#[test]
fn which_problem_a_submission_is_of() {
    for (changes, expected) in [
        (json!({"problem/index": "f2", "problem/contestId": 1352}), "codeforces:1352/F2"),
        (json!({"problem/contestId": 101_021, "contestId": 101_021}), "codeforces:gym101021/A"),
        (json!({"problem/contestId": 100_000}), "codeforces:gym100000/A"),
        (json!({"problem/contestId": null}), "codeforces:4/A"),
        (
            json!({"problem/contestId": null, "contestId": null, "problem/problemsetName": "acmsguru",
                "problem/index": "100"}),
            "codeforces:acmsguru/100",
        ),
        (
            json!({"contestId": 99_999, "problem/contestId": 99_999, "problem/index": "553"}),
            "codeforces:acmsguru/553",
        ),
        (
            json!({"problem/contestId": null, "contestId": null}),
            "rejected: neither a contestId nor a problemsetName",
        ),
        (
            json!({"problem/contestId": null, "contestId": null, "problem/problemsetName": "school"}),
            "rejected: no contestId, and the problemset “school” is not known",
        ),
        (json!({"problem/index": ""}), "rejected: slug outside of the alphabet of codeforces"),
        (json!({"problem/index": null}), "rejected: problem: missing field `index`"),
        (json!({"problem/contestId": "4"}), "rejected: problem.contestId: invalid type: string"),
        (json!({"id": "x"}), "rejected: id: invalid type: string \"x\", expected u64"),
        (
            json!({"author/participantType": "CONTESTANT", "relativeTimeSeconds": 120}),
            "codeforces:4/A",
        ),
        (json!({"author/participantType": "VIRTUAL"}), "codeforces:4/A"),
        (
            json!({"author/teamId": 5, "author/members": [{"handle": "a"}, {"handle": "b"}]}),
            "codeforces:4/A",
        ),
        (json!({"author": null, "testset": null, "programmingLanguage": null}), "codeforces:4/A"),
        (
            json!({"creationTimeSeconds": 0}),
            "rejected: the time 1970-01-01T00:00:00Z is before 2000",
        ),
        (json!({"creationTimeSeconds": 1_610_222_580_000_u64}), "rejected: the time +52995"),
        (json!({"creationTimeSeconds": i64::MAX}), "rejected: creationTimeSeconds is no time"),
    ] {
        let file = answer(&[submission(1, &json!({})), submission(2, &changes)]);
        let (rows, _) = read_with(file.as_bytes(), &options(Some(Format::Codeforces)));
        assert_eq!(rows.len(), 2);
        assert!(told(&rows[1]).starts_with(expected), "{changes}: {}", told(&rows[1]));
    }
}

#[test]
fn only_a_final_ok_is_a_solve() {
    for verdict in [
        "FAILED",
        "PARTIAL",
        "COMPILATION_ERROR",
        "RUNTIME_ERROR",
        "WRONG_ANSWER",
        "TIME_LIMIT_EXCEEDED",
        "MEMORY_LIMIT_EXCEEDED",
        "IDLENESS_LIMIT_EXCEEDED",
        "SECURITY_VIOLATED",
        "CRASHED",
        "INPUT_PREPARATION_CRASHED",
        "CHALLENGED",
        "SKIPPED",
        "TESTING",
        "REJECTED",
        "SUBMITTED",
        "SOMETHING_NEW",
    ] {
        let (rows, _) = auto(&answer(&[submission(1, &json!({"verdict": verdict}))]));
        assert!(told(&rows[0]).starts_with("ignored: "), "{verdict}: {}", told(&rows[0]));
    }
    for (changes, expected) in [
        (json!({"verdict": null}), "ignored: still being tested"),
        (
            json!({"verdict": "CHALLENGED", "testset": "CHALLENGES"}),
            "ignored: verdict “CHALLENGED”: only accepted submissions make solves",
        ),
        (
            json!({"testset": "PRETESTS"}),
            "ignored: passed the testset “PRETESTS”, which is not the final one",
        ),
        (json!({"testset": "SAMPLES"}), "ignored: "),
        (json!({"testset": "TESTS12"}), "codeforces:4/A"),
        (json!({"testset": "CHALLENGES"}), "codeforces:4/A"),
    ] {
        let (rows, _) = auto(&answer(&[submission(1, &changes)]));
        assert!(told(&rows[0]).starts_with(expected), "{changes}: {}", told(&rows[0]));
    }
}

#[test]
fn repeated_accepted_submissions_are_rows_of_their_own() {
    let (rows, _) = auto(&answer(&[submission(3, &json!({})), submission(2, &json!({}))]));
    let ids: Vec<_> = rows
        .iter()
        .map(|row| match &row.outcome {
            Outcome::Item(item) => item.external_id.clone().unwrap(),
            _ => panic!("{}", told(row)),
        })
        .collect();
    assert_eq!(ids, ["3", "2"]);
}

#[test]
fn the_same_rows_in_every_wrapping() {
    let one = submission(1, &json!({})).to_string();
    for file in [
        format!("[{one},{one}]"),
        format!("{{\"result\":[{one},{one}],\"status\":\"OK\"}}"),
        format!(
            "{{\"status\":\"OK\",\"result\":[{one}]}}\n{{\"status\":\"OK\",\"result\":[{one}]}}"
        ),
        format!("{{\"result\":[{one},{one}]}}"),
        format!("{{\"extra\":{{\"a\":[\"]}}\"]}},\"status\":\"OK\",\"result\":[{one},{one}]}}"),
    ] {
        let (rows, taken) = auto(&file);
        assert_eq!(taken.format, Format::Codeforces, "{file}");
        assert_eq!(all_told(&rows), vec!["codeforces:4/A 2021-01-09T20:03:00Z Exact"; 2], "{file}");
    }
}

#[test]
fn answers_that_are_refused() {
    for (file, expected) in [
        (
            r#"{"status":"FAILED","comment":"handle: User with handle nobody not found"}"#,
            "the file holds a refusal instead of rows: Codeforces answered “FAILED” with the comment \
          “handle: User with handle nobody not found”",
        ),
        (
            r#"{"comment":"Call limit exceeded","status":"FAILED"}"#,
            "the file holds a refusal instead of rows: Codeforces answered “FAILED”",
        ),
        (
            r#"{"status":"OK","result":[]}"#,
            "the file was recognised as a Codeforces submission history (user.status), but it has no rows",
        ),
        (
            r#"{"status":"OK","result":null}"#,
            "the file is not in the format codeforces: its member “result” is no array",
        ),
        (r#"{"status":"OK","result":[{"id":1"#, "the file breaks off after 0 rows"),
    ] {
        let told = refusal(file.as_bytes(), None);
        assert!(told.starts_with(expected), "{file}: {told}");
    }
    let after = format!("{{\"result\":[{}],\"status\":\"FAILED\"}}", submission(1, &json!({})));
    assert!(refusal(after.as_bytes(), None).starts_with("the file holds a refusal"));
    let told = refusal(b"id,verdict\n1,OK\n", Some(Format::Codeforces));
    assert!(told.starts_with("the file is not in the format codeforces: JSON expected"), "{told}");
}

#[test]
fn every_case_in_one_file() {
    let (rows, taken) = read_with(EVERY_CASE, &options(None));
    assert_eq!(taken.unwrap().rows, 56);
    let mut problems = HashSet::new();
    let (mut accepted, mut ignored, mut rejected) = (0, 0, 0);
    for row in &rows {
        match &row.outcome {
            Outcome::Item(item) => {
                accepted += 1;
                problems.insert(told(row).split(' ').next().unwrap().to_owned());
                assert_eq!(item.judge, Some("codeforces.com"));
            }
            Outcome::Ignored(_) => ignored += 1,
            Outcome::Ambiguous(reason) => panic!("{reason}"),
            Outcome::Rejected(_) => rejected += 1,
        }
    }
    assert_eq!((accepted, problems.len(), ignored, rejected), (36, 34, 18, 2));
}
