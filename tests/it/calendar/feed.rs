//! Events from revisions: what they say, in which order, and under which name.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use proptest::prelude::*;
use traverse::auth::Secrets;
use traverse::calendar::feed::{MOST_EVENTS, View, basis, render};
use traverse::calendar::ics::MAX_BYTES;
use traverse::calendar::model::{Shown, State, Tally};
use traverse::db::instant::At;
use traverse::problems::difficulty::Difficulty;
use traverse::problems::identity::Platform;
use traverse::revisions::log::Kind;
use traverse::revisions::rating::Rating;

use super::lint::{Read, lint};

fn secrets() -> Secrets {
    Secrets { signing: b"signing".to_vec(), calendar_uids: b"uids".to_vec() }
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn at(text: &str) -> At {
    text.parse::<DateTime<Utc>>().unwrap().into()
}

fn view() -> View {
    View {
        today: day("2026-09-01"),
        zone: chrono_tz::Europe::Berlin,
        time: None,
        changes: 0,
        changed_at: None,
    }
}

/// A pending adaptive revision.
fn row(id: i64) -> Shown {
    Shown {
        id,
        solve_id: id,
        revision_number: 2,
        kind: Kind::Adaptive,
        due_on: day("2026-09-10"),
        interval_days: 9,
        ladder_step: None,
        stability: Some(9.26),
        rating: None,
        completed_on: None,
        sequence: 4,
        updated_at: at("2026-09-01T10:11:12.987654Z"),
        own_title: None,
        own_difficulty: None,
        platform: Platform::Leetcode,
        slug: "two-sum".to_owned(),
        title: Some("Two Sum".to_owned()),
        difficulty: Some(Difficulty::Easy),
        topic: Some("arrays".to_owned()),
        problem_changes: 0,
        problem_updated_at: at("2026-08-01T00:00:00Z"),
    }
}

fn read(rows: &[Shown]) -> Vec<Read> {
    let report = lint(render(&view(), &secrets(), rows).text.as_bytes());
    assert_eq!(report.faults, []);
    report.events
}

fn one(row: Shown) -> Read {
    read(&[row]).remove(0)
}

#[test]
fn a_change_of_its_problem_is_a_change_of_the_event() {
    let changed = at("2026-09-02T00:00:00Z");
    let event = one(Shown { problem_changes: 2, problem_updated_at: changed, ..row(1) });
    assert_eq!((event.sequence.as_str(), event.stamp.as_str()), ("6", "20260902T000000Z"));
}

#[test]
fn a_pending_revision() {
    let event = one(row(1));
    assert_eq!(event.summary, "Two Sum (LeetCode)");
    assert_eq!(event.start, "20260910");
    assert_eq!(event.stamp, "20260901T101112Z");
    assert_eq!(event.sequence, "4");
    assert_eq!(event.categories, ["LeetCode", "arrays", "easy"]);
    assert_eq!(
        event.description,
        "Adaptive revision 2 after 9 days\n90 % recall for 9.3 days\n\
         LeetCode · arrays · easy\nhttps://leetcode.com/problems/two-sum/"
    );
    assert_eq!(event.url.as_deref(), Some("https://leetcode.com/problems/two-sum/"));
}

#[test]
fn a_completed_step_of_a_ladder() {
    let event = one(Shown {
        kind: Kind::Ladder,
        ladder_step: Some(0),
        stability: None,
        interval_days: 1,
        rating: Some(Rating::Good),
        completed_on: Some(day("2026-08-30")),
        ..row(1)
    });
    assert_eq!(event.summary, "✓ Two Sum (LeetCode)");
    assert_eq!(event.start, "20260830", "on the day on which it was done");
    assert!(event.description.starts_with("Ladder revision 2 done: good\nLeetCode"));
}

#[test]
fn a_pending_step_of_a_ladder() {
    let step = Shown {
        kind: Kind::Ladder,
        ladder_step: Some(0),
        stability: None,
        interval_days: 1,
        ..row(1)
    };
    let expected = "Ladder revision 2 after 1 day\nStep 1 of the ladder\nLeetCode";
    assert!(one(step).description.starts_with(expected));
}

/// The figure that the benchmark states: of ordinary titles, two thousand fit.
#[test]
fn two_thousand_ordinary_revisions_fit() {
    let rows: Vec<Shown> = (0..2_000)
        .map(|id| Shown {
            slug: format!("number-of-problems-{id}"),
            title: Some(format!("Number of Problems {id}")),
            completed_on: (id % 2 == 0).then(|| day("2026-08-30")),
            rating: (id % 2 == 0).then_some(Rating::Good),
            ..row(id)
        })
        .collect();
    let document = render(&view(), &secrets(), &rows);
    assert_eq!((document.written, document.left_out), (2_000, 0), "{}", document.text.len());
}

#[test]
fn the_owners_words_come_first_and_the_slug_last() {
    let own = Shown {
        own_title: Some("My Sum".to_owned()),
        own_difficulty: Some(Difficulty::Hard),
        ..row(1)
    };
    let event = one(own);
    assert_eq!(event.summary, "My Sum (LeetCode)");
    assert_eq!(event.categories, ["LeetCode", "arrays", "hard"]);
    let bare = Shown { title: None, difficulty: None, topic: None, ..row(1) };
    let event = one(bare);
    assert_eq!(event.summary, "two-sum (LeetCode)");
    assert_eq!(event.categories, ["LeetCode"]);
}

#[test]
fn a_custom_problem_has_no_address() {
    let custom = Shown { platform: Platform::Custom, slug: "dp-1".to_owned(), ..row(1) };
    let event = one(custom);
    assert_eq!(event.url, None);
    assert!(event.description.ends_with("own problem · arrays · easy"));
}

/// In a gap of the clock by the offset before it, in an overlap the first passage.
#[test]
fn timed_events_are_instants() {
    for (zone, time, due_on, start) in [
        ("Europe/Berlin", "07:30", "2026-09-10", "20260910T053000Z"),
        ("Europe/Berlin", "07:30", "2026-12-10", "20261210T063000Z"),
        ("Europe/Berlin", "02:30", "2026-03-29", "20260329T013000Z"),
        ("Europe/Berlin", "02:30", "2026-10-25", "20261025T003000Z"),
        ("America/New_York", "02:30", "2026-03-08", "20260308T073000Z"),
        ("America/New_York", "01:30", "2026-11-01", "20261101T053000Z"),
        ("Pacific/Apia", "23:00", "2026-09-10", "20260910T100000Z"),
        ("Asia/Kathmandu", "00:00", "2026-09-10", "20260909T181500Z"),
    ] {
        let time = NaiveTime::parse_from_str(time, "%H:%M").unwrap();
        let view = View { zone: zone.parse().unwrap(), time: Some(time), ..view() };
        let rows = [Shown { due_on: day(due_on), ..row(1) }];
        let report = lint(render(&view, &secrets(), &rows).text.as_bytes());
        assert_eq!(report.faults, []);
        assert_eq!(report.events[0].start, start, "{zone} {due_on}");
    }
}

#[test]
fn order_and_bytes_do_not_depend_on_the_rows_order_nor_on_the_day() {
    let rows = [row(1), Shown { due_on: day("2020-01-01"), ..row(2) }, row(3)];
    let turned = [rows[2].clone(), rows[0].clone(), rows[1].clone()];
    let document = render(&view(), &secrets(), &rows);
    assert_eq!(render(&view(), &secrets(), &turned), document);
    let later = View { today: day("2026-09-09"), ..view() };
    assert_eq!(render(&later, &secrets(), &turned), document);
}

#[test]
fn what_does_not_fit_whole_has_the_nearest_events() {
    let rows: Vec<Shown> = (0_i64..4_000)
        .map(|id| Shown {
            due_on: day("2022-01-01") + chrono::Days::new(id.unsigned_abs()),
            ..row(id)
        })
        .collect();
    let document = render(&view(), &secrets(), &rows);
    assert!(document.left_out > 0 && document.text.len() < MAX_BYTES);
    let report = lint(document.text.as_bytes());
    assert_eq!(report.faults, []);
    let distance = |event: &Read| {
        let day = NaiveDate::parse_from_str(&event.start, "%Y%m%d").unwrap();
        (day - view().today).num_days().abs()
    };
    let farthest = report.events.iter().map(distance).max().unwrap();
    assert_eq!(usize::try_from(farthest).unwrap() * 2, report.events.len() / 2 * 2);
}

/// The statements read no more rows than this, so there must never be room for more.
#[test]
fn no_document_has_room_for_more_events_than_are_read() {
    let most = usize::try_from(MOST_EVENTS).unwrap();
    let rows: Vec<Shown> = (0..MOST_EVENTS)
        .map(|id| Shown {
            revision_number: 1,
            kind: Kind::Ladder,
            interval_days: 1,
            stability: None,
            sequence: 0,
            platform: Platform::Cses,
            slug: "1".to_owned(),
            title: None,
            difficulty: None,
            topic: None,
            ..row(id)
        })
        .collect();
    assert!(render(&view(), &secrets(), &rows).written < most);
}

/// Whoever changes these bytes gives `RENDERER` another number, or clients keep the old ones.
#[test]
fn the_bytes_of_this_renderer() {
    let rows = [
        row(1),
        Shown {
            kind: Kind::Ladder,
            ladder_step: Some(2),
            rating: Some(Rating::Easy),
            completed_on: Some(day("2026-08-30")),
            platform: Platform::Codeforces,
            slug: "4/A".to_owned(),
            title: None,
            ..row(2)
        },
    ];
    let text = render(&view(), &secrets(), &rows).text.replace("\r\n", "\n");
    insta::assert_snapshot!("renderer-1", text);
}

fn state() -> impl Strategy<Value = State> {
    let paused = proptest::sample::subsequence(vec![1_u64, 2, 3, 9], 0..=4);
    (0_i64..4, 0_i64..4, 0_i64..4, 0_i64..3, 0_i64..3, paused).prop_map(
        |(count, highest, sequences, second, problem_changes, paused)| State {
            revisions: Tally {
                count,
                highest: Some(highest),
                sequences: Some(sequences),
                updated_at: DateTime::from_timestamp(second, 0).map(At::from),
            },
            problem_changes,
            paused: paused
                .into_iter()
                .map(|number| day("2026-09-05") + chrono::Days::new(number))
                .collect(),
        },
    )
}

prop_compose! {
    fn any_view()(
        today in 0_u64..3,
        zone in proptest::sample::select(vec![
            chrono_tz::UTC, chrono_tz::Etc::UTC, chrono_tz::Europe::Berlin,
        ]),
        time in proptest::option::of(0_u32..3),
    ) -> View {
        let today = day("2026-09-01") + chrono::Days::new(today);
        let time = time.and_then(|hour| NaiveTime::from_hms_opt(hour, 0, 0));
        View { today, zone, time, ..view() }
    }
}

proptest! {
    /// The name of a state is as good as the state.
    #[test]
    fn equal_bases_are_equal_states(
        (a, b) in ((any_view(), state()), (any_view(), state()))
    ) {
        prop_assert_eq!(basis(&a.0, &a.1) == basis(&b.0, &b.1), a == b);
    }
}
