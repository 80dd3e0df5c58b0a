//! A feed and the revisions that it shows, as they are stored.

use super::validators::Validators;
use crate::db::instant::At;
use crate::problems::difficulty::Difficulty;
use crate::problems::identity::Platform;
use crate::revisions::log::Kind;
use crate::revisions::rating::Rating;
use crate::schema::{calendar_feeds, problems, revisions, solves};
use chrono::NaiveDate;
use diesel::prelude::*;

/// A row of `calendar_feeds`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct FeedRow {
    /// Its number, which is in its address.
    pub id: i64,
    /// Whose revisions it shows.
    pub user_id: i64,
    /// What makes its token its own.
    pub nonce: String,
    /// Grows with each new address.
    pub generation: i64,
    /// When the address was taken away, if it is.
    pub revoked_at: Option<At>,
    /// When the address was last fetched, to within five minutes.
    pub last_fetched_at: Option<At>,
    /// Grows whenever one of the three below is written.
    pub edition: i64,
    /// What the latest document was made from.
    pub basis: Option<String>,
    /// The hash of its bytes, without quotes.
    pub etag: Option<String>,
    /// When that hash last changed, in whole seconds.
    pub modified_at: Option<At>,
}

impl FeedRow {
    /// The validators of the latest document, if there is one.
    #[must_use]
    pub fn validators(&self) -> Option<Validators> {
        let (etag, modified_at) = self.etag.clone().zip(self.modified_at)?;
        Some(Validators { etag, modified_at })
    }
}

/// The columns of [`FeedRow`].
pub type FeedColumns = (
    calendar_feeds::id,
    calendar_feeds::user_id,
    calendar_feeds::nonce,
    calendar_feeds::generation,
    calendar_feeds::revoked_at,
    calendar_feeds::last_fetched_at,
    calendar_feeds::edition,
    calendar_feeds::basis,
    calendar_feeds::etag,
    calendar_feeds::modified_at,
);

/// The columns of [`FeedRow`].
pub const FEED: FeedColumns = (
    calendar_feeds::id,
    calendar_feeds::user_id,
    calendar_feeds::nonce,
    calendar_feeds::generation,
    calendar_feeds::revoked_at,
    calendar_feeds::last_fetched_at,
    calendar_feeds::edition,
    calendar_feeds::basis,
    calendar_feeds::etag,
    calendar_feeds::modified_at,
);

/// What is kept of a document.
#[derive(Clone, Copy, Debug, AsChangeset)]
#[diesel(table_name = calendar_feeds)]
pub struct NewEdition<'a> {
    /// What it was made from.
    pub basis: &'a str,
    /// The hash of its bytes, without quotes.
    pub etag: &'a str,
    /// When that hash last changed, in whole seconds.
    pub modified_at: At,
}

/// All revisions of a user, counted and added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Queryable)]
pub struct Tally {
    /// How many there are, in whatever state.
    pub count: i64,
    /// The highest number of one.
    pub highest: Option<i64>,
    /// The sum of their sequences.
    pub sequences: Option<i64>,
    /// When one of them was last written.
    pub updated_at: Option<At>,
}

/// All that a user's feed is made from, counted and added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The revisions.
    pub revisions: Tally,
    /// The sum of the changes of the problems that the user has solved.
    pub problem_changes: i64,
    /// The paused days from the present one on, in order: what is due on them is hidden.
    pub paused: Vec<NaiveDate>,
}

/// A revision with what an event shows of its solve and its problem.
#[derive(Clone, Debug, PartialEq, Queryable)]
pub struct Shown {
    /// The revision's number in the database.
    pub id: i64,
    /// Of which solve.
    pub solve_id: i64,
    /// The number that the user sees.
    pub revision_number: i32,
    /// Which schedule.
    pub kind: Kind,
    /// The local day that it is or was due on.
    pub due_on: NaiveDate,
    /// Days from the review before to the due day, as planned.
    pub interval_days: i32,
    /// The step of a ladder, from 0.
    pub ladder_step: Option<i32>,
    /// Days after which the probability of recall has fallen to 90 %, of an adaptive one.
    pub stability: Option<f64>,
    /// How it went, of a completed one.
    pub rating: Option<Rating>,
    /// The local day of its completion; none while it is pending.
    pub completed_on: Option<NaiveDate>,
    /// Grows with each change of what is shown of it.
    pub sequence: i32,
    /// When what is shown of it last changed.
    pub updated_at: At,
    /// The solve's owner's title of the problem.
    pub own_title: Option<String>,
    /// The solve's owner's view of the difficulty.
    pub own_difficulty: Option<Difficulty>,
    /// Where the problem is from.
    pub platform: Platform,
    /// Its id there.
    pub slug: String,
    /// Its title for everybody.
    pub title: Option<String>,
    /// Its difficulty for everybody.
    pub difficulty: Option<Difficulty>,
    /// What it is about.
    pub topic: Option<String>,
    /// How often one of these three was set.
    pub problem_changes: i32,
    /// When one was set last, or the problem was made.
    pub problem_updated_at: At,
}

/// The columns of [`Shown`].
pub type ShownColumns = (
    revisions::id,
    revisions::solve_id,
    revisions::revision_number,
    revisions::kind,
    revisions::due_on,
    revisions::interval_days,
    revisions::ladder_step,
    revisions::stability,
    revisions::rating,
    revisions::completed_on,
    revisions::sequence,
    revisions::updated_at,
    solves::title,
    solves::difficulty,
    problems::platform,
    problems::slug,
    problems::title,
    problems::difficulty,
    problems::topic,
    problems::changes,
    problems::updated_at,
);

/// The columns of [`Shown`].
pub const SHOWN: ShownColumns = (
    revisions::id,
    revisions::solve_id,
    revisions::revision_number,
    revisions::kind,
    revisions::due_on,
    revisions::interval_days,
    revisions::ladder_step,
    revisions::stability,
    revisions::rating,
    revisions::completed_on,
    revisions::sequence,
    revisions::updated_at,
    solves::title,
    solves::difficulty,
    problems::platform,
    problems::slug,
    problems::title,
    problems::difficulty,
    problems::topic,
    problems::changes,
    problems::updated_at,
);
