//! Any texts whatever: the lint finds nothing, and a reader gets back what was written.

use chrono::{DateTime, NaiveDate};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use traverse::calendar::ics::{Event, Feed, Start, plain_text};

use super::{lint, nasty};

/// What a reader must see of a text: the rules once more, in another way than the emitter's, so
/// that an error in one is not an error in both. For texts that are short enough not to be cut.
fn seen(source: &str) -> String {
    let mut text = source.replace("\r\n", "\n");
    for line_break in ["\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"] {
        text = text.replace(line_break, "\n");
    }
    text = text.replace('\t', " ");
    text.retain(|c| {
        let code = u32::from(c);
        let control = code < 0x20 && c != '\n' || (0x7f..0xa0).contains(&code);
        let noncharacter =
            (0xfdd0..=0xfdef).contains(&code) || [0xfffe, 0xffff].contains(&(code % 0x1_0000));
        let directional =
            "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}".contains(c);
        !(control || noncharacter || directional)
    });
    text
}

/// Pieces that have broken calendars, single characters of every kind, and runs that reach folds.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => any::<String>(),
        2 => any::<char>().prop_map(String::from),
        3 => proptest::sample::select(nasty::TEXTS.map(|(source, _)| source.to_owned()).to_vec()),
        3 => "[\\\\;,:\"\r\n\t \u{0}\u{b}\u{85}\u{2028}\u{202e}\u{fdd0}\u{fffe}nN]{0,12}",
        2 => ("[a-z,\\\\é字😀]", 60_usize..80).prop_map(|(c, times)| c.repeat(times)),
    ];
    vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![
        (1..=9999, 1_u32..=366).prop_filter_map("366 in a common year", |(year, ordinal)| {
            NaiveDate::from_yo_opt(year, ordinal).map(Start::Day)
        }),
        (-62_135_596_800_i64..=253_402_300_799, 0_u32..1_000_000_000)
            .prop_filter_map("an instant of the years 1 to 9999", |(second, nano)| {
                DateTime::from_timestamp(second, nano).map(Start::Instant)
            }),
    ]
}

prop_compose! {
    fn event()(
        start in start(),
        changed_at in 0_i64..4_000_000_000,
        sequence in any::<i64>(),
        summary in text(),
        description in text(),
        url in option::of(prop_oneof![
            text(),
            text().prop_map(|text| format!("https://example.com/{text}")),
            text().prop_map(|text| format!("https://example.com/?q={text}#{text}")),
        ]),
        categories in vec(text(), 0..4),
    ) -> Event {
        Event {
            uid: String::new(),
            changed_at: DateTime::from_timestamp(changed_at, 0).unwrap(),
            sequence, start, summary, description, url, categories,
        }
    }
}

prop_compose! {
    fn feed()(name in text(), mut events in vec(event(), 0..6)) -> Feed {
        for (number, event) in events.iter_mut().enumerate() {
            event.uid = format!("{number:032x}@traverse");
        }
        Feed { name, events }
    }
}

fn written(start: Start) -> String {
    match start {
        Start::Day(day) => day.format("%Y%m%d").to_string(),
        Start::Instant(at) => at.format("%Y%m%dT%H%M%SZ").to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_lint_finds_nothing_and_values_come_back(feed in feed()) {
        let document = feed.document();
        let report = lint::lint(document.text.as_bytes());
        prop_assert_eq!(&report.faults, &[]);
        prop_assert_eq!(report.name, seen(&feed.name));
        prop_assert_eq!((document.written, document.left_out), (feed.events.len(), 0));
        prop_assert_eq!(report.events.len(), feed.events.len());
        for (read, event) in report.events.iter().zip(&feed.events) {
            prop_assert_eq!(&read.uid, &event.uid);
            prop_assert_eq!(&read.start, &written(event.start));
            prop_assert_eq!(&read.stamp, &written(Start::Instant(event.changed_at)));
            prop_assert_eq!(&read.summary, &seen(&event.summary));
            prop_assert_eq!(&read.description, &seen(&event.description));
            let labels: Vec<String> =
                event.categories.iter().map(|label| seen(label)).filter(|l| !l.is_empty()).collect();
            prop_assert_eq!(&read.categories, &labels);
            if let Some(url) = &read.url {
                prop_assert!(event.url.is_some(), "{} from nothing", url);
            }
        }
    }

    #[test]
    fn plain_text_of_plain_text_is_itself(text in text()) {
        let plain = plain_text(&text);
        prop_assert_eq!(&plain, &seen(&text));
        prop_assert_eq!(plain_text(&plain), plain);
    }

    #[test]
    fn a_limit_cuts_to_the_first_events(feed in feed(), limit in 0_usize..6_000) {
        let cut = feed.document_within(limit);
        let kept = Feed { name: feed.name.clone(), events: feed.events[..cut.written].to_vec() };
        prop_assert_eq!(&cut.text, &kept.document().text);
        prop_assert!(cut.written == 0 || cut.text.len() < limit);
        prop_assert_eq!(cut.written + cut.left_out, feed.events.len());
        if cut.left_out > 0 {
            let one_more = feed.events[..=cut.written].to_vec();
            let longer = Feed { name: feed.name.clone(), events: one_more }.document();
            prop_assert!(longer.text.len() >= limit, "an event more would have fitted");
        }
    }
}
