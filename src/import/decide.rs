//! What the rows of one problem come to, given what is there. Pure: nothing is read or written.

use super::formats::Item;
use super::model::Verdict;
use super::standing::{Key, Standing};
use super::told::Told;
use crate::problems::identity::Identity;
use crate::problems::model::ProblemRow;
use crate::revisions::rating::Rating;
use crate::solves::model::SolveRow;
use crate::submissions::imported::Known;
use std::borrow::Cow;

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
        Self { row, line, item, judge, identity, known: None, verdict, reason: None }
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
        self.known.is_some_and(|known| known.is_deleted || !known.is_pending)
    }

    /// Whether it is one of a submission that was deleted, and stays so.
    pub fn is_deleted(&self) -> bool {
        self.known.is_some_and(|known| known.is_deleted)
    }

    /// What the earliest is found by: one without a time is the last.
    fn order(&self) -> (bool, Option<chrono::DateTime<chrono::Utc>>, i64) {
        let (at, _) = self.item.solved();
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
    /// The problem, where it is here.
    pub problem: Option<ProblemRow>,
    /// The user's solve of it, where there is one.
    pub solve: Option<SolveRow>,
    /// The entries.
    pub entries: Vec<Entry<'a>>,
    /// Which of them makes the first solve.
    pub opener: Option<usize>,
    /// How the problem stands after this batch.
    pub standing: Standing,
}

impl<'a> Group<'a> {
    /// A problem without entries.
    pub fn new(key: Key, problem: Option<ProblemRow>, solve: Option<SolveRow>) -> Self {
        let standing = Standing::Unseen;
        Self { key, problem, solve, entries: Vec::new(), opener: None, standing }
    }

    /// The entry that makes the first solve, and the others.
    pub fn opening(&self) -> Option<&Entry<'a>> {
        self.opener.and_then(|place| self.entries.get(place))
    }

    /// The entries that do not make the first solve.
    pub fn further(&self) -> impl Iterator<Item = &Entry<'a>> {
        let entries = self.entries.iter().enumerate();
        entries.filter(|(place, _)| Some(*place) != self.opener).map(|(_, entry)| entry)
    }

    /// What is told of the entries.
    pub fn told(self) -> impl Iterator<Item = Told> {
        let problem_id = self.problem.map(|problem| problem.id);
        self.entries.into_iter().map(move |entry| Told {
            row: entry.row,
            line: entry.line,
            verdict: entry.verdict,
            reason: entry.reason,
            problem_id,
        })
    }

    /// Decides that the problem was solved before: somebody else was faster.
    pub fn lose(&mut self) {
        self.opener = None;
        self.standing = Standing::Existing;
        for entry in &mut self.entries {
            tell_existing(entry);
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

/// Decides what becomes of the entries of a problem that stood like this before the batch.
pub fn decide(group: &mut Group<'_>, standing: Standing, import_id: Option<i64>) {
    let made_by = group.solve.as_ref().map(|solve| solve.import_id);
    group.standing = standing;
    let first = match (standing, made_by) {
        (Standing::Made, _) => None,
        (Standing::Unseen, None) => {
            group.opener = group.earliest(|entry| !entry.is_settled());
            if group.opener.is_none() {
                group.entries.iter_mut().for_each(tell_existing);
                return;
            }
            group.opener
        }
        // An earlier attempt at this import made it, and broke off.
        (Standing::Unseen, Some(made_by)) if made_by.is_some() && made_by == import_id => {
            group.earliest(|_| true)
        }
        (Standing::Existing, _) | (Standing::Unseen, Some(_)) => {
            group.standing = Standing::Existing;
            group.entries.iter_mut().for_each(tell_existing);
            return;
        }
    };
    group.standing = Standing::Made;
    for (place, entry) in group.entries.iter_mut().enumerate() {
        if Some(place) == first {
            entry.verdict = Verdict::Imported;
        } else if entry.is_deleted() {
            entry.tell(Verdict::DuplicatesInBatch, "the submission was deleted, and stays so");
        } else if entry.item.external_id.is_some() {
            entry.tell(
                Verdict::DuplicatesInBatch,
                "another row is the first solve of this problem; the submission is kept",
            );
        } else {
            entry.tell(
                Verdict::DuplicatesInBatch,
                "another row is the first solve of this problem; without a number of its own \
                 nothing is kept of this one",
            );
        }
    }
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
