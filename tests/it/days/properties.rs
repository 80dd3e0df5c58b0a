//! What holds for the local days of every zone, at any time.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Offset, TimeDelta, Timelike, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};
use proptest::prelude::*;
use traverse::days::{DayHistory, DayRule, instant_of};

/// What `local_day` is by its definition: the greatest day that the wall has reached so far.
struct Reached {
    rule: DayRule,
    day: NaiveDate,
}

impl Reached {
    fn at(&mut self, instant: DateTime<Utc>) -> NaiveDate {
        let wall = instant.with_timezone(&self.rule.zone).naive_local();
        let day = (wall - (self.rule.day_starts_at - NaiveTime::MIN)).date();
        self.day = self.day.max(day);
        self.day
    }
}

/// Around every change of every clock since 2000, in steps that meet every day start exactly.
#[test]
fn days_are_right_around_every_change_of_every_clock() {
    let mut changes = 0;
    for zone in TZ_VARIANTS {
        for change in changes_of(zone, 946_684_800, 1_767_225_600) {
            changes += 1;
            // On the jump, before it (so that the clock passes twice) and after it.
            let wall = change.with_timezone(&zone).naive_local();
            let before = wall - TimeDelta::minutes(55);
            for start in [wall, before, wall + TimeDelta::minutes(25)] {
                let start = start.time().with_second(0);
                around(DayRule { zone, day_starts_at: start.unwrap() }, change);
            }
        }
    }
    assert!(changes > 5000, "only {changes} changes found");
}

fn around(rule: DayRule, change: DateTime<Utc>) {
    let mut instant = change - TimeDelta::hours(3);
    let mut reached = Reached { rule, day: NaiveDate::MIN };
    while instant < change + TimeDelta::hours(3) {
        let day = rule.local_day(instant);
        assert_eq!(day, reached.at(instant), "{rule:?} at {instant}");
        assert!(rule.starts_at(day) <= instant && instant < rule.ends_at(day), "{rule:?} {day}");
        instant += TimeDelta::minutes(5);
    }
}

fn changes_of(zone: Tz, from: i64, to: i64) -> Vec<DateTime<Utc>> {
    const WEEK: i64 = 7 * 86_400;
    let at = |second: i64| DateTime::from_timestamp(second, 0).unwrap();
    let offset = |second: i64| at(second).with_timezone(&zone).offset().fix();
    let mut found = Vec::new();
    let mut second = from;
    while second < to {
        let (mut low, mut high) = (second, second + WEEK);
        if offset(low) != offset(high) {
            while high - low > 1 {
                let middle = i64::midpoint(low, high);
                if offset(middle) == offset(low) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            found.push(at(high));
        }
        second += WEEK;
    }
    found
}

fn any_zone() -> impl Strategy<Value = Tz> {
    prop_oneof![
        proptest::sample::select(vec![
            Tz::Pacific__Apia,
            Tz::America__Sao_Paulo,
            Tz::Australia__Lord_Howe,
            Tz::Africa__Cairo,
            Tz::Asia__Tehran,
            Tz::Antarctica__Troll,
            Tz::Pacific__Kwajalein,
            Tz::Africa__Casablanca,
            Tz::Asia__Gaza,
            Tz::America__Juneau,
            Tz::Asia__Manila,
        ]),
        proptest::sample::select(TZ_VARIANTS.to_vec()),
    ]
}

fn any_rule() -> impl Strategy<Value = DayRule> {
    (any_zone(), 0_u32..24, prop_oneof![Just(0_u32), 0_u32..60]).prop_map(|(zone, hour, minute)| {
        DayRule { zone, day_starts_at: NaiveTime::from_hms_opt(hour, minute, 0).unwrap() }
    })
}

/// Mostly since 2000, with the year in which Apia skipped a date, and back to 1840.
fn any_instant() -> impl Strategy<Value = DateTime<Utc>> {
    prop_oneof![
        3 => 946_684_800_i64..2_208_988_800,
        1 => 1_324_857_600_i64..1_325_462_400,
        1 => -4_102_444_800_i64..4_102_444_800,
    ]
    .prop_map(|seconds| DateTime::from_timestamp(seconds, 0).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn days_never_go_back(rule in any_rule(), start in any_instant(), step in 1_i64..200_000) {
        let mut at = start;
        let mut day = rule.local_day(at);
        for _ in 0..12 {
            at += TimeDelta::seconds(step);
            let next = rule.local_day(at);
            prop_assert!(next >= day, "{at}: {next} after {day}");
            day = next;
        }
    }

    #[test]
    fn every_instant_is_in_its_day(rule in any_rule(), at in any_instant()) {
        let day = rule.local_day(at);
        prop_assert!(rule.starts_at(day) <= at, "{day}");
        prop_assert!(at < rule.ends_at(day), "{day}");
        prop_assert_eq!(rule.local_day(rule.starts_at(day)), day);
        let last = rule.ends_at(day) - TimeDelta::nanoseconds(1);
        prop_assert_eq!(rule.local_day(last), day);
    }

    #[test]
    fn a_day_starts_when_the_wall_first_reaches_it(
        rule in any_rule(), at in any_instant(), offset in -3_i64..3,
    ) {
        let day = rule.local_day(at) + TimeDelta::days(offset);
        let wall = |at: DateTime<Utc>| at.with_timezone(&rule.zone).naive_local();
        let start = rule.starts_at(day);
        let sought = day.and_time(rule.day_starts_at);
        prop_assert!(wall(start) >= sought);
        let mut earlier = start - TimeDelta::seconds(1);
        prop_assert!(wall(earlier) < sought);
        for _ in 0..200 {
            earlier -= TimeDelta::minutes(15);
            prop_assert!(wall(earlier) < sought, "{earlier}");
        }
    }

    #[test]
    fn a_local_time_that_exists_is_shown_at_its_instant(
        zone in any_zone(), at in any_instant(),
    ) {
        let wall = at.with_timezone(&zone).naive_local();
        let found = instant_of(zone, wall.date(), wall.time());
        prop_assert_eq!(found.with_timezone(&zone).naive_local(), wall);
        prop_assert!(found <= at, "the first of two");
        prop_assert!(wall.year() > 1800);
    }

    #[test]
    fn changes_of_rule_keep_days_in_order(
        first in any_rule(),
        changes in proptest::collection::vec((any_rule(), 0_i64..4_000), 1..5),
        start in 946_684_800_i64..2_208_988_800,
    ) {
        let mut at = DateTime::from_timestamp(start, 0).unwrap();
        let mut history = DayHistory::new(first, &[]);
        let mut day = history.local_day(at);
        for (rule, minutes) in changes {
            let end = at + TimeDelta::minutes(minutes);
            while at < end {
                at += TimeDelta::minutes(37);
                let next = history.local_day(at);
                prop_assert!(next >= day, "{at}: {next} after {day}");
                prop_assert!(history.starts_at(next) <= at && at < history.ends_at(next));
                day = next;
            }
            let running = history.rule_at(at).ends_at(history.local_day(at));
            let changed = history.change(rule, at);
            prop_assert_eq!(changed.current(), rule);
            prop_assert!(changed.local_day(at) >= day, "a change goes back at {}", at);
            if history.past().last().is_none_or(|(_, since)| *since <= at - TimeDelta::hours(51)) {
                prop_assert_eq!(changed.local_day(at), day);
                prop_assert!(changed.ends_at(day) >= running, "cut short");
            }
            day = day.max(changed.local_day(at));
            history = changed;
        }
    }
}
