//! What the rows of one problem come to, given what is there. Pure: nothing is read or written.

use super::formats::{Item, Precision};
use super::model::Verdict;
use super::standing::{Key, Standing};
use super::told::Told;
use crate::problems::identity::Identity;
use crate::problems::model::ProblemRow;
use crate::revisions::rating::Rating;
use crate::solves::imported::{Lacks, Standing as Solve};
use crate::submissions::imported::Known;
use chrono::{DateTime, NaiveDate, Utc};
use std::borrow::Cow;
use std::collections::HashSet;

/// An accepted solve of an identified problem.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Its number in the file.
    pub row: i64,
    /// The line on which it begins.
    pub line: Option<i64>,
    /// What the file says.
    pub item: &'a Item,
    /// The site whose number it has.
    pub judge: &'static str,
    /// The problem, as the file names it.
    pub identity: Identity,
    /// The submission of that number, where it is here.
    pub known: Option<Known>,
    /// What becomes of it.
    pub verdict: Verdict,
    /// Why.
    pub reason: Option<Cow<'static, str>>,
    /// What it changed of what was there.
    pub notes: Vec<String>,
}

impl<'a> Entry<'a> {
    /// An entry of which nothing is decided.
    pub fn new(
        row: i64,
        line: Option<i64>,
        item: &'a Item,
        judge: &'static str,
        identity: Identity,
    ) -> Self {
        let verdict = Verdict::SkippedExisting;
        Self {
            row,
            line,
            item,
            judge,
            identity,
            known: None,
            verdict,
            reason: None,
            notes: Vec::new(),
        }
    }

    /// The judge and its number, where there is one.
    pub fn numbered(&self) -> Option<(&'static str, &'a str)> {
        self.item.external_id.as_deref().map(|number| (self.judge, number))
    }

    /// How it was rated: what triage said of its submission wins.
    pub fn rating(&self) -> Option<Rating> {
        let known = self.known.filter(|known| known.is_pending && !known.is_deleted);
        let triaged = known.filter(|known| known.triaged_at.is_some());
        let said = known.and_then(|known| known.rating);
        triaged.and_then(|known| known.rating).or(self.item.rating).or(said)
    }

    /// Whether its submission is here, judged; such a one has had its effects.
    pub fn is_settled(&self) -> bool {
        self.known.is_some() && !self.is_awaited()
    }

    /// Whether it brings the verdict of a submission that is here.
    pub fn is_awaited(&self) -> bool {
        self.known.is_some_and(|known| known.is_pending && !known.is_deleted)
    }

    /// When it was solved, as far as is known: a submission that is here knows it itself.
    pub fn solved(&self) -> (Option<DateTime<Utc>>, Precision) {
        match self.known.and_then(|known| known.happened_at) {
            Some(at) if self.is_awaited() => (Some(at.into()), Precision::Exact),
            _ => self.item.solved(),
        }
    }

    /// Whether it is one of a submission that was deleted, and stays so.
    pub fn is_deleted(&self) -> bool {
        self.known.is_some_and(|known| known.is_deleted)
    }

    /// What the earliest is found by: one without a time is the last.
    pub fn order(&self) -> (bool, Option<DateTime<Utc>>, i64) {
        let (at, _) = self.solved();
        (at.is_none(), at, self.row)
    }

    fn tell(&mut self, verdict: Verdict, reason: &'static str) {
        self.verdict = verdict;
        self.reason = Some(Cow::Borrowed(reason));
    }
}

/// The entries of one problem, in the order of the file.
#[derive(Debug)]
pub struct Group<'a> {
    /// The problem, as the import counts it.
    pub key: Key,
    /// The problem, where it was looked up or made.
    pub problem: Option<ProblemRow>,
    /// Its number, where it is known.
    pub problem_id: Option<i64>,
    /// The user's solve of it, where there is one.
    pub solve: Option<Solve>,
    /// The entries.
    pub entries: Vec<Entry<'a>>,
    /// Which of them makes the first solve.
    pub opener: Option<usize>,
    /// The earliest row of the whole file, if none was taken in before.
    pub earliest_row: Option<u32>,
    /// How the problem stands after this batch.
    pub standing: Standing,
}

impl<'a> Group<'a> {
    /// A problem that stands like this, without entries.
    pub fn new(
        key: Key,
        standing: Standing,
        problem: Option<ProblemRow>,
        solve: Option<Solve>,
    ) -> Self {
        let earliest_row = match standing {
            Standing::Unseen { row, .. } => Some(row),
            _ => None,
        };
        Self {
            key,
            problem_id: problem.as_ref().map(|problem| problem.id),
            problem,
            solve,
            entries: Vec::new(),
            opener: None,
            earliest_row,
            standing,
        }
    }

    /// A problem whose first solve this import made of its earliest row, without entries: nothing
    /// needs to be looked up for those that follow.
    pub fn opened(key: Key, problem_id: i64, solve_id: i64, lacks: Lacks) -> Self {
        let solve = Solve {
            id: solve_id,
            // No row of it is earlier.
            first_solved_at: Some(DateTime::<Utc>::MIN_UTC.into()),
            first_day: NaiveDate::MIN,
            import_id: None,
            lacks,
        };
        let standing = Standing::Opened { problem_id, solve_id, lacks };
        let problem_id = Some(problem_id);
        Self { problem_id, ..Self::new(key, standing, None, Some(solve)) }
    }

    /// The entry that makes the first solve, and the others.
    pub fn opening(&self) -> Option<&Entry<'a>> {
        self.opener.and_then(|place| self.entries.get(place))
    }

    /// The entries that do not make the first solve.
    pub fn further(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.further_places().map(|(_, entry)| entry)
    }

    /// The same, with their places.
    pub fn further_places(&self) -> impl Iterator<Item = (usize, &Entry<'a>)> {
        self.entries.iter().enumerate().filter(|(place, _)| Some(*place) != self.opener)
    }

    /// Notes what an entry changed.
    pub fn note(&mut self, place: usize, what: String) {
        if let Some(entry) = self.entries.get_mut(place) {
            entry.notes.push(what);
        }
    }

    /// What is told of the entries.
    pub fn told(self) -> impl Iterator<Item = Told> {
        self.entries.into_iter().map(move |entry| Told {
            row: entry.row,
            line: entry.line,
            verdict: entry.verdict,
            reason: entry.reason,
            note: (!entry.notes.is_empty()).then(|| entry.notes.join("; ")),
            problem_id: self.problem_id,
        })
    }

    /// Decides anew when the first solve is another one after all: of this import under another
    /// name of the problem, or of somebody who was faster.
    pub fn lose(&mut self, is_ours: bool) {
        self.opener = None;
        if is_ours {
            self.standing = Standing::Made;
            self.entries.iter_mut().for_each(tell_duplicate);
        } else {
            self.standing = Standing::Existing;
            self.entries.iter_mut().for_each(tell_existing);
        }
    }

    fn earliest(&self, may: impl Fn(&Entry<'a>) -> bool) -> Option<usize> {
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(_, entry)| may(entry))
            .min_by_key(|(_, e)| e.order())
            .map(|(place, _)| place)
    }
}

/// The places, by group, of the entries that bring a submission its verdict: one for each. Where a
/// file has its number several times, the one that makes the first solve, else the first.
pub fn awaited(groups: &[Group<'_>]) -> Vec<(usize, usize)> {
    let mut seen = HashSet::new();
    let mut awaited = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let further = group.further_places().map(|(place, _)| place);
        for place in group.opener.into_iter().chain(further) {
            if let Some(entry) = group.entries.get(place)
                && let Some(known) = entry.known
                && entry.is_awaited()
                && seen.insert(known.id)
            {
                awaited.push((number, place));
            }
        }
    }
    awaited
}

/// Decides what becomes of the entries of a problem, as it stood before the batch.
pub fn decide(group: &mut Group<'_>, import_id: Option<i64>) {
    let made_by = group.solve.as_ref().map(|solve| solve.import_id);
    let first = match (group.standing, made_by) {
        (Standing::Made | Standing::Opened { .. }, _) => None,
        (Standing::Unseen { .. }, None) => {
            group.opener = group.earliest(|entry| !entry.is_settled());
            if group.opener.is_none() {
                group.entries.iter_mut().for_each(tell_existing);
                return;
            }
            group.standing = Standing::Made;
            group.opener
        }
        // An earlier run of this import made it, and has told which row did.
        (Standing::Unseen { .. }, Some(made_by)) if made_by.is_some() && made_by == import_id => {
            group.standing = Standing::Made;
            None
        }
        (Standing::Existing, _) | (Standing::Unseen { .. }, Some(_)) => {
            group.standing = Standing::Existing;
            group.entries.iter_mut().for_each(tell_existing);
            return;
        }
    };
    for (place, entry) in group.entries.iter_mut().enumerate() {
        if Some(place) == first {
            entry.verdict = Verdict::Imported;
        } else {
            tell_duplicate(entry);
        }
    }
}

fn tell_duplicate(entry: &mut Entry<'_>) {
    let reason = if entry.is_deleted() {
        "the submission was deleted, and stays so"
    } else if entry.item.external_id.is_some() {
        "another row is the first solve of this problem; the submission is kept"
    } else {
        "another row is the first solve of this problem; without a number of its own nothing is \
         kept of this one"
    };
    entry.tell(Verdict::DuplicatesInBatch, reason);
}

fn tell_existing(entry: &mut Entry<'_>) {
    entry.tell(
        Verdict::SkippedExisting,
        match entry.known {
            Some(known) if known.is_deleted => "the submission was deleted, and stays so",
            Some(_) => "the submission is here already",
            None if entry.item.external_id.is_some() => {
                "the problem was solved before; the submission is kept"
            }
            None => "the problem was solved before",
        },
    );
}
