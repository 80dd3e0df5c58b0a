//! Rows that name their problem by a title alone: a known problem that has exactly this title, or
//! another row of the file that says which problem it is; else they are ambiguous.

use super::formats::{Item, ProblemRef};
use crate::db::Db;
use crate::problems::identity::{Identity, Platform};
use crate::problems::many;
use diesel::QueryResult;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Problems of one title that are told apart; more make no difference.
const ENOUGH: usize = 8;

/// Bytes that all titles together may have, so that no file fills the memory with them.
const BYTES: usize = 32 << 20;

/// The titles of a file that stand alone, and the problems that other rows have under them.
#[derive(Clone, Debug, Default)]
pub struct Titles {
    problems: HashMap<String, Vec<Identity>>,
    /// Bytes of the titles.
    bytes: usize,
}

impl Titles {
    /// Notes a title that stands alone.
    pub fn want(&mut self, title: &str) {
        if !self.problems.contains_key(title) {
            self.bytes += title.len();
            self.problems.insert(title.to_owned(), Vec::new());
        }
    }

    /// Whether there are any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Whether there are more than are kept.
    #[must_use]
    pub fn are_too_many(&self) -> bool {
        self.bytes > BYTES
    }

    /// Notes what a row says of a problem, if any title alone wants to know it.
    pub fn learn(&mut self, item: &Item) {
        let (ProblemRef::At(identity), Some(title)) = (&item.problem, &item.title) else {
            return;
        };
        if let Some(problems) = self.problems.get_mut(title)
            && problems.len() < ENOUGH
            && !problems.contains(identity)
        {
            problems.push(identity.clone());
        }
    }
}

/// A title that stands alone, and the platform if the row says one.
pub type Alone<'a> = (Option<Platform>, &'a str);

/// The problems that titles mean, or why none.
pub fn resolve<'a>(
    db: &mut Db,
    user_id: i64,
    titles: &Titles,
    alone: &BTreeSet<Alone<'a>>,
) -> QueryResult<BTreeMap<Alone<'a>, Result<Identity, String>>> {
    if alone.is_empty() {
        return Ok(BTreeMap::new());
    }
    let texts: BTreeSet<&str> = alone.iter().map(|(_, title)| *title).collect();
    let mut known: HashMap<String, BTreeSet<Identity>> = HashMap::new();
    for problem in many::titled(db, user_id, texts.into_iter().collect())? {
        let identity = problem.identity();
        if let Some(title) = problem.title {
            known.entry(title).or_default().insert(identity);
        }
    }
    let meaning = |(platform, title): Alone<'a>| {
        let of_file = titles.problems.get(title).into_iter().flatten();
        let mut meant: BTreeSet<&Identity> =
            known.get(title).into_iter().flatten().chain(of_file).collect();
        meant.retain(|identity| platform.is_none_or(|platform| identity.platform == platform));
        match (meant.pop_first(), meant.len()) {
            (Some(only), 0) => Ok(only.clone()),
            (Some(_), more) => Err(format!("{} problems have exactly this title", more + 1)),
            (None, _) => Err("no problem is known that has exactly this title".to_owned()),
        }
    };
    Ok(alone.iter().map(|title| (*title, meaning(*title))).collect())
}
