//! What a problem is about, where neither a client nor its tags have said so.
//!
//! Tags that mean a topic set it in the transaction that brings them ([`tags`]). For any other new
//! problem the job [`ClassifyProblem`] is enqueued in the transaction that makes it, for those that an
//! import makes together [`ClassifyProblems`]. What is known of
//! well-known problems ([`table`]) comes first, then the operator's [`endpoint`] where there is one,
//! then the words of the title ([`titles`]). Where none of them is sure no topic is set: none is
//! better than a wrong one, since a topic is set once. Whoever sets it first wins, and stays.

pub mod batch;
pub mod endpoint;
pub mod job;
pub mod table;
pub mod tags;
pub mod titles;
pub mod words;

pub use batch::ClassifyProblems;
pub use job::ClassifyProblem;

use super::identity::Platform;
use super::model::ProblemRow;
use super::topic::Topic;

/// What is known of a problem.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Where it is from.
    pub platform: Platform,
    /// Its name there.
    pub slug: String,
    /// What it is called.
    pub title: Option<String>,
}

impl From<&ProblemRow> for Subject {
    fn from(row: &ProblemRow) -> Self {
        Self { platform: row.platform, slug: row.slug.clone(), title: row.title.clone() }
    }
}

/// Whether an endpoint is asked about a problem of which this is known offline: not where the table
/// says it, and what is a user's own is nobody else's business.
fn is_to_be_asked(problem: &ProblemRow, answer: Option<(Topic, Ground)>) -> bool {
    problem.owner_id.is_none() && !matches!(answer, Some((_, Ground::Table)))
}

/// What an offline answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The table of well-known problems.
    Table,
    /// The words of the title or of the slug.
    Words,
}

/// What a problem is about, as far as it is known without asking anybody. Pure.
#[must_use]
pub fn offline(subject: &Subject) -> Option<(Topic, Ground)> {
    if let Some(topic) = table::topic_of(subject.platform, &subject.slug) {
        return Some((topic, Ground::Table));
    }
    let by_title = subject.title.as_deref().and_then(titles::topic_of);
    let by_slug = || has_words(subject.platform).then(|| titles::topic_of(&subject.slug)).flatten();
    by_title.or_else(by_slug).map(|topic| (topic, Ground::Words))
}

/// Whether the slugs of a platform are words, and not codes.
const fn has_words(platform: Platform) -> bool {
    matches!(
        platform,
        Platform::Leetcode | Platform::Hackerrank | Platform::Geeksforgeeks | Platform::Hackerearth
    )
}
