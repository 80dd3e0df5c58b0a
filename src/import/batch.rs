//! One batch of rows, in one transaction: what is there, what each row means for it, and the rest.
//!
//! A dry run reads what an import reads and decides as it decides; it only writes nothing.

use super::decide::{self, Entry, Group, decide};
use super::formats::{Outcome, ProblemRef, Row};
use super::model::{Tally, Verdict};
use super::standing::{Key, Standing, Standings};
use super::titles::{self, Alone, Titles};
use super::told::{Told, tally};
use super::{guards, late, record, store};
use crate::db::Db;
use crate::db::instant::At;
use crate::db::tx::{Stopped, Work};
use crate::problems::identity::{self, Identity};
use crate::problems::many::{self, ByIdentity};
use crate::problems::model::ProblemRow;
use crate::revisions::Learner;
use crate::revisions::spread::Spread;
use crate::solves::imported as solves;
use crate::submissions::imported::{self as submissions, Known};
use diesel::QueryResult;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What all batches of an import have in common.
#[derive(Clone, Debug)]
pub struct Context {
    /// Whose import it is.
    pub learner: Learner,
    /// The import and which run of it this is; none for a dry run.
    pub run: Option<Run>,
    /// When the run began.
    pub now: At,
    /// When the import was opened: a solve at an unknown time counts for that day, whichever run
    /// comes to it.
    pub opened_at: At,
    /// Whether the user had nothing when the import began, so that nothing of theirs needs to be
    /// looked up. What comes meanwhile, the guards notice; from then on everything is looked up.
    pub is_fresh: Arc<AtomicBool>,
    /// Whether some of the user's submissions may have been numbered by another judge than the
    /// file's, or by none, so that a new one may likely be the same.
    pub has_unlike: bool,
    /// The numbers that problems have in columns of their own.
    pub numbers: HashMap<Key, u32>,
    /// What the file says of the titles that stand alone.
    pub titles: Titles,
}

/// A run of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The import.
    pub import_id: i64,
    /// The number of the run.
    pub attempt: i64,
}

/// How far an import is.
#[derive(Debug)]
pub struct Progress {
    /// How the problems stand.
    pub standings: Standings,
    /// The days that revisions are put on.
    pub spread: Spread,
}

/// What became of a batch. It counts once the transaction is committed.
#[derive(Debug)]
pub struct Done {
    /// What is told of each row.
    pub told: Vec<Told>,
    /// The same, counted.
    pub tally: Tally,
    /// How the problems stand now.
    pub standings: Vec<(Key, Standing)>,
    /// The days that revisions were put on; absent for a dry run.
    pub spread: Option<Spread>,
}

/// The import is not running any more, or another run goes on with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRunning;

/// Takes in a batch.
///
/// # Errors
/// [`NotRunning`]; then nothing of the batch is stored.
pub fn take(
    db: &mut Db,
    context: &Context,
    progress: &Progress,
    rows: &[Row],
    now: At,
) -> Work<Done, NotRunning> {
    let mut told = Vec::with_capacity(rows.len());
    let entries = entries(db, context, progress, rows, &mut told)?;
    let mut groups = groups(db, context, progress, entries)?;
    for group in &mut groups {
        decide(group, context.run.map(|run| run.import_id));
    }
    let mut spread = None;
    if let Some(Run { import_id, .. }) = context.run {
        let mut days = progress.spread.clone();
        record::record(db, context, import_id, &mut groups, &mut days)?;
        spread = Some(days);
    } else {
        late::foretell(db, context, &mut groups)?;
    }
    let standings = groups.iter().map(|group| (group.key, group.standing)).collect();
    told.extend(groups.into_iter().flat_map(Group::told));
    told.sort_by_key(|told| told.row);
    let tally = tally(&told);
    if let Some(Run { import_id, attempt }) = context.run {
        let rows: Vec<_> = told.iter().map(|told| told.stored(import_id)).collect();
        store::record(db, &rows)?;
        if !guards::advance_import(db, import_id, attempt, &tally, now)? {
            return Err(Stopped::Because(NotRunning));
        }
    }
    Ok(Done { told, tally, standings, spread })
}

/// Learns from what is told of rows that an earlier run has done how their problems stand.
///
/// # Errors
/// When the database fails.
pub fn recall(
    db: &mut Db,
    context: &Context,
    progress: &Progress,
    rows: &[Row],
    told: Vec<Told>,
) -> QueryResult<Done> {
    let entries = entries(db, context, progress, rows, &mut Vec::new())?;
    let identities = entries.iter().map(|entry| &entry.identity);
    let problems = many::find_all(db, context.learner.user_id, identities)?;
    let ids = problems.values().map(|problem| problem.id).collect();
    let solves = solves::of_problems(db, context.learner.user_id, ids)?;
    let verdicts: HashMap<i64, Verdict> =
        told.iter().map(|told| (told.row, told.verdict)).collect();
    let mut standings = Vec::new();
    for entry in &entries {
        let problem = problems.get(&entry.identity);
        let standing = match verdicts.get(&entry.row) {
            Some(Verdict::Imported | Verdict::DuplicatesInBatch) => Standing::Made,
            // A submission may be here whose solve is not.
            Some(Verdict::SkippedExisting)
                if problem.is_some_and(|problem| solves.contains_key(&problem.id)) =>
            {
                Standing::Existing
            }
            _ => continue,
        };
        let identity = problem.map_or_else(|| entry.identity.clone(), ProblemRow::identity);
        standings.push((progress.standings.key(&identity), standing));
    }
    let tally = tally(&told);
    Ok(Done { told, tally, standings, spread: None })
}

/// The accepted solves of identified problems; all other rows are told.
fn entries<'a>(
    db: &mut Db,
    context: &Context,
    progress: &Progress,
    rows: &'a [Row],
    told: &mut Vec<Told>,
) -> QueryResult<Vec<Entry<'a>>> {
    let alone: BTreeSet<Alone<'_>> = rows
        .iter()
        .filter_map(|row| match &row.outcome {
            Outcome::Item(item) => match &item.problem {
                ProblemRef::Title { platform, title } => Some((*platform, title.as_str())),
                ProblemRef::At(_) => None,
            },
            _ => None,
        })
        .collect();
    let meanings = titles::resolve(db, context.learner.user_id, &context.titles, &alone)?;
    let mut entries = Vec::with_capacity(rows.len());
    for row in rows {
        match entry(context, progress, row, &meanings) {
            Ok(entry) => entries.push(entry),
            Err((verdict, reason)) => told.push(Told {
                row: signed(row.number),
                line: row.line.map(signed),
                verdict,
                reason: Some(reason),
                note: None,
                problem_id: None,
            }),
        }
    }
    Ok(entries)
}

type Meanings<'a> = BTreeMap<Alone<'a>, Result<Identity, String>>;

fn entry<'a>(
    context: &Context,
    progress: &Progress,
    row: &'a Row,
    meanings: &Meanings<'_>,
) -> Result<Entry<'a>, (Verdict, Cow<'static, str>)> {
    let item = match &row.outcome {
        Outcome::Item(item) => item,
        Outcome::Ignored(reason) => return Err((Verdict::Ignored, reason.clone())),
        Outcome::Ambiguous(reason) => return Err((Verdict::Ambiguous, reason.clone())),
        Outcome::Rejected(reason) => return Err((Verdict::Rejected, reason.clone())),
    };
    let identity = match &item.problem {
        ProblemRef::At(identity) => identity.clone(),
        ProblemRef::Title { platform, title } => match meanings.get(&(*platform, title.as_str())) {
            Some(Ok(identity)) => identity.clone(),
            Some(Err(reason)) => return Err((Verdict::Ambiguous, reason.clone().into())),
            None => return Err((Verdict::Ambiguous, "the title is not known".into())),
        },
    };
    if let Some(number) = item.number
        && let Some(other) = context.numbers.get(&progress.standings.key(&identity))
        && *other != number
    {
        let reason = format!("another row says that this problem has the number {other}");
        return Err((Verdict::Ambiguous, reason.into()));
    }
    let judge = item.judge.unwrap_or_else(|| identity::main_judge(identity.platform));
    let (row, line) = (signed(row.number), row.line.map(signed));
    Ok(Entry::new(row, line, item, judge, identity))
}

/// The entries of each problem, with what is there.
fn groups<'a>(
    db: &mut Db,
    context: &Context,
    progress: &Progress,
    mut entries: Vec<Entry<'a>>,
) -> QueryResult<Vec<Group<'a>>> {
    let user_id = context.learner.user_id;
    if !context.is_fresh.load(Ordering::Relaxed) {
        let known = known(db, user_id, &entries)?;
        for entry in &mut entries {
            let numbered = entry.numbered();
            entry.known =
                numbered.and_then(|(judge, number)| known.get(judge)?.get(number)).copied();
        }
    }
    let standing =
        |entry: &Entry<'_>| progress.standings.of(progress.standings.key(&entry.identity));
    let (problems, mut solves) = look_up(db, context, &entries, standing)?;
    let mut groups: BTreeMap<Identity, Group<'a>> = BTreeMap::new();
    for entry in entries {
        let problem = problems.get(&entry.identity);
        // An alias is counted with the problem that it names.
        let identity = problem.map_or_else(|| entry.identity.clone(), ProblemRow::identity);
        let key = progress.standings.key(&identity);
        let group =
            groups.entry(identity).or_insert_with(|| match (problem, progress.standings.of(key)) {
                (None, Standing::Opened { problem_id, solve_id, lacks }) => {
                    Group::opened(key, problem_id, solve_id, lacks)
                }
                (problem, standing) => {
                    let solve = problem.and_then(|problem| solves.remove(&problem.id));
                    Group::new(key, standing, problem.cloned(), solve)
                }
            });
        group.entries.push(entry);
    }
    Ok(groups.into_values().collect())
}

/// The problems of the entries and the user's solves of them, as far as they need to be looked up.
fn look_up(
    db: &mut Db,
    context: &Context,
    entries: &[Entry<'_>],
    standing: impl Fn(&Entry<'_>) -> Standing,
) -> QueryResult<(ByIdentity, HashMap<i64, solves::Standing>)> {
    // Of a problem that this import has opened all is known, unless a row has more to say. One
    // that it is about to open for somebody who has nothing is made, if it can be.
    let is_fresh = context.is_fresh.load(Ordering::Relaxed);
    let is_needed = |entry: &&Entry<'_>| match standing(entry) {
        Standing::Opened { .. } => !entry.item.reviews.is_empty() || entry.is_awaited(),
        standing => !is_fresh || context.run.is_none() || !standing.begins_with(entry.row),
    };
    let identities = entries.iter().filter(is_needed).map(|entry| &entry.identity);
    let problems = many::find_all(db, context.learner.user_id, identities)?;
    let ids: Vec<i64> = problems.values().map(|problem| problem.id).collect();
    let solves = solves::of_problems(db, context.learner.user_id, ids)?;
    Ok((problems, solves))
}

/// The submissions that are here by their judges' numbers.
fn known<'a>(
    db: &mut Db,
    user_id: i64,
    entries: &'a [Entry<'_>],
) -> QueryResult<HashMap<&'static str, HashMap<String, Known>>> {
    let mut numbers: BTreeMap<&'static str, Vec<&'a str>> = BTreeMap::new();
    for (judge, number) in entries.iter().filter_map(decide::Entry::numbered) {
        numbers.entry(judge).or_default().push(number);
    }
    let mut known = HashMap::new();
    for (judge, numbers) in numbers {
        known.insert(judge, submissions::known(db, user_id, judge, numbers)?);
    }
    Ok(known)
}

/// The number of a row as it is stored.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
