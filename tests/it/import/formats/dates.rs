//! Dates: every form that is known, and those that are refused.

use chrono_tz::Tz;

use traverse::import::formats::DateOrder;
use traverse::import::formats::Precision::{self, Day, Exact, Minute};
use traverse::import::formats::dates::moment;

const BERLIN: Tz = Tz::Europe__Berlin;

/// A text, its instant for someone in Berlin, what of it is known, and whether the zone is Berlin's.
const KNOWN: &[(&str, &str, Precision, bool)] = &[
    ("2025-06-23", "2025-06-23T10:00:00Z", Day, true),
    ("2025/06/23", "2025-06-23T10:00:00Z", Day, true),
    ("2025.6.3", "2025-06-03T10:00:00Z", Day, true),
    ("20250623", "2025-06-23T10:00:00Z", Day, true),
    (" 23.06.2025 ", "2025-06-23T10:00:00Z", Day, true),
    ("3.4.2025", "2025-04-03T10:00:00Z", Day, true),
    ("23/06/2025", "2025-06-23T10:00:00Z", Day, true),
    ("06/23/2025", "2025-06-23T10:00:00Z", Day, true),
    ("23-06-2025", "2025-06-23T10:00:00Z", Day, true),
    ("04/04/2025", "2025-04-04T10:00:00Z", Day, true),
    ("2025-01-15", "2025-01-15T11:00:00Z", Day, true),
    ("June 23, 2025", "2025-06-23T10:00:00Z", Day, true),
    ("JUN 23 2025", "2025-06-23T10:00:00Z", Day, true),
    ("Sept. 3, 2025", "2025-09-03T10:00:00Z", Day, true),
    ("June 23rd, 2025", "2025-06-23T10:00:00Z", Day, true),
    ("1st June 2025", "2025-06-01T10:00:00Z", Day, true),
    ("23 June 2025", "2025-06-23T10:00:00Z", Day, true),
    ("23. June 2025", "2025-06-23T10:00:00Z", Day, true),
    ("23-Jun-2025", "2025-06-23T10:00:00Z", Day, true),
    ("2025-Jun-23", "2025-06-23T10:00:00Z", Day, true),
    ("Monday, June 23, 2025", "2025-06-23T10:00:00Z", Day, true),
    ("Jun/23/2025 18:58", "2025-06-23T16:58:00Z", Minute, true),
    ("Mar/01/2020 18:58", "2020-03-01T17:58:00Z", Minute, true),
    ("2025-06-23 18:58", "2025-06-23T16:58:00Z", Minute, true),
    ("2025-06-23 18:58:07", "2025-06-23T16:58:07Z", Exact, true),
    ("2025-06-23T18:58:07.25", "2025-06-23T16:58:07.250Z", Exact, true),
    ("6/23/2025 6:58:00 PM", "2025-06-23T16:58:00Z", Exact, true),
    ("6/23/2025, 6:58:00\u{202f}p.m.", "2025-06-23T16:58:00Z", Exact, true),
    ("6/23/2025 12:05 AM", "2025-06-22T22:05:00Z", Minute, true),
    ("June 23, 2025 at 12:30 PM", "2025-06-23T10:30:00Z", Minute, true),
    ("2025-06-23T18:58:07Z", "2025-06-23T18:58:07Z", Exact, false),
    ("2025-06-23t18:58:07z", "2025-06-23T18:58:07Z", Exact, false),
    ("2025-06-23T18:58:07.123456789123Z", "2025-06-23T18:58:07.123456789Z", Exact, false),
    ("2025-06-23 18:58:07+00:00", "2025-06-23T18:58:07Z", Exact, false),
    ("2025-06-23 18:58 UTC", "2025-06-23T18:58:00Z", Minute, false),
    ("2025-06-23T18:58:07-0230", "2025-06-23T21:28:07Z", Exact, false),
    ("2025-06-23T18:58:07+02", "2025-06-23T16:58:07Z", Exact, false),
    ("Mon, 23 Jun 2025 18:58:07 +0200", "2025-06-23T16:58:07Z", Exact, false),
    ("Mon, 23 Jun 2025 18:58:07 GMT", "2025-06-23T18:58:07Z", Exact, false),
    (
        "Mon Jun 23 2025 18:58:07 GMT+0200 (Central European Summer Time)",
        "2025-06-23T16:58:07Z",
        Exact,
        false,
    ),
    ("1750690680", "2025-06-23T14:58:00Z", Exact, false),
    ("1750690680.5", "2025-06-23T14:58:00.500Z", Exact, false),
    ("1750690680250", "2025-06-23T14:58:00.250Z", Exact, false),
    ("1750690680250.0", "2025-06-23T14:58:00.250Z", Exact, false),
    // The clock leaves out 02:30 on one day and shows it twice on the other.
    ("2025-03-30 02:30", "2025-03-30T01:30:00Z", Minute, true),
    ("2025-10-26 02:30", "2025-10-26T00:30:00Z", Minute, true),
];

#[test]
fn every_form_that_is_known() {
    for (text, instant, precision, zone_assumed) in KNOWN {
        let found = moment(text, BERLIN, None).unwrap_or_else(|reason| panic!("{text}: {reason}"));
        let expected = (super::at(instant), *precision, *zone_assumed);
        assert_eq!((found.at, found.precision, found.zone_assumed), expected, "{text}");
    }
}

#[test]
fn the_stated_order_decides() {
    use DateOrder::{Dmy, Mdy, Ymd};
    for (text, order, expected) in [
        ("03/04/2025", Dmy, Some("2025-04-03")),
        ("03/04/2025", Mdy, Some("2025-03-04")),
        ("03/04/2025", Ymd, None),
        ("03-04-2025", Dmy, Some("2025-04-03")),
        ("3.4.2025", Mdy, Some("2025-03-04")),
        ("23/06/2025", Mdy, None),
        ("23/06/2025", Dmy, Some("2025-06-23")),
        ("06/23/2025", Dmy, None),
        ("2025-03-04", Dmy, Some("2025-03-04")),
        ("3/4/25", Dmy, Some("2025-04-03")),
        ("3/4/25", Mdy, Some("2025-03-04")),
        ("25-03-04", Ymd, Some("2025-03-04")),
        ("23-Jun-25", Dmy, Some("2025-06-23")),
        ("Jun 23, 25", Mdy, Some("2025-06-23")),
        ("25 Jun 23", Ymd, Some("2025-06-23")),
    ] {
        let found = moment(text, BERLIN, Some(order)).ok();
        let day = found.map(|moment| moment.at.date_naive().to_string());
        assert_eq!(day.as_deref(), expected, "{text} {order:?}");
    }
}

#[test]
fn what_is_refused() {
    let ambiguous = "is ambiguous, day or month first";
    let short = "has a year of two digits";
    let unknown = "has no form that is known";
    let no_day = "is no day of the calendar";
    for (text, expected) in [
        ("03/04/2025", ambiguous),
        ("03-04-2025 10:00", ambiguous),
        ("6/23/25", short),
        ("23-Jun-25", short),
        ("31.02.2025", no_day),
        ("13/13/2025", no_day),
        ("2025-13-01", no_day),
        ("2025-02-29", no_day),
        ("20251301", no_day),
        ("", unknown),
        ("0", unknown),
        ("-1", unknown),
        ("45831", unknown),
        ("175069068", "1975"),
        ("1750690680250123", unknown),
        ("1.750690680E9", unknown),
        ("yesterday", unknown),
        ("Juni 23, 2025", unknown),
        ("June 2025", unknown),
        ("23 Juneau 2025", unknown),
        ("06/2025", unknown),
        ("2025-06/23", unknown),
        ("06 23 2025", unknown),
        ("2025-06-23 24:00", unknown),
        ("2025-06-23 13:00 PM", unknown),
        ("2025-06-23 0:00 AM", unknown),
        ("2025-06-23 18:5", unknown),
        ("2025-06-23 18", unknown),
        ("2025-06-23 18:58:61", unknown),
        ("2025-06-23 18:58 CEST", unknown),
        ("2025-06-23 18:58 +25:00", unknown),
        ("2025-06-23 18:58 and more", unknown),
        ("2025-06-23x", unknown),
        ("2025-06-23 18:58:07.", unknown),
        ("٢٠٢٥-٠٦-٢٣", unknown),
        ("99999999-06-23", no_day),
    ] {
        match moment(text, BERLIN, None) {
            Err(reason) => assert!(reason.contains(expected), "{text}: {reason}"),
            // What is a time of the wrong century is for the range of all formats to refuse.
            Ok(found) => assert!(found.at.to_string().starts_with(expected), "{text}: {found:?}"),
        }
    }
}
