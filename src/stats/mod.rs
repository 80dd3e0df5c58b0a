//! Figures of a user: what was done, what is known, what is to come. Only reads.

pub mod model;
pub mod routes;
pub mod store;

use crate::days::days_later;
use crate::db::Db;
use crate::db::instant::At;
use crate::pauses;
use crate::revisions::Learner;
use crate::revisions::rating::Rating;
use chrono::NaiveDate;
use diesel::QueryResult;
use model::{DayCount, Heat, Retention, Share, Stats};
use std::collections::BTreeMap;

/// Days that true retention looks back on.
const RECENT: i64 = 30;

/// Which days the figures are about.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The first day of the heat map.
    pub from: NaiveDate,
    /// The last day of the heat map.
    pub to: NaiveDate,
    /// Days of the forecast, today included.
    pub forecast_days: i64,
}

/// The figures of a user.
///
/// # Errors
/// When the database fails.
pub fn stats(db: &mut Db, learner: &Learner, span: Span, now: At) -> QueryResult<Stats> {
    let user_id = learner.user_id;
    let today = learner.days.local_day(*now);
    let kinds = store::solves_by_kind(db, user_id)?;
    let last = days_later(today, span.forecast_days - 1);
    let paused = pauses::days_between(db, user_id, today, last)?;
    let is_paused = paused.first() == Some(&today);
    Ok(Stats {
        day: today,
        counts: store::counts(db, user_id, today, is_paused)?,
        heat_map: heat_map(db, user_id, span)?,
        by_topic: shares(kinds.iter().map(|kind| (kind.topic.clone(), kind.solves))),
        by_difficulty: shares(kinds.iter().map(|kind| {
            let difficulty = kind.own_difficulty.or(kind.difficulty);
            (difficulty.map(|difficulty| difficulty.as_str().to_owned()), kind.solves)
        })),
        by_platform: shares(
            kinds.iter().map(|kind| (Some(kind.platform.as_str().to_owned()), kind.solves)),
        ),
        true_retention: retention(db, user_id, None)?,
        recent_retention: retention(db, user_id, Some(days_later(today, 1 - RECENT)))?,
        forecast: forecast(db, user_id, (today, last), &paused)?,
    })
}

fn heat_map(db: &mut Db, user_id: i64, span: Span) -> QueryResult<Vec<Heat>> {
    let mut days: BTreeMap<NaiveDate, Heat> = BTreeMap::new();
    let mut at = |day: NaiveDate, add: &dyn Fn(&mut Heat)| {
        add(days.entry(day).or_insert(Heat { day, ..Heat::default() }));
    };
    for (day, count) in store::solves_by_day(db, user_id, span.from, span.to)? {
        at(day, &|heat| heat.solves = count);
    }
    for (day, count) in store::reviews_by_day(db, user_id, span.from, span.to)? {
        at(day, &|heat| heat.reviews = count);
    }
    for (day, count) in store::submissions_by_day(db, user_id, span.from, span.to)? {
        at(day, &|heat| heat.submissions = count);
    }
    Ok(days.into_values().collect())
}

/// Adds up by name, the largest first; what has no name is under none.
fn shares(counts: impl Iterator<Item = (Option<String>, i64)>) -> Vec<Share> {
    let mut sums: BTreeMap<Option<String>, i64> = BTreeMap::new();
    for (name, solves) in counts {
        *sums.entry(name).or_default() += solves;
    }
    let mut shares: Vec<_> =
        sums.into_iter().map(|(name, solves)| Share { name, solves }).collect();
    shares.sort_by(|a, b| b.solves.cmp(&a.solves).then_with(|| a.name.cmp(&b.name)));
    shares
}

fn retention(db: &mut Db, user_id: i64, since: Option<NaiveDate>) -> QueryResult<Retention> {
    let ratings = store::reviews_by_rating(db, user_id, since)?;
    let reviews: i64 = ratings.iter().map(|(_, count)| count).sum();
    let recalled: i64 =
        ratings.iter().filter(|(rating, _)| *rating != Rating::Again).map(|(_, count)| count).sum();
    Ok(Retention { reviews, recalled, rate: model::ratio(recalled, reviews) })
}

/// What falls due on each day; what is overdue counts for today. On a paused day nothing does.
fn forecast(
    db: &mut Db,
    user_id: i64,
    (today, last): (NaiveDate, NaiveDate),
    paused: &[NaiveDate],
) -> QueryResult<Vec<DayCount>> {
    let due = store::due_by_day(db, user_id, last)?;
    let is_of = |on: NaiveDate, day: NaiveDate| on == day || (day == today && on < day);
    Ok(today
        .iter_days()
        .take_while(|day| *day <= last)
        .map(|day| match paused.binary_search(&day) {
            Ok(_) => DayCount { day, due: 0 },
            Err(_) => {
                let counts = due.iter().filter(|(on, _)| is_of(*on, day));
                DayCount { day, due: counts.map(|(_, count)| count).sum() }
            }
        })
        .collect())
}
