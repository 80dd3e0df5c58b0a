//! Rows for tests that need a schedule and not the way to it, with defaults for all that does not
//! matter.

use chrono::NaiveDate;
use diesel::prelude::*;
use traverse::db::Db;
use traverse::db::instant::At;
use traverse::schema::{problems, revisions, solves, users};

/// A problem of everybody, or of its owner.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub owner_id: Option<i64>,
    pub platform: &'a str,
    pub slug: &'a str,
    pub title: Option<&'a str>,
    pub difficulty: Option<&'a str>,
    pub topic: Option<&'a str>,
}

impl Default for Problem<'_> {
    fn default() -> Self {
        Self {
            owner_id: None,
            platform: "leetcode",
            slug: "two-sum",
            title: Some("Two Sum"),
            difficulty: Some("easy"),
            topic: Some("arrays"),
        }
    }
}

impl Problem<'_> {
    pub fn insert(&self, db: &mut Db) -> i64 {
        diesel::insert_into(problems::table)
            .values((
                problems::owner_id.eq(self.owner_id),
                problems::platform.eq(self.platform),
                problems::slug.eq(self.slug),
                problems::title.eq(self.title),
                problems::difficulty.eq(self.difficulty),
                problems::topic.eq(self.topic),
                problems::created_at.eq(now()),
                problems::updated_at.eq(now()),
            ))
            .returning(problems::id)
            .get_result(db)
            .unwrap()
    }
}

/// A solve of `problem_id`.
#[derive(Clone, Copy, Debug)]
pub struct Solve<'a> {
    pub user_id: i64,
    pub problem_id: i64,
    pub title: Option<&'a str>,
    pub difficulty: Option<&'a str>,
}

impl Solve<'_> {
    pub fn insert(&self, db: &mut Db) -> i64 {
        diesel::insert_into(solves::table)
            .values((
                solves::user_id.eq(self.user_id),
                solves::problem_id.eq(self.problem_id),
                solves::first_solved_at.eq(now()),
                solves::first_day.eq(day("2026-08-01")),
                solves::time_precision.eq("exact"),
                solves::rating.eq("good"),
                solves::rating_source.eq("given"),
                solves::settings_id.eq(settings_of(db, self.user_id)),
                solves::title.eq(self.title),
                solves::difficulty.eq(self.difficulty),
                solves::created_at.eq(now()),
                solves::updated_at.eq(now()),
            ))
            .returning(solves::id)
            .get_result(db)
            .unwrap()
    }
}

/// A revision, pending and adaptive where nothing else is said.
#[derive(Clone, Copy, Debug)]
pub struct Revision<'a> {
    pub number: i32,
    pub kind: &'a str,
    pub state: &'a str,
    pub due_on: &'a str,
    pub completed_on: Option<&'a str>,
    pub rating: Option<&'a str>,
    pub interval_days: i32,
    pub ladder_step: Option<i32>,
    pub stability: Option<f64>,
    pub sequence: i32,
    pub updated_at: At,
}

impl Default for Revision<'_> {
    fn default() -> Self {
        Self {
            number: 1,
            kind: "adaptive",
            state: "pending",
            due_on: "2026-09-10",
            completed_on: None,
            rating: None,
            interval_days: 3,
            ladder_step: None,
            stability: Some(3.17),
            sequence: 0,
            updated_at: now(),
        }
    }
}

impl Revision<'_> {
    pub fn insert(&self, db: &mut Db, user_id: i64, solve_id: i64) -> i64 {
        diesel::insert_into(revisions::table)
            .values((
                revisions::user_id.eq(user_id),
                revisions::solve_id.eq(solve_id),
                revisions::revision_number.eq(self.number),
                revisions::kind.eq(self.kind),
                revisions::state.eq(self.state),
                revisions::scheduled_on.eq(day("2026-08-01")),
                revisions::due_on.eq(day(self.due_on)),
                revisions::interval_days.eq(self.interval_days),
                revisions::ladder_step.eq(self.ladder_step),
                revisions::stability.eq(self.stability),
                revisions::settings_id.eq(settings_of(db, user_id)),
                revisions::rating.eq(self.rating),
                revisions::completed_on.eq(self.completed_on.map(day)),
                revisions::sequence.eq(self.sequence),
                revisions::created_at.eq(now()),
                revisions::updated_at.eq(self.updated_at),
            ))
            .returning(revisions::id)
            .get_result(db)
            .unwrap()
    }
}

/// A pending revision of a solve of a problem of its own.
pub fn pending(db: &mut Db, user_id: i64, slug: &str, due_on: &str) -> i64 {
    let problem_id = Problem { slug, title: None, ..Problem::default() }.insert(db);
    let solve_id = Solve { user_id, problem_id, title: None, difficulty: None }.insert(db);
    Revision { due_on, ..Revision::default() }.insert(db, user_id, solve_id)
}

/// The day that a text names.
pub fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// Before anything that a test does.
fn now() -> At {
    let text = "2026-08-31T09:00:00Z";
    At::from(text.parse::<chrono::DateTime<chrono::Utc>>().unwrap())
}

fn settings_of(db: &mut Db, user_id: i64) -> i64 {
    let id: Option<i64> = users::table.find(user_id).select(users::settings_id).first(db).unwrap();
    id.unwrap()
}
