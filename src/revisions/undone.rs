//! What undos take out of a log. The work grows with the log about as sorting it does, however many
//! undos it has: what counts is found by order and by number, and an act is compared with those
//! undos only that it was written inside of, which are as many as reviews were open then.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};

use super::log::{Entry, Event};

/// The entries that count, in order: without reviews that were taken back, and without what those
/// take with them.
pub(super) fn live(entries: &[Entry]) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = entries.iter().collect();
    entries.sort_by_key(|entry| order(entry));
    let undos = undos(&entries);
    let undone: HashSet<i64> = undos.iter().filter_map(|undo| review_of(undo.review)).collect();
    let seen = Seen::of(&undos);
    let taken = taken_acts(&entries, &undos);
    let counts = |number: usize, entry: &Entry| {
        let of_undone = || review_of(entry).is_some_and(|id| undone.contains(&id));
        match entry.event {
            Event::Reviewed { .. } => !of_undone(),
            Event::Solved { .. } => !of_undone() && !seen.takes(entry),
            Event::Postponed { .. } | Event::Skipped { .. } | Event::Placed { .. } => {
                !taken.contains(&number)
            }
            Event::Undone { .. } => false,
            Event::Suspended | Event::Resumed | Event::Reset { .. } => true,
        }
    };
    let entries = entries.into_iter().enumerate();
    entries.filter(|(number, entry)| counts(*number, entry)).map(|(_, entry)| entry).collect()
}

/// A review that was taken back, and the entry that did it.
struct Undo<'a> {
    review: &'a Entry,
    by: &'a Entry,
    /// The reset after the review, which what was done after that was done to.
    reset: Option<&'a Entry>,
}

impl Undo<'_> {
    /// Whether the undo takes an act with it that was written between the review and itself. What was
    /// written before a review that arrived late was done to an older step.
    fn takes(&self, act: &Entry) -> bool {
        let is_reset = self.reset.is_some_and(|reset| order(act) > order(reset));
        !is_reset && act.step.is_none_or(|step| self.by.step.is_none_or(|of| step > of))
    }
}

/// The undos of these entries, which are in order, by the order of their reviews.
fn undos<'a>(entries: &[&'a Entry]) -> Vec<Undo<'a>> {
    let mut by_review: HashMap<i64, Vec<&Entry>> = HashMap::new();
    let mut firsts: HashMap<i64, usize> = HashMap::new();
    for (number, entry) in entries.iter().enumerate() {
        if let Event::Undone { review_id } = entry.event {
            by_review.entry(review_id).or_default().push(entry);
        }
        if let Some(id) = review_of(entry) {
            firsts.entry(id).or_insert(number);
        }
    }
    let mut undos = Vec::new();
    let mut resets: Vec<&Entry> = Vec::new();
    for (number, entry) in entries.iter().enumerate().rev() {
        if matches!(entry.event, Event::Reset { .. }) {
            resets.push(entry);
        }
        // A review is in the log once; of more only the first is one that can be taken back.
        let id = review_of(entry).filter(|id| firsts.get(id) == Some(&number));
        let Some(by) = id.and_then(|id| by_review.get(&id)) else { continue };
        let reset = resets.iter().rev().find(|reset| order(reset) > order(entry)).copied();
        undos.extend(by.iter().map(|by| Undo { review: entry, by, reset }));
    }
    undos.reverse();
    undos
}

/// Until when what was solved after a review does not step into its place.
struct Seen {
    /// By the order of the reviews: the latest instant, and the highest place in the log, of the undos
    /// of this review and all before it.
    until: Vec<(Order, Order)>,
}

impl Seen {
    fn of(undos: &[Undo<'_>]) -> Self {
        let mut until: Vec<(Order, Order)> = Vec::new();
        for undo in undos {
            let (mut at, mut seq) = order(undo.by);
            if let Some((_, (latest, highest))) = until.last() {
                (at, seq) = (at.max(*latest), seq.max(*highest));
            }
            until.push((order(undo.review), (at, seq)));
        }
        Self { until }
    }

    /// Whether a solve was seen by an undo of a review before it.
    fn takes(&self, solved: &Entry) -> bool {
        let before = self.until.partition_point(|(review, ..)| *review < order(solved));
        let last = before.checked_sub(1).and_then(|last| self.until.get(last));
        last.is_some_and(|(_, (at, seq))| solved.at <= *at || solved.seq < *seq)
    }
}

/// What of the entries, by their numbers, is an act that an undo takes with it.
fn taken_acts(entries: &[&Entry], undos: &[Undo<'_>]) -> HashSet<usize> {
    /// What happens at a place of the log: of one place, ends come first and beginnings last.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    enum Point {
        Ends(usize),
        Act(usize),
        Begins(usize),
    }
    let mut points: Vec<(i64, Point)> = Vec::new();
    for (number, undo) in undos.iter().enumerate() {
        if undo.review.seq < undo.by.seq {
            points.push((undo.review.seq, Point::Begins(number)));
            points.push((undo.by.seq, Point::Ends(number)));
        }
    }
    for (number, entry) in entries.iter().enumerate() {
        if let Event::Postponed { .. } | Event::Skipped { .. } | Event::Placed { .. } = entry.event
        {
            points.push((entry.seq, Point::Act(number)));
        }
    }
    points.sort_unstable();
    let mut open: BTreeSet<usize> = BTreeSet::new();
    let mut taken = HashSet::new();
    for (_, point) in points {
        match point {
            Point::Begins(undo) => {
                open.insert(undo);
            }
            Point::Ends(undo) => {
                open.remove(&undo);
            }
            Point::Act(number) => {
                let undo = |undo: &usize| undos.get(*undo);
                if let Some(act) = entries.get(number)
                    && open.iter().filter_map(undo).any(|undo| undo.takes(act))
                {
                    taken.insert(number);
                }
            }
        }
    }
    taken
}

/// The instant of an entry, and its place in the log.
type Order = (DateTime<Utc>, i64);

fn order(entry: &Entry) -> Order {
    (entry.at, entry.seq)
}

fn review_of(entry: &Entry) -> Option<i64> {
    match entry.event {
        Event::Reviewed { review_id, .. } | Event::Solved { review_id, .. } => Some(review_id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Event, live, order, review_of};
    use crate::revisions::log::Placement;
    use crate::revisions::rating::Rating;
    use crate::revisions::settings::{Interned, Settings};
    use chrono::{DateTime, NaiveDate};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// The same by comparing everything with everything.
    fn plainly(entries: &[Entry]) -> Vec<i64> {
        let mut entries: Vec<&Entry> = entries.iter().collect();
        entries.sort_by_key(|entry| order(entry));
        let takes = |by: &Entry, entry: &Entry| {
            let Event::Undone { review_id: undone } = by.event else { return false };
            let Some(review) = entries.iter().find(|entry| review_of(entry) == Some(undone)) else {
                return false;
            };
            let is_later = order(entry) > order(review);
            match entry.event {
                Event::Reviewed { review_id, .. } => review_id == undone,
                Event::Solved { review_id, .. } => {
                    let is_seen = entry.at <= by.at || entry.seq < by.seq;
                    review_id == undone || (is_later && is_seen)
                }
                Event::Postponed { .. } | Event::Skipped { .. } | Event::Placed { .. } => {
                    let reset = entries.iter().find(|other| {
                        matches!(other.event, Event::Reset { .. }) && order(other) > order(review)
                    });
                    let is_reset = reset.is_some_and(|reset| order(entry) > order(reset));
                    let is_of_later = |step| by.step.is_none_or(|of| step > of);
                    let is_between = review.seq < entry.seq && entry.seq < by.seq;
                    is_between && !is_reset && entry.step.is_none_or(is_of_later)
                }
                _ => false,
            }
        };
        let counts = |entry: &&Entry| {
            !matches!(entry.event, Event::Undone { .. })
                && !entries.iter().any(|by| takes(by, entry))
        };
        entries.iter().copied().filter(counts).map(|entry| entry.seq).collect()
    }

    fn event(which: u8, review_id: i64) -> Event {
        let (day, rating) = (NaiveDate::default(), Rating::Good);
        match which {
            0 | 1 => Event::Reviewed { review_id, day, rating },
            2 | 3 => Event::Solved { review_id, day, rating },
            4 => Event::Postponed { due_on: day },
            5 => Event::Skipped { day },
            6 => Event::Placed { due_on: day, why: Placement::Balanced },
            7 => Event::Reset { day },
            8 => Event::Suspended,
            _ => Event::Undone { review_id },
        }
    }

    fn logs() -> impl Strategy<Value = Vec<Entry>> {
        let settings = Arc::new(Interned::new(1, Settings::default()));
        let entry = (0..14_u8, 0..8_i64, 0..12_i64, 0..30_i64, prop::option::of(1..5_u32));
        prop::collection::vec(entry, 0..30).prop_map(move |entries| {
            let entries = entries.into_iter().map(|(which, review_id, second, seq, step)| Entry {
                at: DateTime::from_timestamp(second, 0).unwrap(),
                seq,
                step,
                event: event(which, review_id),
                settings: Arc::clone(&settings),
            });
            entries.collect()
        })
    }

    proptest! {
        #[test]
        fn the_short_way_and_the_plain_one_lead_to_the_same(log in logs()) {
            let found: Vec<i64> = live(&log).into_iter().map(|entry| entry.seq).collect();
            prop_assert_eq!(found, plainly(&log));
        }
    }
}
