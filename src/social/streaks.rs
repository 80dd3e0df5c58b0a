//! Friend streaks: consecutive local dates on which two friends both closed their rings.
//!
//! A day is kept once for each pair, in the transaction of whoever closed second. The pair's row has
//! the length of the streak and its last day, derived from the days under the lock of that row.

use super::model::{NewStreakDay, PairRow, Person};
use super::{guards, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::notifications::model::Kind;
use crate::notifications::{Notice, notify};
use chrono::NaiveDate;
use diesel::QueryResult;
use std::collections::{HashMap, HashSet};

/// Notes that a user's rings of a day have closed: with each friend who closed the same local date,
/// the day is kept, and both are told. Called in the transaction in which `ring_days` says that the
/// day is closed, after that statement; repeated it changes nothing. For whoever has no friends it
/// is one read.
///
/// # Errors
/// When the database fails.
pub fn day_closed(db: &mut Db, user_id: i64, day: NaiveDate, now: At) -> QueryResult<()> {
    // Under READ COMMITTED two friends who close at once would not see each other's row. So each
    // holds the row of both first, and looks in a later statement.
    let pairs: Vec<PairRow> = guards::hold_friend_pairs(db, user_id)?
        .into_iter()
        .filter(|pair| pair.first_day.is_some_and(|first| first <= day))
        .collect();
    if pairs.is_empty() {
        return Ok(());
    }
    let friends: Vec<i64> = pairs.iter().map(|pair| pair.other_than(user_id)).collect();
    let closed: HashSet<i64> = store::who_closed(db, &friends, day)?.into_iter().collect();
    let days: Vec<NewStreakDay> = pairs
        .iter()
        .filter(|pair| closed.contains(&pair.other_than(user_id)))
        .map(|pair| NewStreakDay { user1_id: pair.user1_id, user2_id: pair.user2_id, day })
        .collect();
    let kept: HashSet<(i64, i64)> = guards::record_streak_days(db, &days)?.into_iter().collect();
    let kept: Vec<PairRow> =
        pairs.into_iter().filter(|pair| kept.contains(&(pair.user1_id, pair.user2_id))).collect();
    if kept.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = kept.iter().flat_map(|pair| [pair.user1_id, pair.user2_id]).collect();
    let people = store::people(db, &ids)?;
    for pair in &kept {
        let (length, last) = lengthened(db, pair, day)?;
        store::set_streak(db, pair.id, length, last)?;
        tell_both(db, pair, &people, (day, length), now)?;
    }
    Ok(())
}

/// The streak of two friends by the day that was just kept: its length and its last day.
fn lengthened(db: &mut Db, pair: &PairRow, day: NaiveDate) -> QueryResult<(i32, NaiveDate)> {
    Ok(match pair.streak_last_day {
        // A late arrival may close a gap: the days are counted again, back from the last.
        Some(last) if day < last => {
            let days = store::streak_days(db, pair.user1_id, pair.user2_id)?;
            (run_at_the_end(&days), last)
        }
        Some(last) if last.succ_opt() == Some(day) => (pair.streak_days.saturating_add(1), day),
        _ => (1, day),
    })
}

/// How many of these days, the last first, follow each other up to the last. Pure.
#[must_use]
pub fn run_at_the_end(days: &[NaiveDate]) -> i32 {
    let gap = days.windows(2).position(|two| match two {
        [later, earlier] => earlier.succ_opt() != Some(*later),
        _ => false,
    });
    let length = gap.map_or(days.len(), |at| at + 1);
    i32::try_from(length).unwrap_or(i32::MAX)
}

/// How long a streak is on a day: one that ended before yesterday is over. Pure.
#[must_use]
pub fn standing(length: i32, last: Option<NaiveDate>, today: NaiveDate) -> i32 {
    let is_alive = last.and_then(|last| last.succ_opt()).is_some_and(|next| next >= today);
    if is_alive { length } else { 0 }
}

fn tell_both(
    db: &mut Db,
    pair: &PairRow,
    people: &HashMap<i64, Person>,
    (day, length): (NaiveDate, i32),
    now: At,
) -> QueryResult<()> {
    let cause = format!("{}-{}:{day}", pair.user1_id, pair.user2_id);
    let body = match length {
        1 => "A friend streak begins.".to_owned(),
        _ => format!("Your friend streak is {length} days long."),
    };
    for user_id in [pair.user1_id, pair.user2_id] {
        // An account that is being deleted has no row any more, and its pair will go too.
        let Some(friend) = people.get(&pair.other_than(user_id)) else { continue };
        let title = format!("You and {} both closed your rings", friend.name());
        let notice = Notice {
            user_id,
            kind: Kind::FriendStreak,
            cause: &cause,
            title: &title,
            body: &body,
            link: Some("/friends"),
        };
        notify(db, &notice, now)?;
    }
    Ok(())
}
