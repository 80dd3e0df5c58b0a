//! What is always true of people: one row of two says the same as the lists of both.

use chrono::NaiveDate;
use diesel::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use traverse::db::Db;
use traverse::schema::{blocks, friend_pairs, friend_requests, friend_streak_days};
use traverse::social::in_order;
use traverse::social::model::{PAIR, PairRow, REQUEST, RequestRow, Status};
use traverse::social::streaks::run_at_the_end;

/// Looks at all pairs, blocks, requests and streaks.
pub fn look(db: &mut Db, wrong: &mut impl FnMut(String)) {
    let pairs: Vec<PairRow> = friend_pairs::table.select(PAIR).load(db).unwrap();
    let listed: BTreeSet<(i64, i64)> = blocks::table
        .select((blocks::blocker_id, blocks::blocked_id))
        .load(db)
        .unwrap()
        .into_iter()
        .collect();
    let mut raised = BTreeSet::new();
    for pair in &pairs {
        for user_id in [pair.user1_id, pair.user2_id] {
            if pair.is_blocked_by(user_id) {
                raised.insert((user_id, pair.other_than(user_id)));
            }
        }
    }
    if listed != raised {
        wrong(format!("blocks {listed:?} are listed, and {raised:?} are raised"));
    }
    requests(db, &pairs, wrong);
    streaks(db, &pairs, wrong);
}

fn requests(db: &mut Db, pairs: &[PairRow], wrong: &mut impl FnMut(String)) {
    let rows: Vec<RequestRow> = friend_requests::table.select(REQUEST).load(db).unwrap();
    let pairs: BTreeMap<(i64, i64), &PairRow> =
        pairs.iter().map(|pair| ((pair.user1_id, pair.user2_id), pair)).collect();
    let mut accepted = BTreeSet::new();
    for request in rows {
        let order = in_order(request.requester_id, request.addressee_id);
        let Some(pair) = pairs.get(&order) else {
            wrong(format!("{request:?} is between two who have no row"));
            continue;
        };
        if request.status == Status::Accepted {
            accepted.insert(order);
        }
        let is_open = request.status == Status::Pending;
        let is_refused = pair.is_blocked_by(request.requester_id)
            || pair.is_blocked_by(request.addressee_id) && !request.hidden;
        if is_open && (pair.friends_since.is_some() || is_refused) {
            wrong(format!("{request:?} is open in spite of {pair:?}"));
        }
    }
    for (order, pair) in pairs {
        if pair.friends_since.is_some() && !accepted.contains(&order) {
            wrong(format!("nobody accepted {pair:?}"));
        }
    }
}

fn streaks(db: &mut Db, pairs: &[PairRow], wrong: &mut impl FnMut(String)) {
    let mut days: BTreeMap<(i64, i64), Vec<NaiveDate>> = BTreeMap::new();
    let rows: Vec<(i64, i64, NaiveDate)> = friend_streak_days::table
        .select((
            friend_streak_days::user1_id,
            friend_streak_days::user2_id,
            friend_streak_days::day,
        ))
        .order(friend_streak_days::day.desc())
        .load(db)
        .unwrap();
    for (one, two, day) in rows {
        days.entry((one, two)).or_default().push(day);
    }
    for pair in pairs {
        let days = days.remove(&(pair.user1_id, pair.user2_id)).unwrap_or_default();
        let counted = (run_at_the_end(&days), days.first().copied());
        if counted != (pair.streak_days, pair.streak_last_day) {
            wrong(format!("{pair:?} has the days {days:?}"));
        }
        if pair.friends_since.is_none() && !days.is_empty() {
            wrong(format!("{pair:?} are no friends and have the days {days:?}"));
        }
    }
    if !days.is_empty() {
        wrong(format!("days of no pair: {days:?}"));
    }
}
