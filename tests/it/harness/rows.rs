//! Typed rows as the guards want them, with defaults for all that does not matter.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use traverse::auth::guards::create_account;
use traverse::auth::model::{NewUser, Role};
use traverse::db::Db;
use traverse::db::either::OnEither;
use traverse::db::instant::At;
use traverse::preferences;
use traverse::problems::identity::Platform;
use traverse::problems::model::NewProblem;
use traverse::revisions::log::Kind;
use traverse::revisions::model::{
    Cause, Derived, NewReview, NewRevision, ReviewRow, RevisionRow, State as RevisionState,
};
use traverse::revisions::rating::Rating;
use traverse::schema::{problems, reviews, revisions, solves, submissions, users};
use traverse::solves::model::NewSolve;
use traverse::submissions::model::{NewSubmission, SubmissionRow, Verdict};

/// When everything here was written: before anything that a test does.
pub fn then() -> At {
    let text = "2026-08-31T09:00:00Z";
    At::from(text.parse::<DateTime<Utc>>().unwrap())
}

/// The day of [`then`].
pub fn day() -> NaiveDate {
    then().date_naive()
}

/// An account to be stored.
pub fn new_account<'a>(email: &'a str, handle: &'a str) -> NewUser<'a> {
    NewUser {
        email,
        handle,
        display_name: None,
        password_hash: "",
        role: Role::User,
        time_zone: "UTC",
        day_starts_at: "04:00",
        scheduler: "adaptive",
        goal_solves: 1,
        goal_revisions: 3,
        daily_cap: 20,
        digest_hour: 8,
        created_at: then(),
        updated_at: then(),
    }
}

/// An account with its first settings.
#[derive(Clone, Copy, Debug)]
pub struct User {
    pub id: i64,
    pub settings_id: i64,
}

impl User {
    pub fn add(db: &mut Db, name: &str) -> Self {
        let email = format!("{name}@example.org");
        let id = create_account(db, &new_account(&email, name)).unwrap().unwrap();
        preferences::begin(db, id, then()).unwrap();
        let settings_id: Option<i64> =
            users::table.find(id).select(users::settings_id).first(db).unwrap();
        Self { id, settings_id: settings_id.unwrap() }
    }
}

/// A problem that everybody shares.
pub fn new_problem(slug: &str) -> NewProblem<'_> {
    NewProblem {
        owner_id: None,
        platform: Platform::Leetcode,
        slug,
        title: None,
        difficulty: None,
        topic: None,
        created_at: then(),
        updated_at: then(),
    }
}

/// Stores a problem that everybody shares, without title, difficulty and topic.
pub fn add_problem(db: &mut Db, slug: &str) -> i64 {
    diesel::insert_into(problems::table)
        .values(new_problem(slug))
        .returning(problems::id)
        .get_result_on(db)
        .unwrap()
}

/// A solve to be stored.
pub fn new_solve(user: User, problem_id: i64) -> NewSolve<'static> {
    NewSolve {
        user_id: user.id,
        problem_id,
        first_solved_at: Some(then()),
        first_day: day(),
        time_precision: "exact",
        rating: Rating::Good,
        rating_source: "given",
        settings_id: user.settings_id,
        title: None,
        difficulty: None,
        tags: None,
        notes: None,
        created_at: then(),
        updated_at: then(),
    }
}

/// Stores a solve of a problem of its own.
pub fn add_solve(db: &mut Db, user: User, slug: &str) -> i64 {
    let problem_id = add_problem(db, slug);
    diesel::insert_into(solves::table)
        .values(new_solve(user, problem_id))
        .returning(solves::id)
        .get_result_on(db)
        .unwrap()
}

/// A submission to be stored, by its key.
pub fn new_submission(user: User, problem_id: i64, key: &str) -> NewSubmission<'_> {
    NewSubmission {
        user_id: user.id,
        problem_id: Some(problem_id),
        solve_id: None,
        judge: "leetcode.com",
        external_id: None,
        idempotency_key: Some(key),
        fingerprint: "f",
        verdict: Some(Verdict::Accepted),
        language: None,
        runtime_ms: None,
        memory_kb: None,
        happened_at: Some(then()),
        local_day: Some(day()),
        time_precision: Some("exact"),
        rating: None,
        attempts: None,
        minutes: None,
        hint_used: None,
        solution_viewed: None,
        source: None,
        notes: None,
        possible_duplicate_of: None,
        effects: None,
        received_at: then(),
        updated_at: then(),
    }
}

/// Stores a submission.
pub fn add_submission(db: &mut Db, submission: &NewSubmission<'_>) -> SubmissionRow {
    diesel::insert_into(submissions::table)
        .values(submission)
        .returning(submissions::all_columns)
        .get_result_on(db)
        .unwrap()
}

/// A pending revision to be stored.
pub fn new_revision(user: User, solve_id: i64, revision_number: i32, kind: Kind) -> NewRevision {
    NewRevision {
        user_id: user.id,
        solve_id,
        revision_number,
        kind,
        derived: Derived {
            state: RevisionState::Pending,
            scheduled_on: day(),
            due_on: day(),
            interval_days: 1,
            ladder_step: None,
            stability: Some(3.0),
            difficulty: Some(5.0),
            settings_id: user.settings_id,
            rating: None,
            completed_on: None,
        },
        created_at: then(),
        updated_at: then(),
    }
}

/// Stores a pending adaptive revision.
pub fn add_revision(db: &mut Db, user: User, solve_id: i64, revision_number: i32) -> RevisionRow {
    diesel::insert_into(revisions::table)
        .values(new_revision(user, solve_id, revision_number, Kind::Adaptive))
        .returning(revisions::all_columns)
        .get_result_on(db)
        .unwrap()
}

/// A review to be stored that moves a schedule.
pub fn new_review(user: User, solve_id: i64, kind: Kind, local_day: NaiveDate) -> NewReview {
    NewReview {
        user_id: user.id,
        solve_id,
        revision_id: None,
        submission_id: None,
        kind,
        rating: Rating::Good,
        rating_source: "given".to_owned(),
        happened_at: then(),
        local_day,
        cause: Cause::Completed,
        moves_schedule: true,
        settings_id: user.settings_id,
        seq: 0,
        created_at: then(),
        updated_at: then(),
    }
}

/// Stores a review.
pub fn add_review(db: &mut Db, review: &NewReview) -> ReviewRow {
    diesel::insert_into(reviews::table)
        .values(review)
        .returning(reviews::all_columns)
        .get_result_on(db)
        .unwrap()
}
