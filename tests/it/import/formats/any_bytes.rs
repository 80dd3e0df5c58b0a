//! Whatever the bytes are: no panic, rows in order, and the same ones however they come.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use traverse::import::formats::DateOrder;
use traverse::import::formats::dates::moment;

const SEEDS: &[&[u8]] = &[
    br#"{"status":"OK","result":[{"id":1,"contestId":4,"creationTimeSeconds":1610222580,"problem":{"contestId":4,"index":"A","name":"W","tags":["m"]},"verdict":"OK","testset":"TESTS"},{"id":2,"creationTimeSeconds":1610222580,"problem":{"index":"B"}}]}"#,
    br#"{"format":"traverse","version":1,"submissions":[{"problem":{"url":"https://leetcode.com/problems/two-sum/"},"verdict":"accepted","happened_at":"2025-06-23T18:58:00Z"},{"problem":{"platform":"cses","slug":"1068"},"verdict":"accepted","reviews":[{"happened_at":"2025-06-23T18:58:00Z","rating":"good"}]}]}"#,
    b"{\"problem\":{\"url\":\"https://leetcode.com/problems/two-sum/\"},\"verdict\":\"accepted\"}\n{\"problem\":{\"platform\":\"cses\",\"slug\":\"1068\"},\"verdict\":\"other\"}\n",
    b"No.,Title,URL,Slug,Solved,Date,Time Taken,Tags,Notes\r\n1,Two Sum,https://leetcode.com/problems/two-sum,0001-two-sum,yes,23.06.2025,1h 20m,\"Array, Hash\",\"a\r\nb\"\r\n2,B,,4sum,x,\"June 23, 2025 6:58 PM\",25,,\r\n",
    b"\xff\xfet\0i\0t\0l\0e\0;\0u\0r\0l\0\n\0a\0;\0b\0\n\0",
];

#[derive(Clone, Debug)]
enum Change {
    Put(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let telling = select(b"\"'\\{}[],:;\t\r\n 0129-/.TZ\0\xff\xc3".as_slice());
    prop_oneof![
        (any::<Index>(), prop_oneof![telling.clone(), any::<u8>()])
            .prop_map(|(at, b)| Change::Put(at, b)),
        (any::<Index>(), vec(prop_oneof![telling, any::<u8>()], 1..6))
            .prop_map(|(at, b)| Change::Insert(at, b)),
        (any::<Index>(), 1..40_usize).prop_map(|(at, count)| Change::Remove(at, count)),
        (any::<Index>(), 1..200_usize).prop_map(|(at, count)| Change::Repeat(at, count)),
    ]
}

fn changed(seed: &[u8], changes: Vec<Change>) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        match change {
            Change::Put(at, byte) => *at.get_mut(&mut bytes) = byte,
            Change::Insert(at, more) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, more);
            }
            Change::Remove(at, count) => {
                let at = at.index(bytes.len());
                bytes.drain(at..(at + count).min(bytes.len()));
            }
            Change::Repeat(at, count) => {
                let at = at.index(bytes.len());
                let again = bytes[at..(at + count).min(bytes.len())].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

fn hold(bytes: &[u8]) -> Result<(), TestCaseError> {
    for format in [None, Some(Format::Traverse), Some(Format::Csv), Some(Format::Codeforces)] {
        let options = options(format);
        let (rows, taken) = read_with(bytes, &options);
        for (number, row) in (1..).zip(&rows) {
            prop_assert_eq!(row.number, number);
            if let Outcome::Item(item) = &row.outcome {
                prop_assert_eq!(
                    item.happened_at.is_none(),
                    item.precision == traverse::import::formats::Precision::Unknown
                );
                prop_assert!(item.check(options.now).is_ok());
            }
        }
        if let Ok(taken) = &taken {
            prop_assert_eq!(usize::try_from(taken.rows).unwrap(), rows.len());
            prop_assert!(taken.rows > 0);
        }
        let mut again = Vec::new();
        let trickled = read(Trickle(bytes), &options, &mut |row| {
            again.push(row);
            ControlFlow::Continue(())
        });
        prop_assert_eq!(rows, again);
        prop_assert_eq!(taken.map_err(|e| e.to_string()), trickled.map_err(|e| e.to_string()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..400)) {
        hold(&bytes)?;
    }

    #[test]
    fn any_text(text in "[\\[\\]{}\",:;\\t\\n\\\\a-c0-2 ./-]{0,200}") {
        hold(text.as_bytes())?;
    }

    #[test]
    fn valid_files_with_changes(seed in select(SEEDS), changes in vec(change(), 0..6)) {
        hold(&changed(seed, changes))?;
    }

    #[test]
    fn any_rows_under_a_header(rows in vec("[\",;\\n\\r0-9a-z/:✓. -]{0,60}", 1..6)) {
        let file = format!("title,slug,url,no,solved,date,minutes,attempts,tags\n{}", rows.join("\n"));
        hold(file.as_bytes())?;
    }

    #[test]
    fn any_date(text in "([0-9]{1,4}[-/., T:+]{1,2}|[A-Za-z]{1,9}|[0-9]{8,14}| ){0,8}") {
        let _ = moment(&text, chrono_tz::Tz::Asia__Kathmandu, None);
    }

    #[test]
    fn any_date_of_any_text(text in any::<String>()) {
        let _ = moment(&text, chrono_tz::Tz::Pacific__Apia, Some(DateOrder::Ymd));
    }
}
