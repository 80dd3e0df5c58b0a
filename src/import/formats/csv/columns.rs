//! What the columns of a table are, from their names.
//!
//! A name counts without case, spaces and punctuation. Where several columns have one role, the
//! more exact name comes first; the order below is that order.

use super::super::quote::quoted;

/// What a column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Url,
    Slug,
    Title,
    Number,
    Platform,
    Solved,
    /// When it was solved.
    SolvedAt,
    /// A time of which the name does not say more.
    At,
    /// When it was solved the last time: the first one was then or before.
    LastSolvedAt,
    Difficulty,
    Tags,
    Attempts,
    Minutes,
    Rating,
    Language,
    Notes,
    ExternalId,
}

const NAMES: &[(&str, Role)] = &[
    ("leetcodeurl", Role::Url),
    ("leetcodelink", Role::Url),
    ("problemurl", Role::Url),
    ("problemlink", Role::Url),
    ("questionurl", Role::Url),
    ("questionlink", Role::Url),
    ("url", Role::Url),
    ("link", Role::Url),
    ("titleslug", Role::Slug),
    ("leetcodeslug", Role::Slug),
    ("problemslug", Role::Slug),
    ("questionslug", Role::Slug),
    ("slug", Role::Slug),
    ("problemname", Role::Title),
    ("problemtitle", Role::Title),
    ("questionname", Role::Title),
    ("questiontitle", Role::Title),
    ("title", Role::Title),
    ("name", Role::Title),
    ("problem", Role::Title),
    ("question", Role::Title),
    ("leetcodenumber", Role::Number),
    ("leetcodeno", Role::Number),
    ("problemnumber", Role::Number),
    ("problemno", Role::Number),
    ("pno", Role::Number),
    ("questionnumber", Role::Number),
    ("questionno", Role::Number),
    ("questionfrontendid", Role::Number),
    ("frontendid", Role::Number),
    ("number", Role::Number),
    ("num", Role::Number),
    ("no", Role::Number),
    ("platform", Role::Platform),
    ("judge", Role::Platform),
    ("onlinejudge", Role::Platform),
    ("site", Role::Platform),
    ("website", Role::Platform),
    ("verdict", Role::Solved),
    ("solved", Role::Solved),
    ("issolved", Role::Solved),
    ("completed", Role::Solved),
    ("done", Role::Solved),
    ("status", Role::Solved),
    ("firstsolveddate", Role::SolvedAt),
    ("firstsolvedat", Role::SolvedAt),
    ("firstsolvedon", Role::SolvedAt),
    ("firstsolved", Role::SolvedAt),
    ("solvedat", Role::SolvedAt),
    ("solvedon", Role::SolvedAt),
    ("solveddate", Role::SolvedAt),
    ("datesolved", Role::SolvedAt),
    ("completedat", Role::SolvedAt),
    ("completedon", Role::SolvedAt),
    ("completeddate", Role::SolvedAt),
    ("completiondate", Role::SolvedAt),
    ("datecompleted", Role::SolvedAt),
    ("datedone", Role::SolvedAt),
    ("happenedat", Role::At),
    ("submittedat", Role::At),
    ("submittedon", Role::At),
    ("submissiondate", Role::At),
    ("submissiontime", Role::At),
    ("date", Role::At),
    ("datetime", Role::At),
    ("timestamp", Role::At),
    ("lastsolveddate", Role::LastSolvedAt),
    ("lastsolvedat", Role::LastSolvedAt),
    ("lastsolvedon", Role::LastSolvedAt),
    ("lastsolved", Role::LastSolvedAt),
    ("lastsubmittedat", Role::LastSolvedAt),
    ("difficulty", Role::Difficulty),
    ("level", Role::Difficulty),
    ("topics", Role::Tags),
    ("topic", Role::Tags),
    ("topictags", Role::Tags),
    ("tags", Role::Tags),
    ("tag", Role::Tags),
    ("categories", Role::Tags),
    ("category", Role::Tags),
    ("patterns", Role::Tags),
    ("pattern", Role::Tags),
    ("attempts", Role::Attempts),
    ("numberofattempts", Role::Attempts),
    ("timessolved", Role::Attempts),
    ("minutes", Role::Minutes),
    ("timetakenminutes", Role::Minutes),
    ("timetakenmins", Role::Minutes),
    ("timetakenmin", Role::Minutes),
    ("timetaken", Role::Minutes),
    ("rating", Role::Rating),
    ("confidence", Role::Rating),
    ("language", Role::Language),
    ("programminglanguage", Role::Language),
    ("lang", Role::Language),
    ("notes", Role::Notes),
    ("note", Role::Notes),
    ("comments", Role::Notes),
    ("comment", Role::Notes),
    ("externalid", Role::ExternalId),
    ("submissionid", Role::ExternalId),
];

/// A column whose role is known.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) role: Role,
    pub(super) index: usize,
    /// Columns with the same rank have the same name.
    pub(super) rank: usize,
}

/// The columns of a table whose roles are known, the more exact names first.
pub(super) struct Columns {
    known: Vec<Column>,
}

impl Columns {
    pub(super) fn of(names: &[String]) -> Self {
        let mut known: Vec<Column> = names
            .iter()
            .enumerate()
            .filter_map(|(index, name)| {
                let rank = rank(name)?;
                let (_, role) = NAMES.get(rank)?;
                Some(Column { role: *role, index, rank })
            })
            .collect();
        known.sort_by_key(|column| (column.rank, column.index));
        Self { known }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Column> + '_ {
        self.known.iter().copied()
    }

    pub(super) fn has(&self, role: Role) -> bool {
        self.known.iter().any(|column| column.role == role)
    }

    /// Whether rows can say which problem they mean.
    pub(super) fn name_a_problem(&self) -> bool {
        [Role::Url, Role::Slug, Role::Title].into_iter().any(|role| self.has(role))
    }

    /// What a person should know of how the header was understood.
    pub(super) fn remarks(&self, names: &[String]) -> Vec<String> {
        let mut remarks = Vec::new();
        let unknown: Vec<String> = names
            .iter()
            .filter(|name| !name.is_empty() && !is_known(name))
            .take(20)
            .map(|name| quoted(name))
            .collect();
        if !unknown.is_empty() {
            remarks.push(format!("columns that were not read: {}", unknown.join(", ")));
        }
        if !self.has(Role::Solved) {
            remarks.push(
                "no column says whether a problem was solved: the rows were taken as solved ones"
                    .to_owned(),
            );
        }
        if self.has(Role::Slug) && !self.has(Role::Platform) {
            remarks.push("slugs without a URL were taken as LeetCode's".to_owned());
        }
        remarks
    }
}

pub(super) fn is_known(name: &str) -> bool {
    rank(name).is_some()
}

fn rank(name: &str) -> Option<usize> {
    let folded = fold(name);
    NAMES.iter().position(|(known, _)| *known == folded)
}

/// Letters and digits in lower case; `#` and `№` stand for the word.
fn fold(name: &str) -> String {
    let mut folded = String::new();
    for c in name.chars().take(100) {
        match c {
            '#' | '№' => folded.push_str("number"),
            c if c.is_alphanumeric() => folded.extend(c.to_lowercase()),
            _ => {}
        }
    }
    folded
}
