//! What is always true of rings and pauses: a day that closed has its XP and its notification, once
//! each, and no other day has; a pause has its days, all of them and no others.

use chrono::NaiveDate;
use diesel::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use traverse::db::Db;
use traverse::rings::model::RingRow;
use traverse::schema::{notifications, paused_days, pauses, ring_days, xp_entries};
use traverse::xp::{self, model::Reason};

/// Looks at all days and all pauses.
pub fn look(db: &mut Db, wrong: &mut impl FnMut(String)) {
    rings(db, wrong);
    of_pauses(db, wrong);
}

fn rings(db: &mut Db, wrong: &mut impl FnMut(String)) {
    let rings: Vec<RingRow> = ring_days::table.load(db).unwrap();
    let mut awarded: Vec<(i64, i64, i32, NaiveDate)> = xp_entries::table
        .filter(xp_entries::reason.eq(Reason::RingClosed))
        .select((
            xp_entries::user_id,
            xp_entries::subject_id,
            xp_entries::amount,
            xp_entries::local_day,
        ))
        .load(db)
        .unwrap();
    let mut told: Vec<(i64, String)> = notifications::table
        .filter(notifications::kind.eq("rings-closed"))
        .select((notifications::user_id, notifications::dedup_key))
        .load(db)
        .unwrap();
    for ring in rings {
        if ring.closed_at.is_some() {
            let entry = (ring.user_id, ring.id, xp::RINGS_CLOSED, ring.day);
            take(&mut awarded, &entry, wrong);
            take(&mut told, &(ring.user_id, format!("rings-closed:{}", ring.day)), wrong);
        } else if ring.is_reached() {
            wrong(format!("{ring:?} has all that it wants and did not close"));
        }
    }
    if !awarded.is_empty() || !told.is_empty() {
        wrong(format!("no day closed for {awarded:?}, {told:?}"));
    }
}

fn take<T: PartialEq + std::fmt::Debug>(of: &mut Vec<T>, one: &T, wrong: &mut impl FnMut(String)) {
    match of.iter().position(|other| other == one) {
        Some(place) => drop(of.swap_remove(place)),
        None => wrong(format!("a day closed without {one:?}")),
    }
}

fn of_pauses(db: &mut Db, wrong: &mut impl FnMut(String)) {
    let mut days: BTreeMap<(i64, i64), BTreeSet<NaiveDate>> = BTreeMap::new();
    let rows: Vec<(i64, i64, NaiveDate)> = paused_days::table
        .select((paused_days::pause_id, paused_days::user_id, paused_days::day))
        .load(db)
        .unwrap();
    for (pause_id, user_id, day) in rows {
        days.entry((pause_id, user_id)).or_default().insert(day);
    }
    let spans: Vec<(i64, i64, NaiveDate, NaiveDate)> = pauses::table
        .select((pauses::id, pauses::user_id, pauses::from_day, pauses::until_day))
        .load(db)
        .unwrap();
    for (id, user_id, from, until) in spans {
        let expected: BTreeSet<NaiveDate> =
            from.iter_days().take_while(|day| *day <= until).collect();
        if days.remove(&(id, user_id)) != Some(expected) {
            wrong(format!("pause {id} has not its days"));
        }
    }
    if !days.is_empty() {
        wrong(format!("days of no pause: {days:?}"));
    }
}
